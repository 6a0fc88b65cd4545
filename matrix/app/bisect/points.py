"""The points of one bisection: what each is, how it hangs together, what it costs and how likely it is the culprit."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from matrix.bisect.history import GOOD_END, History
from matrix.core.revision import Revision, RevisionKind


@dataclass(frozen=True, slots=True)
class Point:
    """One revision that can be tried. `tree` names the content of the engine's Python, where it is known."""

    name: str
    version: str
    kind: RevisionKind = RevisionKind.RELEASE
    commit: str = ""
    subject: str = ""
    date: str = ""
    files: tuple[str, ...] = ()
    tree: str = ""

    def revision(self, engine: str) -> Revision:
        return Revision(engine, self.version, self.kind, self.commit)


@dataclass(frozen=True, slots=True)
class Line:
    """`points` as in a History, the good end apart; `weights` are prior weights, `notes` what to say at the start."""

    good: Point
    points: tuple[Point, ...]
    parents: tuple[tuple[int, ...], ...]
    weights: tuple[float, ...]
    notes: tuple[str, ...] = ()

    @property
    def history(self) -> History:
        return History(tuple(p.name for p in self.points), self.parents, self.good.name)

    def point(self, index: int) -> Point:
        return self.good if index == GOOD_END else self.points[index]

    def index(self, name: str) -> int:
        """The index of the point called `name`; KeyError for another."""
        return {p.name: i for i, p in enumerate(self.points)}[name] if name != self.good.name else GOOD_END

    def to_json(self) -> dict[str, Any]:
        """For a row; files are left out, they only gave the weights."""
        return {
            "good": _plain(self.good),
            "points": [_plain(p) for p in self.points],
            "parents": [list(p) for p in self.parents],
            "weights": list(self.weights),
            "notes": list(self.notes),
        }

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "Line":
        return cls(
            _point(body["good"]),
            tuple(_point(p) for p in body["points"]),
            tuple(tuple(p) for p in body["parents"]),
            tuple(body["weights"]),
            tuple(body["notes"]),
        )


def in_a_row(good: Point, points: Sequence[Point], notes: Sequence[str] = ()) -> Line:
    """Releases or nightlies: each follows the one before, all alike."""
    parents = tuple((i - 1,) if i else () for i in range(len(points)))
    return Line(good, tuple(points), parents, (1.0,) * len(points), tuple(notes))


def _plain(point: Point) -> dict[str, Any]:
    return asdict(replace(point, files=())) | {"kind": point.kind.value}


def _point(body: Mapping[str, Any]) -> Point:
    return Point(**{**body, "kind": RevisionKind(body["kind"]), "files": tuple(body["files"])})
