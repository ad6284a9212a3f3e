"""Reads gettext's two kinds of file without gettext's tools: what stands in a .po, what a .mo holds."""

import ast
import gettext
import re
from dataclasses import dataclass
from pathlib import Path

_FIELD = re.compile(r'^(msgctxt|msgid|msgid_plural|msgstr|msgstr\[\d\]) (".*")$')


@dataclass(frozen=True)
class Entry:
    """One text and what it is in the other language; `forms` has more than one for a text with a number."""

    text: str
    plural: str | None
    forms: tuple[str, ...]
    flags: str


def entries(path: Path) -> list[Entry]:
    """Return the entries of a .po but its head."""
    found = [_entry(block) for block in path.read_text(encoding="utf-8").split("\n\n")]
    return [entry for entry in found if entry.text]


def _entry(block: str) -> Entry:
    fields: dict[str, str] = {}
    flags, name = "", ""
    for line in block.splitlines():
        if line.startswith("#,"):
            flags += line[2:]
        elif match := _FIELD.match(line):
            name = match[1]
            fields[name] = ast.literal_eval(match[2])
        elif line.startswith('"'):
            fields[name] += ast.literal_eval(line)
    forms = tuple(text for key, text in fields.items() if key.startswith("msgstr"))
    return Entry(fields.get("msgid", ""), fields.get("msgid_plural"), forms, flags)


def compiled(path: Path) -> dict[str | tuple[str, int], str]:
    """Return what a .mo holds but its head: texts, and (text, form) for those with a number."""
    with path.open("rb") as file:
        catalogue = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]  # its only door to all of it
    return {key: text for key, text in catalogue.items() if key}


def as_compiled(known: list[Entry]) -> dict[str | tuple[str, int], str]:
    """Return what a .mo of these entries holds."""
    return {
        (entry.text, form) if entry.plural is not None else entry.text: text
        for entry in known
        for form, text in enumerate(entry.forms)
    }
