"""How far a speed-up lies apart from prompt to prompt."""

from matrix.app.points import points
from matrix.stats.speeds import rates
from matrix.store import Store


def speedup_spread(store: Store, series_key: str) -> dict[str, tuple[float, float]]:
    """By run id: the least and the greatest speed-up of any prompt; runs without a speed-up are left out.

    Of a cell's attempts at one boot the newest alone is read.
    """
    found = {}
    for point in points(store, series_key):
        own, base = rates(point.tok_s), rates(point.baseline_tok_s)
        ratios = [own[prompt] / base[prompt] for prompt in own.keys() & base.keys()]
        if ratios:
            found[point.run_id] = min(ratios), max(ratios)
    return found
