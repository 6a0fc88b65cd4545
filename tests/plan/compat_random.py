"""Random evidence and questions, as plain rows for the oracle and as claims for the rule."""

from random import Random
from typing import Any

from matrix.core.answer import Claim, Evidence, Question
from matrix.core.state import State

Row = dict[str, Any]
_ENGINES, _DRAFTS, _METHODS, _GPUS = ("sglang", "vllm"), ("head-a", "head-b"), ("eagle3", "eagle"), ("H100", "H200")
_STATES = (
    "healthy",
    "healthy",
    "degraded",
    "collapsed",
    "broken",
    "slower",
    "wrong-output",
    "suspicious-high",
    "unknown",
)


def rows(random: Random, known: bool = True) -> list[Row]:
    """Up to a dozen claims about one model; versions from 1 to 9, 1 to 99 for every release."""
    kinds = ("measured", "measured", "reported", "known") if known else ("measured", "reported")
    return [_row(random, random.choice(kinds), number) for number in range(random.randint(0, 12))]


def question(random: Random) -> Row:
    """A question that leaves each part open as often as not."""
    return {
        "draft": random.choice((None, *_DRAFTS)),
        "engine": random.choice((None, None, *_ENGINES)),
        "method": random.choice((None, None, *_METHODS)),
        "gpu": random.choice((None, None, *_GPUS)),
        "k": random.choice((None, None, None, 3, 8)),
    }


def claim(row: Row) -> Claim:
    return Claim(
        evidence=Evidence(row["kind"]),
        engine=row["engine"],
        target="model",
        state=State(row["state"]),
        versions=versions(row),
        draft=row["draft"],
        method=row["method"],
        hardware=row["gpu"],
        k=row["k"],
        speedup=row["speedup"],
        at=row["at"],
        ref=row["ref"],
        series=row["series"],
    )


def versions(row: Row) -> str:
    """The row's version or range as PEP 440 spells it; empty for an unknown one."""
    low, high = row["low"], row["high"]
    if not low:
        return ""
    if (low, high) == (1, 99):
        return ">=0"
    single = f"1.{low}"
    return (single if row["kind"] != "known" else f"=={single}") if low == high else f">=1.{low},<=1.{high}"


def asked(row: Row) -> Question:
    return Question("model", row["draft"], row["engine"], row["method"], row["gpu"], row["k"])


def _row(random: Random, kind: str, number: int) -> Row:
    low = random.randint(1, 9)
    span = {"measured": (low, low), "known": (low, random.randint(low, 9))}.get(kind)
    span = span or random.choice(((low, low), (low, low), (low, low + 2), (0, 0)))
    open_ = kind != "measured"
    return {
        "kind": kind,
        "engine": random.choice(_ENGINES),
        "low": 1 if kind == "known" and number % 3 == 0 else span[0],
        "high": 99 if kind == "known" and number % 3 == 0 else span[1],
        "state": random.choice(("healthy", "broken", "collapsed") if kind == "known" else _STATES),
        "draft": random.choice((None, *_DRAFTS) if open_ else _DRAFTS),
        "method": random.choice((None, *_METHODS) if open_ else _METHODS),
        "gpu": random.choice((None, *_GPUS) if open_ else _GPUS),
        "k": random.choice((None, 3, 8) if open_ else (3, 8)),
        "speedup": random.choice((None, 0.9, 1.4, 2.0)),
        "at": float(random.randint(1, 5)),
        "ref": f"r{number:02}",
        "series": f"s{random.randint(1, 4)}" if kind == "measured" else "",
    }
