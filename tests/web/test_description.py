"""The API against its own description: what is described is what is answered, and no question breaks it."""

import pytest
import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from matrix.app.judging import judge_all
from matrix.core.outcome import Outcome
from matrix.store import open_store
from tests.store.build import baseline_run, cell, run, sample
from web import create_app
from web.store_reader import StoreReader
from web.store_writer import StoreWriter

_CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


@pytest.fixture(scope="module")
def description(tmp_path_factory: pytest.TempPathFactory) -> schemathesis.BaseSchema:
    store = open_store(f"sqlite:///{tmp_path_factory.mktemp('store')}/matrix.db")
    store.runs.save(baseline_run("base-1", "0.27.1", at=900.0))
    store.runs.save(run("good-1", cell("0.27.1"), *(sample(f"code-{n}") for n in range(4)), at=1000.0))
    store.runs.save(run("bad-1", cell("0.32.0"), outcome=Outcome.LOAD_CRASH, at=2000.0))
    judge_all(store)
    return schemathesis.openapi.from_asgi("/openapi.json", create_app(StoreReader(store), writer=StoreWriter(store)))


def test_every_question_is_answered_as_described(description: schemathesis.BaseSchema) -> None:
    for found in description.get_all_operations():
        operation = found.ok()

        @settings(
            max_examples=6, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
        )
        @given(case=operation.as_strategy())
        def ask(case: schemathesis.Case) -> None:
            answer = case.call()
            case.validate_response(answer, checks=_CHECKS)
            if answer.status_code >= 400:
                problem = answer.json()
                assert problem["detail"] and problem["hint"], "an error says what to do"

        ask()


@pytest.mark.parametrize(
    "path", ["api/sweeps/{}", "api/v1/bisections/{}", "sweeps/{}", "bisections/{}", "regressions/{}.md"]
)
@pytest.mark.parametrize("number", [2**63, -1, 0, "x"])
def test_a_number_that_no_row_can_have_is_refused(
    description: schemathesis.BaseSchema, path: str, number: object
) -> None:
    with TestClient(description.app) as client:
        assert client.get(f"/{path.format(number)}").status_code in (404, 422)


def test_every_route_says_what_it_is(description: schemathesis.BaseSchema) -> None:
    for path, item in description.raw_schema["paths"].items():
        for operation in item.values():
            assert operation["summary"] and operation["description"], path
