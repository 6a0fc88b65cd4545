"""The table of failure signatures as Markdown, for the docs and `matrix classify --list`."""

from matrix.engines.signature import Signature
from matrix.engines.signatures import TABLE, WRAPPER_ROWS

_HEAD = "| signature | outcome | tier | reason | next step |\n|---|---|---|---|---|\n"


def markdown() -> str:
    """One row a signature, in the order in which they are tried."""
    return _HEAD + "".join(_line(row) for row in (*TABLE, *WRAPPER_ROWS))


def _line(row: Signature) -> str:
    outcome = str(row.outcome) if row.outcome else f"load-crash or serve-crash (usually {row.usual})"
    tier = str(row.outcome.tier) if row.outcome else "engine"
    cells = [f"`{row.name}`", outcome, tier, row.reason, row.next_step]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"
