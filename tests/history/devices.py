"""A device that keeps a copy of an account by the documented API alone, and the real service it talks to.

The rules are those of a faithful client: deletes first, then a pull,
then uploads with the entity tag of what they build on. A conversation's content is a list of unique words.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Literal, NamedTuple

from django.contrib.auth.models import User

from history import feed, store
from history.compiled import Compiled
from history.errors import Conflict, Deleted
from history.models import Conversation, SyncState
from history.prepared import prepare
from history.sent import Conditions, Sent
from history.serializers import summary_of

Fault = Literal["request", "answer", "late"] | None
"""Lost on the way there, lost on the way back, or given up here and delivered later."""

Words = tuple[str, ...]


class Put(NamedTuple):
    """One upload: `base` is the tag it builds on, None for a first save."""

    cid: str
    words: Words
    updated: int
    base: str | None


class Answer(NamedTuple):
    status: int
    etag: str | None = None


_LAST = Compiled(
    lambda owner_id: SyncState.objects.filter(pk=owner_id).values_list("last_seq"), like=(-11,)
)
_SHAPE = Compiled(
    lambda owner_id: Conversation.objects.owned_by(owner_id).values_list(
        "cid", "version", "seq", "deleted_at"
    ),
    like=(-11,),
)
_CONTENT = Compiled(
    lambda owner_id: Conversation.objects.owned_by(owner_id).live().values_list("cid", "messages"),
    like=(-11,),
)


class Service:
    """The real store and feed for one fresh account, with a count of what was accepted."""

    def __init__(self) -> None:
        self.owner_id = User.objects.create(username=f"u{next(_NUMBERS)}").pk
        self.tried = self.accepted = 0
        self.versions: dict[str, int] = {}
        self.dead: set[str] = set()

    def put(self, upload: Put, *, blind: bool = False) -> Answer:
        """Save; `blind` sends no condition, as a simple client does."""
        self.tried += 1
        conditions = Conditions(
            match=(upload.base,) if upload.base else None, create=upload.base is None
        )
        sent = Sent(
            columns={"title": upload.cid},
            updated_at=upload.updated,
            ready=prepare([{"role": "user", "content": word} for word in upload.words]),
        )
        try:
            row = store.save(
                owner_id=self.owner_id,
                cid=upload.cid,
                sent=sent,
                now=upload.updated,
                conditions=store.ALWAYS if blind else conditions,
            ).row
        except Deleted:
            assert upload.cid in self.dead, "410 for what was never deleted"
            return Answer(410)
        except Conflict as refused:
            return Answer(412, refused.facts["etag"])
        assert upload.cid not in self.dead, "a write to a tombstone was accepted"
        self._step(row)
        return Answer(200, row.etag)

    def delete(self, cid: str) -> None:
        again = cid in self.dead
        row = store.bury(owner_id=self.owner_id, cid=cid, now=1)
        if not again:
            self._step(row)
            self.dead.add(cid)

    def pull(self, cursor: str | None) -> dict[str, Any]:
        return feed.pull(feed.state_of(self.owner_id), feed.Wish(since=cursor, bodies=True))

    def read(self, cid: str) -> dict[str, Any] | None:
        """Answer a conversation with its messages, None for one that is dead."""
        try:
            row = store.find(owner_id=self.owner_id, cid=cid)
        except Deleted:
            return None
        return {**summary_of(row), "messages": store.full_messages(row)}

    def rows(self) -> list[Conversation]:
        return list(Conversation.objects.owned_by(self.owner_id))

    def live(self) -> dict[str, Words]:
        return {cid: words_of(messages) for cid, messages in _CONTENT.rows(self.owner_id)}

    def check(self) -> None:
        """Assert what must hold after every step."""
        rows = _SHAPE.rows(self.owner_id)
        last = sum((row[0] for row in _LAST.rows(self.owner_id)), 0)
        seqs = [seq for _, _, seq, _ in rows]
        assert last == self.accepted, "a number was skipped or taken by what was refused"
        assert len(set(seqs)) == len(seqs)
        assert max(seqs, default=0) <= last
        dead = {cid for cid, _, _, deleted_at in rows if deleted_at is not None}
        assert dead == self.dead, "a tombstone came back to life"
        versions = {cid: version for cid, version, _, _ in rows}
        assert versions == self.versions, "a version was skipped"

    def _step(self, row: Conversation) -> None:
        self.accepted += 1
        assert row.version == self.versions.get(row.cid, 0) + 1, "version must step by one"
        self.versions[row.cid] = row.version


_NUMBERS = count()


def words_of(messages: list[dict[str, Any]]) -> Words:
    return tuple(message["content"] for message in messages)


@dataclass(slots=True)
class Local:
    """A device's copy: the tag it was last in step with, and whether it has changed since."""

    words: Words = ()
    base: str | None = None
    dirty: bool = False
    updated: int = 0


