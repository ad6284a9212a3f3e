"""`kill -9` at each named point of a turn, then a restart: nothing acknowledged is lost, nothing runs twice.

One server dies again and again on the same data. The restart that recovers from one death is armed for the next, and
everything that was found after a recovery must still be so after the later ones.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.answers import Answer, calls, says, use
from tests.support.cast import Cast
from tests.support.crashing import Scene
from tests.support.server import database, wait_until
from tests.support.sockets import Socket
from tests.support.sse import decide, stream
from tests.support.upstream import Upstream

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


class Gate(Case):
    """A held call, and the death at a point on the way of its answer.

    `state` is what is found: "pending", "void" (approved, not begun, not run) or "unknown" (begun). `ran`: the effect
    was there when the process died.
    """

    def __init__(self, point: str, *, state: str, ran: bool = False) -> None:
        self.point, self.state, self.ran = point, state, ran

    def play(self, scene: Scene) -> None:
        self.file = f"{self.point}.txt"
        answer = calls(use("write_file", path=self.file, content="z"), before="May I? ")
        self.begin(scene, "gate", answer, says("Done."))
        if self.point == "message.committed":
            scene.dies(lambda: self.send(scene))
            return
        events = self.send(scene)
        pending = next(event for event in events if event["type"] == "pending")

        def approve() -> None:
            with decide(scene.client, pending, approve=True) as decided:
                decided.rest()

        scene.dies(approve)

    def look(self, scene: Scene) -> None:
        seen = scene.look(self.conversation, self.turn)
        assert seen.words == "May I? "
        self.pending = next(event for event in seen.events if event["type"] == "pending")
        assert (self.pending["callId"] in scene.pending()) is (self.state == "pending")
        last = seen.events[-3:]
        if self.state == "void":
            assert [event["type"] for event in last] == ["tool_result", "error", "done"]
            assert last[0]["error"].startswith("not run")
        if self.state == "unknown":
            assert [event["type"] for event in last] == ["tool_result", "error", "done"]
            assert not last[0]["ok"]
            assert "unknown" in last[0]["error"].lower()
        found = scene.take_file(self.file)
        assert found == ("z" if self.ran else None)

    def finish(self, scene: Scene) -> None:
        with decide(scene.client, self.pending, approve=True) as decided:
            if self.state == "pending":
                assert decided.rest()[-1]["stopReason"] == "end_turn"
            else:
                assert decided.status == 409
        scene.look(self.conversation, self.turn)
        assert scene.take_file(self.file) == ("z" if self.state == "pending" else None)


class Parallel(Case):
    """Two calls run at once, the result of one is stored or was about to be."""

    def __init__(self, point: str, *, stored: int) -> None:
        self.point, self.stored = point, stored

    def play(self, scene: Scene) -> None:
        both = calls(use("list_files"), use("current_time"))
        self.begin(scene, "parallel", both, says("Never."))
        scene.dies(lambda: self.send(scene))

    def look(self, scene: Scene) -> None:
        seen = scene.look(self.conversation, self.turn)
        results = [event["ok"] for event in seen.events if event["type"] == "tool_result"]
        assert len(results) == 2
        assert sum(results) == self.stored


class Stopping(Case):
    """Stop came in while text was streamed."""

    def __init__(self, point: str, *, reason: str) -> None:
        self.point, self.reason = point, reason

    def play(self, scene: Scene) -> None:
        scene.upstream.hold()
        self.begin(scene, "stopping", says("Some words and more", chunk=11, hold_after=1))
        with stream(scene.client, **self.body) as sent:
            last = sent.until("text_delta")["seq"]
            wait_until(lambda: scene.kept(self.turn) >= last, within=30, what="the text is kept")
            scene.dies(lambda: scene.client.post(f"/api/chat/turns/{self.turn}/stop"))
        scene.upstream.release()

    def look(self, scene: Scene) -> None:
        seen = scene.look(self.conversation, self.turn)
        assert (seen.words, seen.done["stopReason"]) == ("Some words ", self.reason)


class Settling(Case):
    """The last message is kept; the settle is before, in or after its transaction."""

    def __init__(self, point: str, *, reason: str = INTERRUPTED) -> None:
        self.point, self.reason = point, reason

    def play(self, scene: Scene) -> None:
        self.begin(scene, "settling", says("A whole answer."))
        scene.dies(lambda: self.send(scene))

    def look(self, scene: Scene) -> None:
        seen = scene.look(self.conversation, self.turn)
        assert (seen.said, seen.words) == ([self.words], "A whole answer.")
        assert seen.done["stopReason"] == self.reason
        assert seen.conversation["messageCount"] == 2


class Deleting(Case):
    """A held conversation is being deleted."""

    def __init__(self, point: str, *, gone: bool) -> None:
        self.point, self.gone = point, gone

    def play(self, scene: Scene) -> None:
        self.begin(scene, "deleting", calls(use("delete_file", path="nothing")))
        events = self.send(scene)
        self.pending = next(event for event in events if event["type"] == "pending")
        address = f"/api/conversations/{self.conversation}"
        scene.dies(lambda: scene.client.request("DELETE", address))

    def look(self, scene: Scene) -> None:
        status = scene.client.get(f"/api/conversations/{self.conversation}").status
        assert status == (410 if self.gone else 200)
        assert (self.pending["callId"] in scene.pending()) is not self.gone

    def finish(self, scene: Scene) -> None:
        with decide(scene.client, self.pending, approve=False) as decided:
            assert decided.status == (410 if self.gone else 200)
            if not self.gone:
                decided.rest()


class Editing(Case):
    """An earlier message is said anew, and the settle that would replace what followed dies."""

    point = "settle.written"

    def __init__(self, before: Case) -> None:
        self.before = before

    def play(self, scene: Scene) -> None:
        first = self.before.conversation
        version = scene.client.get(f"/api/conversations/{first}").json["version"]
        self.begin(scene, "edited", says("Anew."))
        self.conversation = first
        fields = {"truncateAt": 0, "version": version}
        scene.forget(self.before.turn)
        scene.dies(lambda: self.send(scene, **fields))

    def look(self, scene: Scene) -> None:
        seen = scene.look(self.conversation, self.turn)
        assert (seen.said, seen.words) == ([self.words], "Anew.")


class Draining(Case):
    """SIGTERM has come, and the process dies of something else before it has ended by itself."""

    def __init__(self, point: str) -> None:
        self.point = point

    def play(self, scene: Scene) -> None:
        scene.upstream.hold()
        self.begin(scene, "draining", says("Some words and more", chunk=11, hold_after=1))
        with stream(scene.client, **self.body) as sent:
            last = sent.until("text_delta")["seq"]
            wait_until(lambda: scene.kept(self.turn) >= last, within=30, what="the text is kept")
            scene.dies(scene.terminate)
        scene.upstream.release()

    def look(self, scene: Scene) -> None:
        seen = scene.look(self.conversation, self.turn)
        assert (seen.words, seen.done["stopReason"]) == ("Some words ", INTERRUPTED)


def some() -> Sequence[Case]:
    """The deaths of every run: one of each kind. What settles again at a start may not be armed with `settle.written`."""
    unanswered = Unanswered()
    return [
        Outside(),
        unanswered,
        Recovering("recover.begun", unanswered),
        Gate("message.committed", state="pending"),
        Gate("decide.committed", state="void"),
        Gate("call.claimed", state="unknown"),
        Gate("call.done", state="unknown", ran=True),
        Stopping("stop.committed", reason="stopped"),
        Deleting("delete.written", gone=False),
        Settling("settle.written"),
    ]


def others() -> Sequence[Case]:
    """All other points."""
    unanswered, settled = Unanswered(), Settling("settle.committed", reason="end_turn")
    return [
        Unsent("send.received"),
        Unsent("send.written"),
        unanswered,
        Recovering("recover.committed", unanswered),
        Unwritten(),
        Gate("decide.received", state="pending"),
        Gate("decide.written", state="pending"),
        Gate("call.written", state="unknown", ran=True),
        Parallel("call.recorded", stored=1),
        Parallel("call.written", stored=0),
        Stopping("stop.received", reason=INTERRUPTED),
        Settling("message.committed"),
        Settling("settle.begun"),
        settled,
        Editing(settled),
        Deleting("delete.committed", gone=True),
        Draining("drain.begun"),
        Draining("drain.settled"),
    ]


@pytest.fixture
def scene(env: dict[str, str], cast: Cast, upstream: Upstream) -> Iterator[Scene]:
    with Scene(env=env, cast=cast, upstream=upstream) as made:
        yield made


def run(scene: Scene, cases: Sequence[Case], subtests: Any) -> None:
    """Die of each case in turn, look at it after the restart that is armed for the next, and finish all at the end."""
    before: Case | None = None
    for case in [*cases, None]:
        scene.restart(armed=case.point if case else "", survives=not (case and case.at_start))
        if before is not None and not (case and case.at_start):
            with subtests.test(point=before.point or "from outside", step="look"):
                before.look(scene)
        if case is not None:
            case.play(scene)
            before = case
    for case in cases:
        with subtests.test(point=case.point or "from outside", step="finish"):
            case.finish(scene)
    scene.restart(armed="")


@pytest.mark.timeout(600)
class TestKill:
    def test_at_one_point_of_each_kind_loses_and_repeats_nothing(
        self, scene: Scene, subtests: pytest.Subtests
    ) -> None:
        run(scene, some(), subtests)

    @pytest.mark.long
    def test_at_every_other_point_loses_and_repeats_nothing(
        self, scene: Scene, subtests: pytest.Subtests
    ) -> None:
        run(scene, others(), subtests)

    @pytest.mark.postgres
    @pytest.mark.long
    @pytest.mark.parametrize("cases", [some, others])
    def test_does_so_on_postgres_once_the_lease_is_over(
        self,
        env: dict[str, str],
        cast: Cast,
        upstream: Upstream,
        subtests: pytest.Subtests,
        cases: Callable[[], Sequence[Case]],
    ) -> None:
        with database() as url:
            own = {**env, "DATABASE_URL": url, "KENNY_LEASE_SECONDS": "3"}
            with Scene(env=own, cast=cast, upstream=upstream) as scene:
                run(scene, cases(), subtests)


class TestFirstStart:
    def test_killed_halfway_begins_anew(self, tmp_path: Path, env: dict[str, str]) -> None:
        with Scene(env=env, data=tmp_path) as scene:
            scene.server.spawn()
            made = tmp_path / "kenny.sqlite3"
            wait_until(made.exists, within=60, what="the database file is there")
            scene.server.kill()
            scene.server.start()

            assert scene.server.stranger().get("/readyz").status == 200
