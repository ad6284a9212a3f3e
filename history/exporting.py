"""An account as an archive, made while it is sent: one conversation and one image in memory at a time.

Each conversation is as of the moment it was read, with the images it had then; what was made after the export began
is left for the next one. No transaction is held open: a slow reader must not keep the database's log from being cut.
"""

from collections.abc import Generator, Iterator
from tempfile import SpooledTemporaryFile
from typing import IO

from history import attachments, hooks
from history.archive import CONVERSATIONS, DELETED, IMAGES, MANIFEST, PIECE, Writer, line, manifest
from history.blobs import references
from history.facts import shown
from history.feed import state_of
from history.models import Conversation
from history.serializers import summary_of, tombstone

PAGE = 500
"""Rows of one query."""

SPOOL = 4 * 1024 * 1024
"""Bytes of lines in memory; more go to a file that has no name."""


def export(owner_id: int, *, account: str, now: int) -> Iterator[bytes]:
    """Yield the archive of an account in pieces; `account` is the name that its manifest gives."""
    with SpooledTemporaryFile(max_size=SPOOL) as spool:
        making = _Export(owner_id, spool=spool, now=now)
        yield from making.conversations()
        yield from making.tombstones()
        yield from making.manifest(account)


class _Export:
    """The images go straight into the zip; the lines wait, since a zip takes one entry after the other."""

    def __init__(self, owner_id: int, *, spool: IO[bytes], now: int) -> None:
        self._owner_id = owner_id
        self._rows = Conversation.objects.owned_by(owner_id)
        self._spool = spool
        self._now = now
        self._writer = Writer(now=now)
        self._images: set[str] = set()
        self._counts = {"conversations": 0, "deleted": 0}

    def conversations(self) -> Iterator[bytes]:
        for pk in self._pks():
            yield from self._conversation(pk)
        self._spool.seek(0)
        yield from self._writer.add(CONVERSATIONS, iter(lambda: self._spool.read(PIECE), b""))

    def tombstones(self) -> Iterator[bytes]:
        yield from self._writer.add(DELETED, map(line, map(tombstone, self._dead())))

    def manifest(self, account: str) -> Iterator[bytes]:
        counts = {**self._counts, "images": len(self._images)}
        more = {name: out(self._owner_id) for name, (out, _back) in hooks.belongings.items()}
        told = manifest(account=account, now=self._now, counts=counts, more=more)
        yield from self._writer.add(MANIFEST, [told])
        yield self._writer.finish()

    def _pks(self) -> Iterator[int]:
        rows = self._rows.live().born_up_to(state_of(self._owner_id).last_seq).order_by("pk")
        last = 0
        while pks := list(rows.filter(pk__gt=last).values_list("pk", flat=True)[:PAGE]):
            yield from pks
            last = pks[-1]

    def _dead(self) -> Iterator[Conversation]:
        rows = self._rows.buried().without_bodies().in_commit_order()
        last = 0
        while page := list(rows.moved_after(last)[:PAGE]):
            yield from page
            last = page[-1].seq
            self._counts["deleted"] += len(page)

    def _conversation(self, pk: int) -> Iterator[bytes]:
        """Write the images of a conversation and keep its line; one that is rewritten meanwhile is read again."""
        read = None
        while (row := self._rows.live().filter(pk=pk).first()) is not None:
            whole = yield from self._images_of(row)
            # Read twice without having moved: the database lost an image. The words are worth keeping.
            if whole or row.version == read:
                told = {"facts": shown(row.facts)} if row.facts else {}
                self._spool.write(line({**summary_of(row), **told, "messages": row.messages}))
                self._counts["conversations"] += 1
                return
            read = row.version

    def _images_of(self, row: Conversation) -> Generator[bytes, None, bool]:
        """Write the images that are not written yet; return whether all were there."""
        for sha256 in sorted(references(row.messages) - self._images):
            data = attachments.load(self._owner_id, [sha256]).get(sha256)
            if data is None:
                return False
            yield from self._writer.add(IMAGES + sha256, [data])
            self._images.add(sha256)
        return True