@dataclass(slots=True)
class Device:
    name: str
    numbers: "count[int]"
    local: dict[str, Local] = field(default_factory=dict)
    pending: set[str] = field(default_factory=set)
    trash: set[str] = field(default_factory=set)
    net: list[Put] = field(default_factory=list)
    cursor: str | None = None
    epoch: str | None = None

    def edit(self, cid: str, word: str, *, now: int) -> None:
        mine = self.local.setdefault(cid, Local())
        mine.words, mine.dirty, mine.updated = (*mine.words, word), True, max(now, mine.updated + 1)

    def delete(self, cid: str) -> None:
        del self.local[cid]
        self.pending.add(cid)

    def sync(
        self,
        service: Service,
        *,
        faults: tuple[Fault, Fault, Fault],
        meanwhile: Callable[[], None] | None = None,
    ) -> None:
        """Run one pass: deletes, pull, uploads, each with its fault; `meanwhile` happens before the answer arrives."""
        self._send_deletes(service, faults[0])
        answer = service.pull(self.cursor)
        if faults[1]:
            return
        if meanwhile:
            meanwhile()
        self._reconcile(answer)
        self._upload(service, faults[2])

    def _send_deletes(self, service: Service, fault: Fault) -> None:
        for cid in sorted(self.pending):
            if fault != "request":
                service.delete(cid)
            if fault is None:
                self.pending.discard(cid)

    def _reconcile(self, answer: dict[str, Any]) -> None:
        # Another epoch, or a server that knows less than this device: it was put back to an older state.
        rebuilt = self.epoch not in {None, answer["epoch"]} or answer.get("reset") == "cursor_ahead"
        for gone in answer["deleted"]:
            self.pending.discard(gone["id"])
            self._drop(gone["id"])
        for row in answer["conversations"]:
            self._merge(row, rebuilt=rebuilt)
        if answer["full"]:
            self._miss({row["id"] for row in answer["conversations"]}, rebuilt=rebuilt)
        self.cursor, self.epoch = answer["cursor"], answer["epoch"]

    def _merge(self, row: dict[str, Any], *, rebuilt: bool) -> None:
        cid, theirs = row["id"], words_of(row["messages"])
        mine = self.local.get(cid)
        if cid in self.pending or (mine and mine.base == row["etag"] and not rebuilt):
            return
        if mine and (mine.dirty or rebuilt) and theirs[: len(mine.words)] != mine.words:
            if mine.words[: len(theirs)] == theirs:
                later = max(mine.updated, row["updatedAt"] + 1)
                self.local[cid] = Local(mine.words, row["etag"], dirty=True, updated=later)
                return
            fork = f"{cid}-{self.name}{next(self.numbers)}"
            self.local[fork] = Local(mine.words, None, dirty=True, updated=mine.updated)
        self.local[cid] = Local(theirs, row["etag"], updated=row["updatedAt"])

    def _miss(self, listed: set[str], *, rebuilt: bool) -> None:
        for cid in [cid for cid in self.local if cid not in listed]:
            if self.local[cid].base is None:
                continue
            if rebuilt:
                # The server lost it: it is offered again, never dropped.
                self.local[cid].base, self.local[cid].dirty = None, True
            else:
                self._drop(cid)

    def _drop(self, cid: str) -> None:
        mine = self.local.pop(cid, None)
        if mine and mine.dirty:
            self.trash |= set(mine.words)

    def _upload(self, service: Service, fault: Fault) -> None:
        for cid in sorted(self.local):
            mine = self.local[cid]
            if not mine.words or (mine.base is not None and not mine.dirty):
                continue
            upload = Put(cid, mine.words, mine.updated, mine.base)
            if fault == "late":
                self.net.append(upload)
            elif fault != "request":
                answer = service.put(upload)
                if fault is None:
                    self._answered(service, cid, answer)

    def _answered(self, service: Service, cid: str, answer: Answer) -> None:
        mine = self.local[cid]
        if answer.status == 200:
            mine.base, mine.dirty = answer.etag, False
        elif answer.status == 410:
            self._drop(cid)
        elif answer.etag is None:
            mine.base = None
        elif row := service.read(cid):
            # Refused, because it builds on another version than the stored one: that is read and merged.
            self._merge(row, rebuilt=False)
