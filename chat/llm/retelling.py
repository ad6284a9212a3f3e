"""What the demo model says after its tools have answered: the answers themselves, and nothing made up."""

from collections.abc import Sequence

from chat.llm.situation import Answered

_SHOWN = 1500
_REFUSALS = {
    "denied": "You refused it, so it did not run. I will not try again; tell me what you would like instead.",
    "expired": "Nobody decided in time, so it did not run. Ask again whenever you like.",
    "repeated": "It was refused before in this turn, so it was not asked again and did not run.",
    "stopped": "The turn was stopped before it began, so it did not run.",
}


def retold(answers: Sequence[Answered]) -> str:
    """Return what came back, answer by answer."""
    return "\n\n".join(_one(answer) for answer in answers)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _one(answer: Answered) -> str:
    name = f"`{answer.tool}`"
    if answer.refused is not None:
        return f"{name}: {_REFUSALS[answer.refused]}"
    if answer.failed:
        return f"{name} did not work. It said:\n\n{_quoted(answer.text)}"
    if answer.images:
        return (
            f"{name} brought {counted(answer.images, 'image')}; you see it in the card above. I am the demo model and cannot "
            "look at it, Claude would."
        )
    return _READERS.get(answer.tool, _plain)(answer)


def _plain(answer: Answered) -> str:
    return f"`{answer.tool}` answered:\n\n{_quoted(answer.text)}"


def _listing(answer: Answered) -> str:
    lines = [line for line in answer.text.splitlines() if line.strip()]
    shown = "\n".join(f"- `{line.strip()}`" for line in lines[:20])
    rest = f"\n- and {len(lines) - 20:,} more" if len(lines) > 20 else ""
    return f"This is what is there ({counted(len(lines), 'line')}):\n\n{shown}{rest}"


def _file(answer: Answered) -> str:
    words, lines = len(answer.text.split()), len(answer.text.splitlines())
    path = answer.arguments.get("path", "")
    return f"`{path}` has {counted(lines, 'line')} and {counted(words, 'word')}:\n\n{_quoted(answer.text)}"


def _changed(answer: Answered) -> str:
    return f"Done, with your approval. `{answer.tool}` said:\n\n{_quoted(answer.text)}"


def _quoted(text: str) -> str:
    # A fence longer than any in the text, so that nothing a tool returns can end it.
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}\n[…]"
    fence = "```"
    while fence in shown:
        fence += "`"
    return f"{fence}text\n{shown}\n{fence}"


_READERS = {
    "list_files": _listing,
    "read_file": _file,
    "write_file": _changed,
    "move_file": _changed,
    "delete_file": _changed,
}
