"""A probe's result for people."""

from matrix.app.probe_url import Probed

_WIDTH = 30


def as_text(probed: Probed) -> str:
    """Lines: who, accept length with its interval, a bar a position, speed, what is odd, and the reason."""
    row = probed.row
    lines = [f"{row.engine} {row.revision} / {row.target} / {row.spec or row.method} / {row.workload}"]
    lines += [f"accept length  {_length(probed)}"]
    lines += [_bar(place, rate) for place, rate in enumerate(row.per_position or [], start=1)]
    lines += [f"speed          {'not measured' if row.output_tok_s is None else f'{row.output_tok_s:.1f} tokens/s'}"]
    lines += [f"odd            {text}" for text in probed.odd]
    lines += [f"{row.outcome}: {row.reason}"]
    lines += [f"next step: {probed.next_step}"] if probed.next_step else []
    return "\n".join(_one_line(line) for line in lines)


def bar_failed(probed: Probed, bar: float) -> str | None:
    """Why the result does not pass the bar, None when it does."""
    value = probed.row.accept_length
    if value is None:
        next_step = f" ({probed.next_step})" if probed.next_step else ""
        return f"no accept length to hold against {bar:g}: {probed.row.reason}{next_step}"
    return f"accept length {value:.3f} is below {bar:g}" if value < bar else None


def _length(probed: Probed) -> str:
    row = probed.row
    if row.accept_length is None:
        return "not measured"
    steps = f", {row.verify_steps} verify steps" if row.verify_steps is not None else ""
    if probed.low is None or probed.high is None:
        return f"{row.accept_length:.3f}  (no interval: the counters are of all prompts together{steps})"
    return f"{row.accept_length:.3f}  [{probed.low:.3f}, {probed.high:.3f}]  (95 % over prompts{steps})"


def _bar(place: int, rate: float) -> str:
    filled = round(_WIDTH * min(max(rate, 0.0), 1.0))
    return f"position {place:<5} {'█' * filled}{'·' * (_WIDTH - filled)} {100 * rate:.0f} %"


def _one_line(line: str) -> str:
    """Without what would steer a terminal; our own columns stay."""
    return "".join(c if c.isprintable() else " " for c in line)
