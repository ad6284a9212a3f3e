"""Deaths of a turn on its way to the model, and from outside; the rest is in `deaths_later`."""

from typing import Any

from tests.support.answers import Answer, calls, says, use
from tests.support.crashing import Scene
from tests.support.server import wait_until
from tests.support.sockets import Socket
from tests.support.sse import decide, stream

INTERRUPTED = "interrupted"


class Case:
    """One death: what is going on when the process dies at `point`, what is found after, what still works at the end.

    `look` only reads, as the server is armed for the next death by then. `at_start`: the process dies while it recovers.
    """

    point = ""
    at_start = False
    conversation = turn = words = ""

    def play(self, scene: Scene) -> None:
        """Bring the process to its point; it is dead when this returns."""

    def look(self, scene: Scene) -> None:
        """Read what a client finds."""

    def finish(self, scene: Scene) -> None:
        """Go on with what is there, on a server that does not die."""

    def begin(self, scene: Scene, words: str, *answers: Answer) -> None:
        self.words = scene.cast.teach(words, *answers)
        self.conversation, self.turn = scene.names()

    @property
    def body(self) -> dict[str, str]:
        return {"message": self.words, "conversationId": self.conversation, "turnId": self.turn}

    def send(self, scene: Scene, **fields: Any) -> list[dict[str, Any]]:
        with stream(scene.client, **self.body, **fields) as sent:
            assert sent.status == 200, sent.body
            return sent.rest()


class Unsent(Case):
    """Before the commit that would acknowledge the message."""

    def __init__(self, point: str) -> None:
        self.point = point

    def play(self, scene: Scene) -> None:
        self.begin(scene, "unsent", says("Now it is."))
        scene.dies(lambda: self.send(scene))

    def look(self, scene: Scene) -> None:
        assert scene.client.get(f"/api/conversations/{self.conversation}").status == 404

    def finish(self, scene: Scene) -> None:
        self.send(scene)
        seen = scene.look(self.conversation, self.turn)
        assert (seen.said, seen.words) == ([self.words], "Now it is.")


class Unanswered(Case):
    """The message is stored, nobody has taken the turn up."""

    point = "send.committed"

    def play(self, scene: Scene) -> None:
        self.begin(scene, "unanswered", says("Never."))
        scene.dies(lambda: self.send(scene))

    def look(self, scene: Scene) -> None:
        seen = scene.look(self.conversation, self.turn)
        assert seen.said == [self.words]
        assert seen.done["stopReason"] == INTERRUPTED

    def finish(self, scene: Scene) -> None:
        events = self.send(scene)
        assert events[-1]["stopReason"] == INTERRUPTED, "the same id never runs twice"


class Recovering(Unanswered):
    """Another death while the first is being recovered from; the turn is the one that `Unanswered` left."""

    at_start = True

    def __init__(self, point: str, before: Case) -> None:
        self.point, self.before = point, before

    def play(self, scene: Scene) -> None:
        self.words, self.conversation, self.turn = (
            self.before.words,
            self.before.conversation,
            self.before.turn,
        )


class Outside(Case):
    """Killed from outside while five turns are at five stages, one of them held."""

    def play(self, scene: Scene) -> None:
        scene.upstream.hold()
        self.turns: dict[str, tuple[str, str]] = {}
        with Socket(scene.client) as socket:
            before = len(scene.upstream.bodies)
            self.open(scene, socket, "asked", says("Never shown", hold_after=0))
            self.open(scene, socket, "text", says("Shown and kept, not ended", hold_after=2))
            self.open(
                scene, socket, "json",
                calls(use("write_file", path="j", content="x" * 99), before="I write: ", hold_after=6),
            )  # fmt: skip
            self.open(
                scene, socket, "next", calls(use("list_files")), says("Never shown", hold_after=0)
            )
            self.open(scene, socket, "held", calls(use("write_file", path="held.txt", content="y")))
            scene.upstream.wait_for(requests=before + 6, timeout=60)
            self.wait(scene, socket)
            self.pending = next(frame for frame in socket.frames if frame["type"] == "pending")
            scene.server.kill()
        scene.upstream.release()

    def open(self, scene: Scene, socket: Socket, name: str, *answers: Answer) -> None:
        conversation, turn = scene.names()
        self.turns[name] = (conversation, turn)
        words = scene.cast.teach(name, *answers)
        ack = socket.ask("send", message=words, conversationId=conversation, turnId=turn)
        assert ack["type"] == "ack", ack

    def wait(self, scene: Scene, socket: Socket) -> None:
        """Wait until everything that can be shown was shown, and the text is kept too."""

        def shown(name: str, kind: str, text: str = "") -> bool:
            events = socket.events(self.turns[name][1])
            words = "".join(event.get("text", "") for event in events if event["type"] == kind)
            return words == text if text else any(event["type"] == kind for event in events)

        def all_shown() -> bool:
            return (
                shown("text", "text_delta", "Shown and kept, ")
                and shown("json", "text_delta", "I write: ")
                and shown("next", "tool_result")
                and any(e["type"] == "done" for e in socket.events(self.turns["held"][1]))
            )

        if not all_shown():
            socket.until(lambda _: all_shown())
        for name in ("text", "json"):
            last = socket.events(self.turns[name][1])[-1]["seq"]
            wait_until(
                lambda name=name, last=last: scene.kept(self.turns[name][1]) >= last,
                within=30, what="the text is kept",
            )  # fmt: skip

    def look(self, scene: Scene) -> None:
        seen = {name: scene.look(*ids) for name, ids in self.turns.items()}
        shown = {name: found.words for name, found in seen.items()}
        assert shown == {
            "asked": "", "text": "Shown and kept, ", "json": "I write: ", "next": "", "held": "",
        }  # fmt: skip
        assert [len(found.said) for found in seen.values()] == [1] * 5
        reasons = {name: found.done["stopReason"] for name, found in seen.items()}
        assert reasons == dict.fromkeys(self.turns, INTERRUPTED) | {"held": "held"}
        assert [e["ok"] for e in seen["next"].transcript if e["type"] == "tool_result"] == [True]
        assert self.pending["callId"] in scene.pending()

    def finish(self, scene: Scene) -> None:
        with decide(scene.client, self.pending, approve=True) as decided:
            assert decided.rest()[-1]["stopReason"] == "end_turn"
        scene.look(*self.turns["held"])
        assert scene.take_file("held.txt") == "y"


class Unwritten(Case):
    """A message with a call was about to be kept: the call is not known, so nobody is asked."""

    point = "message.written"

    def play(self, scene: Scene) -> None:
        self.begin(scene, "unwritten", calls(use("write_file", path="unwritten", content="x")))
        scene.dies(lambda: self.send(scene))

    def look(self, scene: Scene) -> None:
        seen = scene.look(self.conversation, self.turn)
        assert (seen.said, seen.done["stopReason"]) == ([self.words], INTERRUPTED)
        assert "pending" not in {event["type"] for event in seen.events}
