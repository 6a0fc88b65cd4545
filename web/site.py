"""What every route needs."""

from dataclasses import dataclass, field

from web.board import Boards
from web.reader import Reader
from web.render import Renderer


@dataclass(frozen=True, slots=True)
class Site:
    """`poll_s`: seconds between updates of a running sweep; `boards`: heatmaps sent lately (only changes travel)."""

    store: Reader
    render: Renderer
    poll_s: float
    boards: Boards = field(default_factory=Boards)
