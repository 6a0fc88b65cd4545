"""Between the two versions of the package that a bisection named: which of its releases it was."""

from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

from packaging.version import InvalidVersion, Version

from matrix.app.bisect.package_line import Rule
from matrix.app.bisect.points import Line, Point, in_a_row
from matrix.app.folders import cache_dir
from matrix.bisect.packages import ABSENT, Lock, Move, moved
from matrix.core.errors import MatrixError
from matrix.sources import package_index, pip_settings


def version_line(line: Line, culprit: str, allowed: Rule) -> Line | None:
    """The releases of the culprit from the last good version on, everything else as it is at the point before.

    None where several packages moved at the culprit, where no index lists a release between, or none that the resolver
    accepts there.
    """
    index = line.index(culprit)
    step = line.points[index].moves
    if len(step) != 1 or ABSENT in step[0]:
        return None
    (move,) = step
    here = moved(line.lock, [made for point in line.points[:index] for made in point.moves])
    inside = [v for v in _between(move) if not allowed.refusal(here | {move.name: v})]
    return _line(line.points[index], move, inside, here) if inside else None


def _line(point: Point, move: Move, inside: list[str], here: Lock) -> Line:
    versions = [move.old, *inside, move.new]
    made = [Move(move.name, old, new) for old, new in pairwise(versions)]
    plain = replace(point, date="", moves=())
    good = replace(plain, name=f"{move.name}=={move.old}", subject="")
    points = [replace(plain, name=f"{m.name}=={m.new}", subject=str(m), moves=(m,)) for m in made]
    return replace(in_a_row(good, points), lock=here)


def _between(move: Move) -> list[str]:
    """Releases strictly between the two versions, from the old to the new; empty where no index lists them."""
    with suppress(InvalidVersion, MatrixError):
        old, new = Version(move.old), Version(move.new)
        listed = package_index.versions(move.name, pip_settings.read(), cache_dir=cache_dir())
        found = [v for v in listed if min(old, new) < Version(v) < max(old, new)]
        return found if old < new else found[::-1]
    return []
