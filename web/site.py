"""What every route needs."""

from dataclasses import dataclass, field

from web.access import Gate
from web.board import Boards
from web.reader import Reader
from web.render import Renderer


@dataclass(frozen=True, slots=True)
class Site:
    """`poll_s`: seconds between updates of a running sweep; `gate`: who may write; `boards`: heatmaps sent lately (only
    changes travel).
    """

    store: Reader
    render: Renderer
    poll_s: float
    gate: Gate
    boards: Boards = field(default_factory=Boards)
