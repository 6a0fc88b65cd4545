"""What an engine's source tells of a model and a method, as spans of releases."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from packaging.version import Version

from matrix.core.cell import Cell, LaunchOptions
from matrix.core.hardware import UNKNOWN
from matrix.core.model import Model
from matrix.core.revision import Revision
from matrix.core.spec import Method, SpecConfig
from matrix.core.workload import Workload
from matrix.engines import release_dates, sglang_flags, vllm_flags
from matrix.engines.families import architecture_of
from matrix.engines.quirks import Quirk
from matrix.engines.registry import span_of
from matrix.engines.sglang_aux import AUX
from matrix.engines.sglang_targets import TARGETS as SGLANG_TARGETS
from matrix.engines.vllm_targets import TARGETS as VLLM_TARGETS

_CHECKS: dict[str, Callable[[Cell], str | None]] = {
    "sglang": sglang_flags.unsupported,
    "vllm": vllm_flags.impossible,
}
_DATES = {"sglang": release_dates.SGLANG, "vllm": release_dates.VLLM}
_TARGETS = {"sglang": SGLANG_TARGETS, "vllm": VLLM_TARGETS}
ALL = ">=0"


@dataclass(frozen=True, slots=True)
class Span:
    """`versions` is a PEP 440 range (`ALL`: every release that was read); `works` is False where it cannot work.

    `silent` is True where the server serves all the same and only accepts no draft.
    """

    engine: str
    versions: str
    works: bool
    reason: str
    link: str
    method: str = ""
    silent: bool = False


@lru_cache(maxsize=512)
def known_spans(engine: str, model: str, method: Method) -> tuple[Span, ...]:
    """Releases of `engine` that cannot do `method` for a model of this name, and where its class lost it."""
    found = [_span(engine, versions, model, method, reason) for versions, reason in _excluded(engine, model, method)]
    if engine == "sglang" and method is Method.EAGLE3:
        topic = f"aux-states {architecture_of(model)}"
        found += [_of_row(row) for row in AUX if row.topic == topic]
    return tuple(found)


def _of_row(row: Quirk) -> Span:
    bounds = [f"=={row.since}"] if row.since == row.until else [f">={row.since}"]
    bounds += [f"<={row.until}"] if row.until and row.since != row.until else []
    return Span("sglang", ",".join(bounds), bool(row.what), row.reason, row.link, "eagle3", silent=not row.what)


def _span(engine: str, versions: str, model: str, method: Method, reason: str) -> Span:
    row = next((row for row in _TARGETS[engine] if row.topic == architecture_of(model)), None)
    about_target = row is not None and row.topic in reason
    link = row.link if row and about_target else ""
    return Span(engine, versions, False, reason, link, method.value)


def _excluded(engine: str, model: str, method: Method) -> Iterator[tuple[str, str]]:
    """(range, reason) of neighbouring releases that the engine's own rules refuse; the last release's reason."""
    releases = _releases(engine)
    told = [(version, _CHECKS[engine](_cell(engine, version, model, method))) for version in releases]
    for refused, group in groupby(told, key=lambda item: item[1] is not None):
        part = list(group)
        if refused:
            yield _range(part[0][0], part[-1][0], releases), str(part[-1][1]).partition("; this is ")[0]


def _range(first: str, last: str, releases: list[str]) -> str:
    since = [] if first == releases[0] else [f">={first}"]
    until = [] if last == releases[-1] else [f"<={last}"]
    return ",".join(since + until) or ALL


def _releases(engine: str) -> list[str]:
    oldest, newest = map(Version, span_of(engine))
    found = [v for v in _DATES[engine] if not Version(v).is_prerelease and oldest <= Version(v) <= newest]
    return sorted(found, key=Version)


def _cell(engine: str, version: str, model: str, method: Method) -> Cell:
    target = Model(model, "", architecture=architecture_of(model))
    spec = SpecConfig(method.value, method, Model("draft", "") if method.needs_draft else None, k=3)
    workload = Workload("none", (), 128)
    return Cell(Revision(engine, version), target, spec, LaunchOptions(), workload, UNKNOWN, "venv", "pip")
