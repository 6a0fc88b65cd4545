"""The answer as JSON: the keys of `matrix compat --json`."""

from fastapi import APIRouter

from matrix.app.answered import Answer
from matrix.core.errors import ConfigError
from web.asked import Line, Name, question_from
from web.errors import Problem
from web.site import Site


def add_compat(routes: APIRouter, site: Site) -> None:
    missing = {"model": Problem, "description": "Nothing is known of the model"}

    @routes.get("/api/v1/compat", tags=["answer"], responses={404: missing})
    def compat(
        model: Name = "", draft: Name = "", engine: Name = "", method: Name = "", gpu: Name = "", line: Line = ""
    ) -> Answer:
        """Which release works for `model` with `draft`, or for the launch line `line`."""
        question = question_from(model, draft, engine, method, gpu, line)
        if question is None:
            raise ConfigError("no model is named", hint="give ?model=NAME, or ?line= with a launch line")
        return site.store.compat(question)
