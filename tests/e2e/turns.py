"""A turn that meets everything, and what tests of it ask."""

from tests.support.answers import Answer, calls, says, text, thought, use
from tests.support.cast import Cast
from tests.support.sockets import Frame, Socket


def two_rounds(cast: Cast, *, path: str) -> str:
    """Two rounds of tools: one that runs at once, then two that are held."""
    return cast.teach(
        f"tidy up {path}",
        Answer(blocks=[thought("Look first."), text("I look. "), use("list_files")]),
        calls(
            use("write_file", path=f"{path}/yes.txt", content="yes"),
            use("write_file", path=f"{path}/no.txt", content="no"),
            before="Now two files. ",
        ),
        says("One of them is there."),
    )


def confirm(socket: Socket, pending: Frame, *, approve: bool) -> Frame:
    return socket.ask(
        "confirm",
        conversationId=pending["conversationId"],
        callId=pending["callId"],
        digest=pending["digest"],
        approve=approve,
    )


def numbers(events: list[Frame]) -> list[int]:
    return [event["seq"] for event in events]
