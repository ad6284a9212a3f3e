"""`make bench`: every figure is measured in this run and printed beside the bare consumer's.

python -m tests.load.bench [streams …]     (default: 1 50 100 200)
"""

import sys
from statistics import median

from tests.load import page, records
from tests.load.streams import Figures, bare, kenny, measure, source

SECONDS = 6
USERS = 8
KINDS = ("bare", "raw", "rendered")
ROUNDS = 2
LATE = 250.0
STEPS = (50, 100, 150, 200, 250, 300, 350, 400)


def rounds(counts: list[int], *, repeat: int = ROUNDS) -> list[Figures]:
    """Measure every kind at every count, kinds taking turns so that a busy moment of the machine hits all of them."""
    found = []
    with (
        source() as upstream,
        bare(upstream) as (bare_pid, bare_port),
        kenny(upstream, users=USERS) as served,
    ):
        pid, port, tokens = served
        at = {
            "bare": (bare_pid, bare_port, []),
            "raw": (pid, port, tokens),
            "rendered": (pid, port, tokens),
        }
        for kind in KINDS:  # warms up imports, connections and caches
            measure(
                pid=at[kind][0],
                port=at[kind][1],
                kind=kind,
                streams=2,
                seconds=2,
                tokens=at[kind][2],
            )
        for streams in counts:
            for _ in range(repeat):
                for kind in KINDS:
                    where = at[kind]
                    found.append(
                        measure(
                            pid=where[0],
                            port=where[1],
                            kind=kind,
                            streams=streams,
                            seconds=SECONDS,
                            tokens=where[2],
                        )
                    )
    return found


def middle(found: list[Figures], *, kind: str, streams: int) -> dict[str, float]:
    runs = [figures for figures in found if figures.kind == kind and figures.streams == streams]
    names = ("cpu", "p50", "p99", "first", "memory", "ended")
    return {name: median(getattr(figures, name) for figures in runs) for name in names}


def report(found: list[Figures], counts: list[int]) -> None:
    print(
        "streams kind      CPU s/10k deltas  x bare  p50 ms  +bare  p99 ms  +bare  first ms  +bare  RSS MiB  ended"
    )
    for streams in counts:
        base = middle(found, kind="bare", streams=streams)
        for kind in KINDS:
            got = middle(found, kind=kind, streams=streams)
            print(
                f"{streams:7} {kind:9} {got['cpu']:16.2f} {got['cpu'] / (base['cpu'] or 1):7.2f}"
                f" {got['p50']:7.1f} {got['p50'] - base['p50']:6.1f} {got['p99']:7.1f} {got['p99'] - base['p99']:6.1f}"
                f" {got['first']:9.1f} {got['first'] - base['first']:6.1f} {got['memory']:8.0f} {got['ended']:6.0f}"
            )


def most(kind: str, *, pid: int, port: int, tokens: list[str]) -> int:
    """Return the most streams, in steps, whose deltas still come within LATE ms at the 99th percentile."""
    held = 0
    for streams in STEPS:
        got = measure(
            pid=pid, port=port, kind=kind, streams=streams, seconds=SECONDS, tokens=tokens
        )
        if got.p99 > LATE or got.ended < streams:
            break
        held = streams
    return held


def held() -> None:
    """Print how many streams the bare consumer and kenny hold."""
    with (
        source() as upstream,
        bare(upstream) as (bare_pid, bare_port),
        kenny(upstream, users=USERS) as served,
    ):
        pid, port, tokens = served
        alone = most("bare", pid=bare_pid, port=bare_port, tokens=[])
        for kind in ("raw", "rendered"):
            ours = most(kind, pid=pid, port=port, tokens=tokens)
            print(
                f"streams held with p99 under {LATE:.0f} ms: bare {alone}, {kind} {ours} ({ours / max(1, alone):.2f} x)"
            )


def main() -> None:
    """`streams`, `held`, `history` and `page` name a part; numbers are the counts of streams to measure."""
    parts = [text for text in sys.argv[1:] if not text.isdigit()] or [
        "streams",
        "held",
        "history",
        "page",
    ]
    counts = [int(text) for text in sys.argv[1:] if text.isdigit()] or [1, 50, 100, 200]
    if "streams" in parts:
        report(rounds(counts), counts)
    if "held" in parts:
        held()
    if "history" in parts:
        records.report()
    if "page" in parts:
        page.report()


if __name__ == "__main__":
    main()
