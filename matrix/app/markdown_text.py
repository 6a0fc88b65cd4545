"""Text from outside inside markdown that will be pasted into an issue."""

from collections.abc import Iterable


def safe(text: str) -> str:
    """One line that cannot break out of its paragraph."""
    return " ".join(text.split()).replace("<", "&lt;").replace("*", "\\*")


def folded(title: str, lines: Iterable[str]) -> list[str]:
    """Lines of a block that opens on a click, each shown as it is; nothing for no lines."""
    listed = [f"    {' '.join(line.split())}" for line in lines]
    return ["", f"<details><summary>{title}</summary>", "", *listed, "", "</details>"] if listed else []
