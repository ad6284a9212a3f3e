"""Tool output is data from strangers: cleaned, capped and fenced before a model reads it, unfenced before a person does."""

import re

# Tag characters, zero-width marks and direction controls carry text that a person does not see and a model does.
_INVISIBLE = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\U000e0000-\U000e007f]"
)
# A joiner between two letters shapes emoji, Persian and Hindi; anywhere else, or in a row, it is a hiding place.
_JOINER = re.compile(
    "(?<![^\x00-\x7f\u200c\u200d])[\u200c\u200d]+|[\u200c\u200d]+(?![^\x00-\x7f\u200c\u200d])|[\u200c\u200d]{2,}"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_HEAD = re.compile(r'<untrusted-output source="[^"\n]*" mark="([^"\n]+)">\n')


def fence(text: str, *, mark: str, source: str) -> str:
    """Wrap `text` so that a model can tell where it ends; `mark` must be unguessable for whoever wrote the text."""
    name = re.sub(r'["<>\n]', "_", source)
    # A character in its place, because leaving the mark out could join its two neighbours into a new one.
    inside = text.replace(mark, "\ufffd")
    return f'<untrusted-output source="{name}" mark="{mark}">\n{inside}\n{_foot(mark)}'


def unfence(text: str) -> str:
    """Return what stands inside a fence; a text that is not exactly one fence comes back as it is."""
    head = _HEAD.match(text)
    if head is None:
        return text
    mark = head[1]
    foot = "\n" + _foot(mark)
    inside = text[head.end() : -len(foot)]
    whole = text.endswith(foot) and len(text) >= head.end() + len(foot) and mark not in inside
    return inside if whole else text


def clean(text: str) -> str:
    """Make a text storable and visible: no lone surrogates, no NUL, no invisible characters; ANSI colours stay."""
    return _JOINER.sub("", _INVISIBLE.sub("", storable(text)))


def storable(text: str) -> str:
    """Replace what UTF-8 and PostgreSQL cannot hold: lone surrogates by U+FFFD, NUL by its picture U+2400."""
    return paired(text).replace("\x00", "\u2400")


def paired(text: str) -> str:
    """Join surrogates that stand side by side and replace lone ones by U+FFFD, so that the text is UTF-8."""
    if _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def capped(text: str, *, limit: int = 100_000) -> str:
    """Keep head and tail of a text longer than `limit` characters, with a line that says how much is missing."""
    if len(text) <= limit:
        return text
    line = f"\n[… {len(text)} characters left out …]\n"  # as long as it can become
    room = limit - len(line)
    if room <= 0:
        return text[:limit]
    head, tail = room - room // 2, room // 2
    line = f"\n[… {len(text) - head - tail} characters left out …]\n"
    return text[:head] + line + text[len(text) - tail :]


def _foot(mark: str) -> str:
    return f"</untrusted-output {mark}>"
