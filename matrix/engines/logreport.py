"""The report of one log as plain data and as text."""

from typing import Any

from matrix.engines.classify import Report


def as_dict(report: Report) -> dict[str, Any]:
    """The keys that `matrix classify --json` prints; what was not read is None."""
    return {
        "engine": report.engine,
        "outcome": str(report.outcome),
        "tier": str(report.tier),
        "reason": report.reason,
        "accept_length": report.accept_length,
        "observations": [
            {"line": o.line, "accept_length": o.accept_length, "flags": list(o.flags)} for o in report.observations
        ],
        "signature": report.signature,
        "excerpt": report.excerpt,
    }


def as_text(report: Report) -> str:
    """The same for a person; the first and last few observations."""
    length = "unknown" if report.accept_length is None else f"{report.accept_length:.3f}"
    rows = [
        f"engine         {report.engine or 'unknown'}",
        f"outcome        {report.outcome} ({report.tier})",
        f"reason         {report.reason}",
        f"accept length  {length}",
    ]
    if report.next_step:
        rows.append(f"next step      {report.next_step}")
    if report.signature:
        rows.append(f"signature      {report.signature}")
    rows += _observations(report)
    if report.excerpt:
        rows += ["", *(f"  | {line}" for line in report.excerpt.splitlines())]
    return "\n".join(rows)


def _observations(report: Report) -> list[str]:
    seen = list(report.observations)
    shown = seen if len(seen) <= 2 * _ENDS else [*seen[:_ENDS], None, *seen[-_ENDS:]]
    rows = [] if not seen else [""]
    for one in shown:
        if one is None:
            rows.append(f"  ... {len(seen) - 2 * _ENDS} more")
        else:
            value = "no value" if one.accept_length is None else f"{one.accept_length:.3f}"
            rows.append(f"  line {one.line:>7}  {value}  {' '.join(one.flags)}".rstrip())
    return rows


_ENDS = 6
