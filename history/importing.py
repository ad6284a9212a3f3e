"""An archive back into an account: each conversation by one save, what cannot be taken is named, nothing twice.

The id under which a conversation comes in follows from its old id and its content alone: the old id if it is free,
else one derived from both, else one derived from that. So the same file finds what it brought before.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from history import facts, hooks, store
from history.archive import CONVERSATIONS, DELETED
from history.blobs import hydrate, references
from history.errors import BadRequest, Conflict, Deleted, Refused, TooLarge
from history.fields import dump
from history.json_body import loads
from history.messages import check_shape
from history.models import TIME_LIMIT, Conversation
from history.rows import look_up
from history.sent import Conditions, Sent
from history.serializers import check_id, check_object, read_save
from history.unpacking import Archive, Limits, Line

MOST_REFUSED = 1000
"""Refusals after which the rest is not read: so much cannot be an accident."""

FIRST = Conditions(create=True)

_EMPTY: dict[str, Any] = {
    "title": "",
    "agent_id": None,
    "settings": {},
    "pinned": False,
    "archived": False,
}


@dataclass(slots=True)
class Taken:
    """What became of an archive: how many conversations were stored, which were here already under their id or one
    they were given before, which got a new id, and which could not be taken."""

    count: int = 0
    skipped: list[str] = field(default_factory=list)
    renamed: dict[str, str] = field(default_factory=dict)
    refused: list[dict[str, Any]] = field(default_factory=list)

    def refuse(self, refusal: Refused, *, number: int, cid: str | None = None) -> None:
        where: dict[str, Any] = {"line": number} if cid is None else {"id": cid}
        self.refused.append({**where, "code": refusal.code, "message": refusal.message})


def take(owner_id: int, archive: Archive, *, limits: Limits | None, now: int) -> Taken:
    """Store what the archive holds. Conversations come before tombstones: a live one is never deleted by an import."""
    taking = _Import(owner_id, archive, limits=limits, now=now)
    for name, take_line in ((CONVERSATIONS, taking.conversation), (DELETED, taking.tombstone)):
        for line in archive.lines(name):
            if len(taking.taken.refused) >= MOST_REFUSED:
                taking.taken.refuse(BadRequest("The rest was not read."), number=line.number)
                return taking.taken
            take_line(line)
    for name, (_out, back) in hooks.belongings.items():
        back(owner_id, archive.manifest.get(name))
    return taking.taken


class _Import:
    def __init__(self, owner_id: int, archive: Archive, *, limits: Limits | None, now: int) -> None:
        self.taken = Taken()
        self._owner_id = owner_id
        self._archive = archive
        self._limits = limits
        self._now = now

    def conversation(self, line: Line) -> None:
        cid = None
        try:
            body = _object(line)
            cid = check_id(body.get("id"))
            sent = self._read(body, size=len(line.raw or b""))
            stored = _store(self._owner_id, cid, sent, now=self._now)
        except Refused as refusal:
            self.taken.refuse(refusal, number=line.number, cid=cid)
            return
        if stored is None:
            self.taken.skipped.append(cid)
            return
        self.taken.count += 1
        if stored != cid:
            self.taken.renamed[cid] = stored

    def tombstone(self, line: Line) -> None:
        """Make a dead id dead here too, unless it lives here: a device that still has it cannot bring it back then."""
        cid = None
        try:
            body = _object(line)
            cid = check_id(body.get("id"))
            at = body.get("deletedAt")
            if type(at) is not int or not 0 <= at < TIME_LIMIT:
                raise BadRequest("deletedAt must be whole milliseconds since 1970, below 2^53.")
            at = min(at, self._now)
            store.bury(owner_id=self._owner_id, cid=cid, now=at, conditions=FIRST)
        except Conflict:
            return
        except Refused as refusal:
            self.taken.refuse(refusal, number=line.number, cid=cid)

    def _read(self, body: dict[str, Any], *, size: int) -> Sent:
        """Return a line's values, checked as a PUT's would be, with the images in their places."""
        skeleton = body.get("messages", [])
        check_shape(skeleton)
        images = _images_of(skeleton)
        most = self._limits.conversation if self._limits else None
        if most is not None and size + sum(map(self._archive.size, images)) > most:
            raise TooLarge("With its images it is larger than the limit in bytes.", limit=most)
        data = {sha256: self._archive.image(sha256) for sha256 in images}
        saved = {name: value for name, value in body.items() if name != "facts"}
        sent = read_save({**saved, "messages": hydrate(skeleton, data)})
        assert sent.ready is not None
        told = facts.read(body.get("facts", {}), sent.ready.hashes)
        return replace(sent, columns={**_EMPTY, **sent.columns}, facts=told)


def _object(line: Line) -> dict[str, Any]:
    if line.raw is None:
        raise TooLarge("The line is longer than the limit.")
    try:
        return check_object(loads(line.raw))
    except BadRequest as refusal:
        raise BadRequest(refusal.message.replace("The body", "The line")) from None


def _images_of(skeleton: list[dict[str, Any]]) -> set[str]:
    try:
        images: set[Any] = {*references(skeleton)}
    except TypeError:  # what stands for a hash can be any JSON
        images = {None}
    if not all(isinstance(sha256, str) and len(sha256) == 64 for sha256 in images):
        raise BadRequest("An image of the conversation has no proper reference.")
    return images


def _store(owner_id: int, cid: str, sent: Sent, *, now: int) -> str | None:
    """Save under the first id that is free; return it, or None when the same conversation stands there or before."""
    digest = _digest(sent)
    for candidate in _ids(cid, digest):
        row = look_up(owner_id=owner_id, cid=candidate)
        if row is None:
            try:
                store.save(owner_id=owner_id, cid=candidate, sent=sent, now=now, conditions=FIRST)
            except (Conflict, Deleted):  # somebody was faster
                row = look_up(owner_id=owner_id, cid=candidate)
            else:
                return candidate
        if row is not None and not row.is_deleted and _digest_of(row, sent) == digest:
            return None
    raise AssertionError("the ids do not end")


def _ids(cid: str, digest: str) -> Iterator[str]:
    while True:
        yield cid
        cid = "i-" + hashlib.sha256(f"{cid}\n{digest}".encode()).hexdigest()[:32]


def _digest(sent: Sent) -> str:
    assert sent.ready is not None
    columns = [sent.columns[name] for name in _EMPTY]
    return _hashed([*columns, sent.created_at, sent.updated_at], sent.ready.skeleton)


def _digest_of(row: Conversation, sent: Sent) -> str:
    """Return the digest of what is stored; a time that the line leaves to the server says nothing."""
    times = (sent.created_at and row.created_at, sent.updated_at and row.updated_at)
    return _hashed([*(getattr(row, name) for name in _EMPTY), *times], dump(row.messages))


def _hashed(values: Iterable[Any], skeleton: str) -> str:
    return hashlib.sha256(f"{dump(list(values))}\n{skeleton}".encode()).hexdigest()
