"""What a start does before its port answers, so that the first questions do not wait for it.

The first page of each kind costs several times as much as the second: templates and queries are compiled, libraries and
fonts loaded, and the database's most used pages read from disk.
"""

import gc
from contextlib import suppress
from urllib.parse import quote, urlencode

from starlette.types import ASGIApp

from matrix.core.errors import MatrixError
from matrix.store.narrow import Narrow
from web.export_ask import ask
from web.reader import Reader

_FEW = Narrow(revisions=1, rows=16)


async def warm(app: ASGIApp, store: Reader) -> None:
    """Ask for one page of each kind. What fails here fails again for whoever asks for it, and is told there."""
    for address in addresses(store):
        # Whatever a page raises: the others can be shown still.
        with suppress(Exception):
            await ask(app, address, len)
    # A full collection goes over every object that the program was loaded with, all threads waiting: what is here by
    # now stays, so that only what answers leave behind is gone over from here on.
    gc.collect()
    gc.freeze()


def addresses(store: Reader) -> list[str]:
    """The first page, and one series, run and answer that it leads to."""
    found = ["/"]
    with suppress(MatrixError):
        rows = [row for heatmap in store.overview(_FEW).heatmaps for row in heatmap.rows]
        run = next((square.run_id for row in rows for square in row.squares if square and square.run_id), None)
        found += [f"/runs/{quote(run)}"] if run else []
        for row in rows[-1:]:
            found += [f"/series/{row.series_key}", f"/series/{row.series_key}/plots"]
            found += [f"/compat?{urlencode({'model': row.target})}"]
    return found
