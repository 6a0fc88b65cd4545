"""What became of a launch line, for people and for programs."""

from typing import Any

from matrix.engines.fromcommand import Conversion
from matrix.engines.launchdraft import Item


def as_text(made: Conversion) -> str:
    """A line for each flag, and under it the releases that do otherwise."""
    lines: list[str] = []
    for item in made.items:
        lines.append(" ".join(f"{item.name} {_short(item.value)}".split()) + f" -> {item.became}")
        lines += [f"    {row.effect} in {row.releases}: {row.why}" for row in item.effects]
    return "\n".join(lines)


def as_dict(made: Conversion) -> dict[str, Any]:
    """`engine`, `versions` and `flags`; `at` names the effect in each exact version (`taken` where none is known)."""
    return {
        "engine": made.engine,
        "versions": list(made.versions),
        "flags": [_item(item, [v for v in made.versions if v[:1].isdigit()]) for item in made.items],
    }


def _item(item: Item, versions: list[str]) -> dict[str, Any]:
    effects = [{"releases": row.releases, "effect": row.effect, "why": row.why} for row in item.effects]
    at = {version: item.at(version) for version in versions}
    return {"flag": item.name, "value": item.value, "became": item.became, "effects": effects, "at": at}


def _short(value: str) -> str:
    return value if len(value) <= 60 else value[:57] + "..."
