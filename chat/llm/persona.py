"""What the demo model says: fixed rules over what was typed and what came back. It never passes for Claude."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from chat.llm import phrases, wishes
from chat.llm.retelling import counted, retold
from chat.llm.situation import Situation


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A reply before it has ids: the thought, the text, then the calls."""

    thought: str
    text: str
    calls: tuple[wishes.Call, ...] = ()


Intent = Callable[[Situation], Said]


def reply(now: Situation) -> Said:
    """Return what the demo model says in this situation."""
    intent = next((answer for pattern, answer in _INTENTS if pattern.search(now.typed)), _lost)
    said = intent(now)
    missing = next((name for name, _ in said.calls if name not in now.tools), None)
    if missing is None:
        return said
    return Said(
        thought=f"That needs the tool {missing}, which is not among my tools in this chat.",
        text=f"For that I would use the tool `{missing}`, but this chat does not offer it to me.",
    )


def _tour(now: Situation) -> Said:
    if any(answer.refused for answer in now.last):
        return Said(
            thought="The call was refused, so I leave it at that.",
            text=f"{retold(now.last)}\n\n{_REFUSED_TOUR}",
        )
    if len(now.rounds) < len(_TOUR):
        return _TOUR[len(now.rounds)]
    return Said(
        thought="All steps are done. I sum up.", text=f"{retold(now.last)}\n\n{_AFTER_TOUR}"
    )


def _lost(now: Situation) -> Said:
    if now.pictures:
        came = counted(now.pictures, "image")
        return Said(
            thought=f"{came} came along. I cannot look at images.",
            text=f"Your message came with {came}. kenny has stored it whole, but I am the demo model and cannot see.",
        )
    return Said(
        thought=f"{counted(len(now.typed.split()), 'word')}, and none I have a rule for.",
        text=phrases.LOST,
    )


def _fixed(thought: str, text: Callable[[], str]) -> Intent:
    return lambda _now: Said(thought=thought, text=text())


def _one(thought: str, text: str, wish: Callable[[Situation], wishes.Call]) -> Intent:
    def intent(now: Situation) -> Said:
        if now.rounds:
            return Said(
                thought="The tool has answered. I say what came back and add nothing.",
                text=retold(now.last),
            )
        return Said(thought=thought, text=text, calls=(wish(now),))

    return intent


_REFUSED_TOUR = "That was the point of the tour: nothing is changed without your yes. Say `hello` for more to try."
_AFTER_TOUR = """\
That was the tour: two rounds of reading that ran at once, and one change that waited for you. Ask me to \
`delete notes/tour.md` to tidy up, or say `hello` for more to try. I am only the demo model; with an API key, Claude \
does this with understanding.
"""
_TOUR = (
    Said(
        thought="A tour. First something that only reads: it needs no approval.",
        text=(
            "Welcome. I am the demo model, not Claude, and this is a tour in three steps.\n\n"
            "**First**, what is in your workspace? Listing only reads, so it runs at once."
        ),
        calls=(("list_files", {}),),
    ),
    Said(
        thought="Now two files at once: a text and a picture. Both calls only read.",
        text="**Second**, I read the note and fetch the picture, both at once.",
        calls=(("read_file", {"path": "README.txt"}), ("read_file", {"path": "welcome.png"})),
    ),
    Said(
        thought="Writing changes something. kenny will hold this call until the person decides.",
        text=(
            "**Third**, something that changes a file. Look at the card: it shows exactly what would be written, and "
            "nothing happens before you press **Approve** or **Deny**."
        ),
        calls=(("write_file", {"path": "notes/tour.md", "content": phrases.TOUR_NOTE}),),
    ),
)
_ASKED = "This changes something, so kenny holds it until you decide."


def _words(alternatives: str) -> str:
    # Whole words, and not those inside a path: "read notes/create.md" wishes to read.
    return rf"(?<![\w./-])(?:{alternatives})(?![\w/-]|\.\w)"


def _rule(pattern: str, intent: Intent) -> tuple[re.Pattern[str], Intent]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL), intent


# The first that matches wins: a wish to change something stands before the nouns it mentions.
_INTENTS = (
    _rule(
        _words("find|search|look") + ".*" + _words("chats?|conversations?|history"),
        _one(
            "Earlier chats: search_history only reads, and only this person's own.",
            "I look through your chats.",
            wishes.chats,
        ),
    ),
    _rule(
        r"^\W*search\b",
        _one("Searching only reads, so it runs at once.", "I search your files.", wishes.searching),
    ),
    _rule(
        _words("delete|remove|erase"),
        _one("Deleting changes something and will be held.", _ASKED, wishes.deleting),
    ),
    _rule(
        _words("move|rename"),
        _one("Moving changes something and will be held.", _ASKED, wishes.moving),
    ),
    _rule(
        _words("long|essay"),
        _fixed("Something long. I have a fixed text for that.", phrases.long_text),
    ),
    _rule(
        _words("markdown|table|code|formatting"),
        _fixed("A sample of everything that can be formatted.", lambda: phrases.MARKDOWN),
    ),
    _rule(
        _words("write|create|save|make|a note") + r"|^\W*note\b",
        _one("Writing changes something and will be held.", _ASKED, wishes.writing),
    ),
    _rule(_words("tour|demo|show me around"), _tour),
    _rule(
        _words("images?|pictures?|photos?") + r"|\.(?:png|jpe?g|gif|webp)\b",
        _one("A picture: read_file brings it as an image.", "I fetch the picture.", wishes.picture),
    ),
    _rule(
        _words("read") + "|" + _words("open|show|print") + r".*\w\.\w",
        _one("Reading only reads, so it runs at once.", "I read the file.", wishes.reading),
    ),
    _rule(
        _words("list|files?|folders?|workspace"),
        _one(
            "Listing only reads, so it runs at once.", "I look into your workspace.", wishes.listing
        ),
    ),
    _rule(
        _words("time|date|clock|day"),
        _one("I have no clock of my own; current_time tells.", "I ask for the time.", wishes.clock),
    ),
    _rule(
        _words("hello|hi|hey|help|hallo|moin|(?:who|what) are you|are you claude"),
        _fixed("A greeting. I say what I am and what I can do.", lambda: phrases.INTRODUCTION),
    ),
)
