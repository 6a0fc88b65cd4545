"""Who may change something, and how a request shows that it comes from one of this dashboard's own pages."""

from web.access.gate import Gate, writer_of
from web.access.sessions import Session

__all__ = ["Gate", "Session", "writer_of"]
