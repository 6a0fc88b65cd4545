"""A question as a page or the API is asked it: names as parameters of the address, or a pasted launch line."""

from typing import Annotated

from fastapi import Path, Query

from matrix.app.compat_command import question_of
from matrix.core.answer import Question
from matrix.core.errors import ConfigError

Name = Annotated[str, Query(max_length=300)]
Names = Annotated[str, Query(max_length=4000)]
"""Several names, each with its field."""
Number = Annotated[int, Path(ge=1, le=2**63 - 1)]
"""The number of a sweep, a bisection or a change of state: what a database's whole number holds."""
Line = Annotated[str, Query(max_length=20_000)]


def question_from(model: str, draft: str, engine: str, method: str, gpu: str, line: str) -> Question | None:
    """The question; None where neither a model nor a launch line is given.

    Raises ConfigError for a launch line that is none, or both.
    """
    if line.strip():
        if model.strip():
            raise ConfigError("both a model and a launch line are given", hint="leave one of them empty")
        return question_of(line, gpu.strip() or None)[0]
    if not model.strip():
        return None
    draft, engine, method, gpu = (text.strip() for text in (draft, engine, method, gpu))
    return Question(model.strip(), draft or None, engine or None, method or None, gpu or None)
