"""The points of one bisection: what each is, how it hangs together, what it costs and how likely it is the culprit."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from matrix.bisect.history import GOOD_END, History
from matrix.bisect.packages import Move, moved
from matrix.core.revision import Revision, RevisionKind


@dataclass(frozen=True, slots=True)
class Point:
    """One revision that can be tried. `tree` names the content of the engine's Python, where it is known.

    `moves` are the packages that are of another version than at the point before, where packages are searched.
    """

    name: str
    version: str
    kind: RevisionKind = RevisionKind.RELEASE
    commit: str = ""
    subject: str = ""
    date: str = ""
    files: tuple[str, ...] = ()
    tree: str = ""
    moves: tuple[Move, ...] = ()

    def revision(self, engine: str) -> Revision:
        return Revision(engine, self.version, self.kind, self.commit)


@dataclass(frozen=True, slots=True)
class Line:
    """`points` as in a History, the good end apart; `weights` are prior weights, `notes` what to say at the start.

    `lock` is what the good end's environment holds, where packages are searched: version by name.
    """

    good: Point
    points: tuple[Point, ...]
    parents: tuple[tuple[int, ...], ...]
    weights: tuple[float, ...]
    notes: tuple[str, ...] = ()
    lock: Mapping[str, str] = field(default_factory=dict)

    @property
    def history(self) -> History:
        return History(tuple(p.name for p in self.points), self.parents, self.good.name)

    def point(self, index: int) -> Point:
        return self.good if index == GOOD_END else self.points[index]

    def index(self, name: str) -> int:
        """The index of the point called `name`; KeyError for another."""
        return {p.name: i for i, p in enumerate(self.points)}[name] if name != self.good.name else GOOD_END

    def pins(self, index: int) -> tuple[str, ...]:
        """All packages of a point's environment, as lines of a lock; none where the installer is to choose."""
        made = [move for point in self.points[: index + 1] for move in point.moves]
        return lock_lines(moved(self.lock, made))

    def to_json(self) -> dict[str, Any]:
        """For a row; files are left out, they only gave the weights."""
        return {
            "good": _plain(self.good),
            "points": [_plain(p) for p in self.points],
            "parents": [list(p) for p in self.parents],
            "weights": list(self.weights),
            "notes": list(self.notes),
        } | ({"lock": dict(self.lock)} if self.lock else {})

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "Line":
        return cls(
            _point(body["good"]),
            tuple(_point(p) for p in body["points"]),
            tuple(tuple(p) for p in body["parents"]),
            tuple(body["weights"]),
            tuple(body["notes"]),
            body.get("lock", {}),
        )


def in_a_row(good: Point, points: Sequence[Point], notes: Sequence[str] = ()) -> Line:
    """Releases or nightlies: each follows the one before, all alike."""
    parents = tuple((i - 1,) if i else () for i in range(len(points)))
    return Line(good, tuple(points), parents, (1.0,) * len(points), tuple(notes))


def lock_lines(lock: Mapping[str, str]) -> tuple[str, ...]:
    """`name==version` lines by name; a package from an address as `name @ ADDRESS`."""
    return tuple(f"{name} {v}" if v.startswith("@") else f"{name}=={v}" for name, v in sorted(lock.items()))


def _plain(point: Point) -> dict[str, Any]:
    body = asdict(replace(point, files=(), moves=())) | {"kind": point.kind.value}
    del body["moves"]
    return body | ({"moves": [list(m) for m in point.moves]} if point.moves else {})


def _point(body: Mapping[str, Any]) -> Point:
    made = tuple(Move(*move) for move in body.get("moves", ()))
    return Point(**{**body, "kind": RevisionKind(body["kind"]), "files": tuple(body["files"]), "moves": made})
