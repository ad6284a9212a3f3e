"""Deaths at the gate, at a stop, in a settle, a delete, an edit and a drain."""

from tests.e2e.deaths import INTERRUPTED, Case
from tests.support.answers import calls, says, use
from tests.support.crashing import Scene
from tests.support.server import wait_until
from tests.support.sse import decide, stream


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


class Cutting(Case):
    """An earlier message is to be said anew, and the process dies before the model said a word of the new answer."""

    point = "send.committed"

    def __init__(self, before: Case) -> None:
        self.before = before

    def play(self, scene: Scene) -> None:
        first = self.before.conversation
        version = scene.client.get(f"/api/conversations/{first}").json["version"]
        self.begin(scene, "cut", says("Never."))
        self.conversation = first
        scene.forget(self.before.turn)
        scene.dies(lambda: self.send(scene, truncateAt=0, version=version))

    def look(self, scene: Scene) -> None:
        seen = scene.look(self.conversation, self.turn)
        assert (seen.said, seen.words) == ([self.before.words], "A whole answer.")
        assert seen.done["stopReason"] == INTERRUPTED

    def finish(self, scene: Scene) -> None:
        """The next edit finds the list as it was: see `Editing`, for which this is the one before."""


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
