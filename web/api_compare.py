"""A comparison as JSON: the keys of `matrix compare --json`."""

from fastapi import APIRouter

from matrix.app.compared import Compared
from matrix.core.errors import ConfigError
from web.asked import Names
from web.errors import Problem
from web.site import Site


def add_compare(routes: APIRouter, site: Site) -> None:
    missing = {"model": Problem, "description": "No run fits either side"}

    @routes.get("/api/v1/compare", tags=["matrix"], responses={404: missing})
    def compare(a: Names = "", b: Names = "", where: Names = "") -> Compared:
        """Two sides set against each other, the largest multiples of noise first.

        A side is a revision, or names of cells: `spec=eagle3 revision=0.32.0`; `where` narrows both.
        """
        if not a.strip() or not b.strip():
            raise ConfigError("two sides are needed", hint="give ?a=0.27.1&b=0.32.0, each a revision or names of cells")
        return site.store.compare(a, b, where)
