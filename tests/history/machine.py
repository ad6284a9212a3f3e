"""Two devices, lost and late messages, a blind writer and restores, as a machine of Hypothesis and as seeded chance."""

import random
from collections.abc import Callable, Iterable
from itertools import count
from typing import Any

from django.db import transaction
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from history import feed
from history.models import Conversation, SyncState
from tests.history.devices import Device, Fault, Put, Service

IDS = ("c1", "c2")
QUIET: tuple[Fault, Fault, Fault] = (None, None, None)
FAULTS: tuple[Fault, ...] = (None, None, "request", "answer", "late")


class Machine(RuleBasedStateMachine):
    """Each device makes one of the two ids; the second one's clock is half a second behind."""

    def __init__(self) -> None:
        super().__init__()
        # Each run is undone as a whole: a fresh account in an empty database.
        self.undone = transaction.atomic()
        self.undone.__enter__()

    @initialize()
    def begin(self) -> None:
        self.service, self.numbers, self.clock = Service(), count(1), 1000
        self.devices = [Device(name, self.numbers) for name in "ab"]
        self.said: dict[str, str] = {}
        self.given_up: set[str] = set()
        self.ended: set[str] = set()
        self.backup: list[Conversation] | None = None
        self.restored = False
        self.mirror: dict[str, Any] = {}
        self.mirror_cursor: str | None = None

    @rule(device=st.sampled_from([0, 1]), cid=st.sampled_from(IDS))
    def edit(self, device: int, cid: str) -> None:
        it = self.devices[device]
        new = cid not in it.local
        if cid in it.pending or (new and (cid in self.said.values() or IDS.index(cid) != device)):
            return
        self.clock += 7
        word = f"w{next(self.numbers)}"
        it.edit(cid, word, now=self.clock - 500 * device)
        self.said[word] = cid

    @rule(device=st.sampled_from([0, 1]), cid=st.sampled_from(IDS))
    def delete(self, device: int, cid: str) -> None:
        it = self.devices[device]
        if cid in it.local:
            self.given_up |= set(it.local[cid].words)
            it.delete(cid)
            self.ended.add(cid)

    @rule(
        device=st.sampled_from([0, 1]),
        fault=st.sampled_from(FAULTS),
        stage=st.sampled_from([0, 1, 2]),
        crossing=st.booleans(),
    )
    def sync(self, device: int, fault: Fault, stage: int, *, crossing: bool) -> None:
        faults: list[Fault] = [None, None, None]
        faults[stage] = fault
        other = self.devices[1 - device]
        meanwhile = (lambda: other.sync(self.service, faults=QUIET)) if crossing else None
        self.devices[device].sync(
            self.service, faults=(faults[0], faults[1], faults[2]), meanwhile=meanwhile
        )

    @rule(device=st.sampled_from([0, 1]))
    def deliver(self, device: int) -> None:
        if self.devices[device].net:
            self.service.put(self.devices[device].net.pop(0))

    @rule(cid=st.sampled_from(IDS))
    def write_blindly(self, cid: str) -> None:
        """A simple client appends to what is stored, without a condition."""
        if cid in self.service.versions:
            word = f"w{next(self.numbers)}"
            words = (*self.service.live().get(cid, ()), word)
            if self.service.put(Put(cid, words, self.clock, None), blind=True).status == 200:
                self.said[word] = cid
                # What a restore loses of a writer that keeps no copy is lost.
                self.given_up |= {word} if self.backup is not None or self.restored else set()

    @rule()
    def follow(self) -> None:
        """A copy kept by deltas alone equals a complete list (a reload)."""
        answer = self.service.pull(self.mirror_cursor)
        if answer["full"]:
            self.mirror = {}
        for row in answer["conversations"]:
            self.mirror[row["id"]] = row
        for gone in answer["deleted"]:
            self.mirror.pop(gone["id"], None)
        self.mirror_cursor = answer["cursor"]
        fresh = self.service.pull(None)
        assert self.mirror == {row["id"]: row for row in fresh["conversations"]}

    @precondition(lambda self: self.backup is None)
    @rule()
    def back_up(self) -> None:
        self.backup = self.service.rows()
        self.backup_of = (
            self.service.accepted,
            dict(self.service.versions),
            set(self.service.dead),
        )

    @precondition(lambda self: self.backup is not None)
    @rule()
    def restore(self) -> None:
        """Put the account back to the backup, by the documented procedure."""
        Conversation.objects.owned_by(self.service.owner_id).delete()
        Conversation.objects.bulk_create(self.backup or [])
        accepted, versions, dead = self.backup_of
        self.service.accepted, self.service.versions, self.service.dead = (
            accepted,
            dict(versions),
            set(dead),
        )
        SyncState.objects.filter(pk=self.service.owner_id).update(last_seq=accepted)
        feed.rotate_epochs()
        self.backup, self.restored = None, True

    @invariant()
    def holds(self) -> None:
        if hasattr(self, "service"):
            self.service.check()
            for device in self.devices:
                assert not device.pending & device.local.keys(), "a deleted chat is visible again"

    def teardown(self) -> None:
        try:
            if hasattr(self, "service"):
                self.settle()
        finally:
            self.undo()

    def undo(self) -> None:
        transaction.set_rollback(True)
        self.undone.__exit__(None, None, None)

    def settle(self) -> None:
        """Let everything arrive, then compare all copies."""
        for device in self.devices:
            while device.net:
                self.service.put(device.net.pop(0))
        for _ in range(4):
            for device in self.devices:
                device.sync(self.service, faults=QUIET)
        self.follow()
        live = self.service.live()
        for device in self.devices:
            assert {cid: mine.words for cid, mine in device.local.items()} == live, (
                "the copies differ"
            )
            assert not device.pending, "a delete never arrived"
        if not self.restored:
            assert not self.ended & live.keys(), "a deleted chat came back"
        kept = {word for words in live.values() for word in words}.union(
            *(device.trash for device in self.devices)
        )
        lost = {
            word
            for word, cid in self.said.items()
            if word not in kept | self.given_up and cid not in self.ended
        }
        assert not lost, "a word was lost"


def simulate(seeds: Iterable[int], *, steps: int = 18) -> None:
    """Run the machine on seeded chance: much cheaper than a search, and every run is a function of its seed."""
    for seed in seeds:
        chance, machine = random.Random(seed), Machine()
        try:
            machine.begin()
            for _ in range(steps):
                step(machine, chance)
                machine.holds()
            machine.settle()
        except AssertionError as broken:
            broken.add_note(f"seed {seed}")
            raise
        finally:
            machine.undo()


Acts = dict[str, Callable[[], Any]]


def step(machine: Machine, chance: random.Random) -> None:
    device, cid = chance.choice([0, 1]), chance.choice(IDS)
    fault, stage = chance.choice(FAULTS), chance.choice([0, 1, 2])
    acts: Acts = {
        "edit": lambda: machine.edit(device, cid),
        "delete": lambda: machine.delete(device, cid),
        "sync": lambda: machine.sync(device, fault, stage, crossing=chance.random() < 0.4),
        "deliver": lambda: machine.deliver(device),
        "write_blindly": lambda: machine.write_blindly(cid),
        "follow": machine.follow,
        "restore": lambda: machine.restore() if machine.backup is not None else machine.back_up(),
    }
    (name,) = chance.choices(list(acts), weights=[22, 10, 44, 6, 8, 6, 4])
    acts[name]()
