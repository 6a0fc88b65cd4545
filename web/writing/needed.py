"""The writer, for a route that the gate has let through."""

from web.access import refused
from web.site import Site
from web.writer import Writer


def writer(site: Site) -> Writer:
    """Refused where nothing can be changed, which the gate has told before."""
    if site.gate.writer is None:
        raise refused.read_only()
    return site.gate.writer
