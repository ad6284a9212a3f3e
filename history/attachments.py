"""The rows behind the images: bytes once per owner, links from conversations, gone with the last link.

Every function that writes runs inside a transaction that holds the owner's `SyncState`.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from history.blobs import Found
from history.compiled import Compiled
from history.models import Blob, BlobLink, Conversation, ScaledCopy
from history.pictures import Picture, sniff

_HELD = Compiled(
    lambda pk: BlobLink.objects.filter(conversation=pk).values_list("blob__sha256", "pk"),
    like=(-11,),
)


def relink(conversation: Conversation, found: Mapping[str, Found]) -> None:
    """Make the conversation hold exactly these images; what nobody holds any more goes."""
    held: dict[str, int] = dict(_HELD.rows(conversation.pk))
    link(conversation, {sha256: image for sha256, image in found.items() if sha256 not in held})
    gone = [pk for sha256, pk in held.items() if sha256 not in found]
    if gone:
        BlobLink.objects.filter(pk__in=gone).delete()
        collect(conversation.owner_id)


def attach(conversation: Conversation, sources: list[dict[str, Any]]) -> None:
    """Make images that are not settled yet servable at once; the next settle decides which stay.

    `sources` are base64 sources as the Messages API has them; what is no base64 is left out.
    """
    texts = (source.get("data") for source in sources)
    found = [Found.read(text) for text in texts if isinstance(text, str)]
    held = set(conversation.links.values_list("blob__sha256", flat=True))
    link(
        conversation, {image.sha256: image for image in found if image and image.sha256 not in held}
    )


def unlink(pks: list[int], *, owner_id: int) -> None:
    """Take all images from these conversations."""
    if BlobLink.objects.filter(conversation__in=pks).delete()[0]:
        collect(owner_id)


def collect(owner_id: int) -> None:
    """Delete the owner's images that no conversation holds."""
    Blob.objects.owned_by(owner_id).unused().delete()


def load(owner_id: int, hashes: Iterable[str]) -> dict[str, bytes]:
    """Return the bytes of the owner's images by SHA-256."""
    wanted = set(hashes)
    if not wanted:
        return {}
    rows = Blob.objects.owned_by(owner_id).filter(sha256__in=wanted).values_list("sha256", "data")
    return {sha256: bytes(data) for sha256, data in rows}


def pictures(conversation: Conversation) -> dict[str, Picture]:
    """Return what is known of the conversation's images by SHA-256, without reading their bytes."""
    links = conversation.links.exclude(blob__media_type="")
    rows = links.values_list("blob__sha256", "blob__media_type", "blob__width", "blob__height")
    return {
        sha256: Picture(media_type=kind, width=width, height=height)
        for sha256, kind, width, height in rows
    }


def image(conversation: Conversation, *, sha256: str) -> bytes | None:
    """Return an image that this conversation holds as a blob."""
    row = (
        conversation.links.filter(blob__sha256=sha256).values_list("blob__data", flat=True).first()
    )
    return None if row is None else bytes(row)


def scaled_copy(owner_id: int, *, sha256: str) -> tuple[bytes, str] | None:
    """Return (bytes, media type) of the copy kept for requests, None when none was kept."""
    rows = ScaledCopy.objects.filter(blob__in=Blob.objects.owned_by(owner_id).filter(sha256=sha256))
    row = rows.values_list("data", "media_type").first()
    return (bytes(row[0]), row[1]) if row else None


def keep_scaled(owner_id: int, *, sha256: str, data: bytes, media_type: str) -> None:
    """Keep the copy beside its original; without an original there is nothing to keep."""
    blob = Blob.objects.owned_by(owner_id).filter(sha256=sha256).only("pk").first()
    if blob is not None:
        ScaledCopy.objects.bulk_create(
            [ScaledCopy(blob=blob, media_type=media_type, data=data)], ignore_conflicts=True
        )


def link(conversation: Conversation, found: Mapping[str, Found]) -> None:
    """Make the conversation hold these images too; it must hold none of them yet."""
    if not found:
        return
    owner_id = conversation.owner_id
    stored = Blob.objects.owned_by(owner_id).filter(sha256__in=found)
    missing = found.keys() - set(stored.values_list("sha256", flat=True))
    Blob.objects.bulk_create([_row(owner_id, found[sha256]) for sha256 in sorted(missing)])
    BlobLink.objects.bulk_create(
        [
            BlobLink(conversation=conversation, blob_id=pk)
            for pk in stored.values_list("pk", flat=True)
        ]
    )


def _row(owner_id: int, found: Found) -> Blob:
    data = found.data()
    row = Blob(owner_id=owner_id, sha256=found.sha256, size=len(data), data=data)
    picture = sniff(data)
    if picture:
        row.media_type, row.width, row.height = picture.media_type, picture.width, picture.height
    return row
