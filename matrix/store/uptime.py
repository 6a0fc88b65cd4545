"""What is known of the accept length over a server's life, as JSON of the table `runs`, and as a view."""

from dataclasses import asdict
from typing import Any

from matrix.core.counters import Counters, accept_length
from matrix.core.result import Uptime
from matrix.store.samplerow import counters_to_row
from matrix.store.views import UptimeView

Json = dict[str, Any]


def uptime_to_json(uptime: Uptime | None) -> Json | None:
    """JSON data of the numbers, None for a run that was not followed over time."""
    if uptime is None:
        return None
    return asdict(uptime) | {"first": counters_to_row(uptime.first), "last": counters_to_row(uptime.last)}


def uptime_view(body: Json | None, *, draftless: bool) -> UptimeView | None:
    """The view of what `uptime_to_json` gave; accept lengths are derived here."""
    if body is None:
        return None
    lengths = {name: accept_length(_counters(body[name]), draftless=draftless) for name in ("first", "last")}
    return UptimeView(**body | lengths)


def _counters(body: Json) -> Counters:
    positions = body["per_position"]
    return Counters(**body | {"per_position": None if positions is None else tuple(positions)})
