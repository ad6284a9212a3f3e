"""The archive itself: its shape, and what is refused before anything is taken from it."""

import io
import json
import zipfile
from dataclasses import replace

import pytest

from history.archive import CONVERSATIONS, MANIFEST, Writer
from history.errors import BadRequest, Refused, TooLarge
from history.unpacking import Archive
from tests.history.archives import LIMITS, NOW, chat, entries, packed, unpacked

SHA = "a" * 64


def opened(raw: bytes, **limits: int) -> Archive:
    return Archive(io.BytesIO(raw), limits=replace(LIMITS, **limits))


class TestWriter:
    def test_makes_an_archive_that_any_zip_reader_takes(self) -> None:
        writer = Writer(now=NOW)

        pieces = [*writer.add("images/x", [b"1" * 10]), *writer.add(MANIFEST, [b"{", b"}"])]
        raw = b"".join([*pieces, writer.finish()])

        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            assert archive.testzip() is None
            assert archive.infolist()[0].date_time[0] == 2027
        assert unpacked(raw) == {"images/x": b"1" * 10, MANIFEST: b"{}"}

    def test_keeps_little_of_what_was_written(self) -> None:
        writer = Writer(now=NOW)
        noise = [i.to_bytes(4, "big") * 1024 for i in range(2000)]

        sizes = [len(piece) for piece in writer.add("x", noise)]

        assert max(sizes, default=0) < 200_000
        assert writer.finish()


class TestOpening:
    def test_takes_an_export_packed_anew_by_hand(self) -> None:
        raw = packed({"images/": b"", **entries(chat())}, compression=zipfile.ZIP_STORED)

        archive = opened(raw)

        assert archive.manifest["schema"] == 1
        assert [line.number for line in archive.lines(CONVERSATIONS)] == [1]

    @pytest.mark.parametrize(
        "name",
        [
            "../c.jsonl",
            "/etc/passwd",
            "images/../x",
            f"images/{SHA}/x",
            f"images/{SHA.upper()}",
            f"images\\{SHA}",
            f"images/{SHA}\x00.png",
            "a",
            "",
        ],
    )
    def test_refuses_an_entry_that_no_export_has(self, name: str) -> None:
        raw = _renamed(name)

        with pytest.raises(BadRequest, match="does not belong"):
            opened(raw)

    @pytest.mark.filterwarnings("ignore:Duplicate name")
    @pytest.mark.parametrize("name", [CONVERSATIONS, f"images/{SHA}"])
    def test_refuses_two_entries_of_one_name(self, name: str) -> None:
        raw = packed([*entries(chat()).items(), (name, b"x"), (name, b"y")])

        with pytest.raises(BadRequest, match="two entries"):
            opened(raw)

    @pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
    def test_refuses_other_ways_of_packing(self, method: int) -> None:
        with pytest.raises(BadRequest, match="packed in a way"):
            opened(packed(entries(chat()), compression=method))

    def test_refuses_what_is_encrypted(self) -> None:
        raw = bytearray(packed(entries(chat())))
        raw[raw.index(b"PK\x01\x02") + 8] |= 1

        with pytest.raises(BadRequest, match="encrypted"):
            opened(bytes(raw))

    @pytest.mark.parametrize("missing", list(entries()))
    def test_refuses_an_archive_without_one_of_its_parts(self, missing: str) -> None:
        parts = entries(chat())
        del parts[missing]

        with pytest.raises(BadRequest, match=missing):
            opened(packed(parts))

    @pytest.mark.parametrize(
        "told", [b"", b"[]", b"{", b'{"schema":2}', b'{"schema":true}', b'{"schema":1,"schema":1}']
    )
    def test_refuses_a_manifest_of_another_schema_or_none(self, told: bytes) -> None:
        with pytest.raises(BadRequest):
            opened(packed({**entries(chat()), MANIFEST: told}))

    @pytest.mark.parametrize("raw", [b"", b"PK", b"x" * 100, b"PK\x05\x06" + b"\xff" * 18])
    def test_refuses_what_is_no_zip(self, raw: bytes) -> None:
        with pytest.raises(Refused):
            opened(raw)

    def test_refuses_every_truncation(self) -> None:
        raw = packed(entries(chat()))

        for cut in range(1, len(raw)):
            with pytest.raises(BadRequest):
                opened(raw[:cut])

    def test_refuses_or_takes_whole_whatever_byte_is_damaged(self) -> None:
        parts = entries(chat())
        raw = packed(parts)

        for at in range(len(raw)):
            try:
                archive = opened(raw[:at] + bytes([raw[at] ^ 0x41]) + raw[at + 1 :])
            except Refused:
                continue
            assert [line.raw for line in archive.lines(CONVERSATIONS)] == [parts[CONVERSATIONS]]


class TestLimits:
    @pytest.mark.parametrize(
        ("limit", "most"), [("entries", 2), ("directory", 100), ("total", 100), ("ratio", 100)]
    )
    def test_refuse_before_anything_is_unpacked(self, limit: str, most: int) -> None:
        raw = packed(entries(chat(title="x" * 100, messages=[]), b" " * 2_000_000))

        with pytest.raises(TooLarge) as refused:
            opened(raw, **{limit: most})

        assert refused.value.facts["limit"] in {most, LIMITS.entries}

    def test_hold_for_a_manifest_of_its_own(self) -> None:
        with pytest.raises(TooLarge):
            opened(packed({**entries(), MANIFEST: b" " * 2_000_000}), ratio=10**6)

    def test_refuse_an_end_record_for_large_archives(self) -> None:
        raw = packed(entries(chat()))
        large = raw[:-22] + b"PK\x06\x07" + b"\0" * 16 + raw[-22:]

        with pytest.raises(TooLarge):
            opened(large)

    def test_do_not_bind_the_operator(self) -> None:
        raw = packed(entries(b" " * 5_000_000, chat()))

        archive = Archive(io.BytesIO(raw), limits=None)

        assert [line.number for line in archive.lines(CONVERSATIONS)] == [2]

    def test_of_a_line_pass_over_the_long_one_only(self) -> None:
        long = chat("long", title="x" * 3_000_000)
        raw = packed(entries(chat("a"), long, b"", chat("b")), compression=zipfile.ZIP_STORED)

        lines = list(opened(raw, line=1000).lines(CONVERSATIONS))

        assert [(line.number, line.raw is None) for line in lines] == [
            (1, False),
            (2, True),
            (4, False),
        ]
        assert json.loads(lines[2].raw or b"")["id"] == "b"


def _renamed(name: str) -> bytes:
    """Return an archive with an entry of that very name; the zip writer would clean it first."""
    info = zipfile.ZipInfo("x")
    info.filename = name
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        for other, data in entries(chat()).items():
            made.writestr(other, data)
        made.writestr(info, b"x")
    return file.getvalue()
