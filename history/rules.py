"""The rules of a Messages list by number, and what it means to break one.

Numbers 1 to 26 are those of the replay rules the product was built from; 0 and those above 26 are kenny's own names for
what the API refuses without a rule of its own.
"""

from dataclasses import dataclass
from enum import IntEnum


class Rule(IntEnum):
    """Each member completes the sentence "in a list the API accepts …". There is no 11: merging only makes 3 and 6 visible."""

    SHAPE = 0  # every block has its fields and stands with a role that may say it
    ANSWERED = 1  # every tool_use is answered in the very next user message
    MATCHED = 2  # every tool_result answers the message before it
    RESULTS_FIRST = 3  # results stand before anything else
    TOGETHER = 4  # all results of a message stand in one message
    ONCE = 5  # ids are unique, and each has one result
    TEXT = 6  # no text is empty or only whitespace
    CONTENT = 7  # no message is empty
    PERSON_LAST = 8  # the last message is not a finished reply
    TRAILING_SPACE = 9  # a final reply does not end in whitespace
    ORDER = 10  # a person begins; system notes stand where they may
    INPUT = 12  # arguments are an object, and everything is JSON in UTF-8
    KEYS = 13  # no block or message has a key the API does not know
    ERROR_TEXT = 14  # an error result is text, and not empty
    TOOLSET = 15  # a result names the toolset of its call
    TOOLS = 16  # tools are declared when the list uses them
    SERVER_PAIRS = 17  # tools that ran at the provider have both halves, but for the tail
    ONLY_RESULTS = 18  # a call beside an unfinished server tool is followed by results alone
    TOOL_NAME = 19  # tool names are 1 to 64 letters, digits, "_" and "-"
    MARKERS = 20  # at most four cache markers
    RETIRED = 21  # no documents from Claude, no citations from a person
    COUNT = 22  # at most 100,000 messages
    ID = 23  # ids are letters, digits, "_" and "-"
    OUTPUT = 24  # no result is empty
    USES_LAST = 25  # nothing is said after a tool_use in the same message
    THINKING = 26  # thinking has its text, which may be empty, and its signature
    IMAGE = 27  # an image is PNG, JPEG, GIF or WebP, and says so truthfully
    SIZE = 28  # images and request are within the API's limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A rule that a list breaks: `index` counts messages from 0, `what` is for a log and holds nothing of the content."""

    rule: int
    index: int
    what: str
