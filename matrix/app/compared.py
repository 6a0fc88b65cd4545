"""Two sides of a comparison set side by side, as pages, API and `matrix compare --json` show it."""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class PromptView:
    """One prompt's value on both sides, None where it was not measured; `change` is a share."""

    prompt: str
    before: float | None
    after: float | None
    change: float | None


@dataclass(frozen=True, slots=True)
class MetricView:
    """One metric of a pair of cells; the figures are those of `matrix.stats.versus.Versus`.

    `word` is one of the seven words for a change, empty where there is none. `q` is p controlled over all rows of the
    metric (Benjamini and Hochberg). `clear`: the change is beyond its noise (q) and large enough to matter.
    """

    metric: str
    before: float | None
    after: float | None
    change: float | None
    low: float | None
    high: float | None
    noise: float | None
    multiple: float | None
    p: float | None
    q: float | None
    pairs: int
    why: str
    state_before: str
    state_after: str
    word: str
    clear: bool
    prompts: list[PromptView] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SideView:
    """One side's cell: its names by field, its series, its newest run and how that ended."""

    names: dict[str, str]
    series_key: str
    run_id: str
    outcome: str


@dataclass(frozen=True, slots=True)
class CellView:
    """A pair of cells; None for the side that has none. `names` are those that both share.

    `differences` and `packages` say what else differs between the two runs, as recorded.
    """

    names: dict[str, str]
    before: SideView | None
    after: SideView | None
    word: str
    metrics: list[MetricView]
    differences: list[str] = field(default_factory=list)
    packages: list[str] = field(default_factory=list)

    @property
    def multiple(self) -> float:
        """The largest multiple of its noise that any metric moved; 0 where none was worked out."""
        return max((m.multiple for m in self.metrics if m.multiple is not None), default=0.0)

    @property
    def words(self) -> list[str]:
        """The words of its changes, each once."""
        return list(dict.fromkeys(w for w in (self.word, *(m.word for m in self.metrics)) if w))

    @property
    def told(self) -> bool:
        """True where something changed: a word, or a clear difference."""
        return bool(self.words) or any(m.clear for m in self.metrics)


@dataclass(frozen=True, slots=True)
class Shared:
    """Something that differs, and in how many pairs of cells."""

    text: str
    cells: int


@dataclass(frozen=True, slots=True)
class Compared:
    """`a` and `b` as they were asked for, `varying` the fields in which cells may differ; cells with the largest
    multiple of noise come first.
    """

    a: str
    b: str
    where: str
    varying: list[str]
    cells: list[CellView]
    differences: list[Shared] = field(default_factory=list)
    packages: list[Shared] = field(default_factory=list)

    @property
    def common(self) -> dict[str, str]:
        """The names that all cells share, without empty ones."""
        first = self.cells[0].names if self.cells else {}
        return {name: first[name] for name in first if first[name] and not self._differs(name)}

    def namer(self) -> Callable[[CellView], str]:
        """Tells a cell from the others: by its target, its spec config, and each name that differs among cells."""
        names = self.cells[0].names if self.cells else {}
        told = [name for name in names if name in ("target", "spec") or self._differs(name)]
        return lambda cell: " / ".join(cell.names[name] for name in told if cell.names[name]) or "the one cell"

    @property
    def pairs(self) -> int:
        """How many cells both sides have."""
        return sum(cell.before is not None and cell.after is not None for cell in self.cells)

    def _differs(self, name: str) -> bool:
        return len({cell.names[name] for cell in self.cells}) > 1
