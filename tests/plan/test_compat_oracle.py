"""The rule against a brute-force oracle, which has to notice every one of these mutations of the rule."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

from matrix.core.answer import Claim, Decision, Question
from matrix.plan import compat, matching
from tests.plan import compat_oracle
from tests.plan.compat_oracle import Row, oracle
from tests.plan.compat_random import asked, claim, question, rows

Decide = Callable[[list[Claim], Question], Decision]
COMPAT = (
    ("claim.state is not State.HEALTHY or", "claim.state.bad or"),
    ("return -_rank(claim), _version", "return _rank(claim), _version"),
    ("claim.speedup or 0.0, _age(claim)", "-(claim.speedup or 0.0), _age(claim)"),
    ("_age(claim) > _age(held)", "_age(claim) < _age(held)"),
    ("other.state.bad and other.engine == report.engine", "other.state.bad"),
    ("other.evidence is not Evidence.REPORTED and other", "other.evidence is Evidence.MEASURED and other"),
    ("claim.versions, claim.hardware, claim.series", "claim.versions, claim.series"),
    ("engines <= never", "engines & never"),
    ("return 1 if exact(claim) else 2 if claim.versions else 3", "return 1"),
    ("c.state.bad and c.evidence is not Evidence.KNOWN for c", "c.state.bad for c"),
    ("-(claim.speedup or 0.0), -(claim.at or 0.0), claim.engine", "claim.engine"),
)
MATCHING = (
    ("asked.gpu is None or claim.hardware is None or", "asked.gpu is None or claim.hardware is not None and"),
    ("(open_ and claim.draft is None)", "claim.draft is None"),
)


def cases(number: int, seed: int = 1) -> Iterator[tuple[list[Row], Row]]:
    """Questions over random evidence, ten to each set of claims."""
    random = Random(seed)
    for _ in range(number // 10):
        evidence = rows(random)
        yield from ((evidence, question(random)) for _ in range(10))


def differs(decide: Decide, evidence: list[Row], query: Row) -> bool:
    decision = decide([claim(row) for row in evidence], asked(query))
    return (decision.kind.value, decision.best.ref if decision.best else None) != oracle(evidence, query)


def mutated(old: str, new: str) -> Decide:
    """`decide` of the rule with one piece of its source replaced, which must occur once."""
    of_matching = (old, new) in MATCHING
    original = matching if of_matching else compat
    source = Path(str(original.__file__)).read_text()
    assert source.count(old) == 1, old
    module = ModuleType("mutant")
    exec(source.replace(old, new), module.__dict__)
    if not of_matching:
        return module.__dict__["decide"]  # type: ignore[no-any-return]
    rule = ModuleType("rule")
    exec(Path(str(compat.__file__)).read_text(), rule.__dict__)
    rule.__dict__["differing"] = module.__dict__["differing"]
    return rule.__dict__["decide"]  # type: ignore[no-any-return]


def test_the_rule_and_the_oracle_agree() -> None:
    assert [case for case in cases(1000) if differs(compat.decide, *case)] == []


@pytest.mark.long
def test_the_rule_and_the_oracle_agree_ten_thousand_times() -> None:
    assert [case for case in cases(10_000, seed=2) if differs(compat.decide, *case)] == []


@pytest.mark.parametrize(("old", "new"), COMPAT + MATCHING)
def test_the_oracle_notices_a_mutation(old: str, new: str) -> None:
    decide = mutated(old, new)
    assert any(differs(decide, *case) for case in cases(2000))


def test_the_oracle_is_short_and_shares_nothing() -> None:
    source = Path(compat_oracle.__file__).read_text()
    names = {n.module or "" for n in ast.walk(ast.parse(source)) if isinstance(n, ast.ImportFrom)}
    assert len(source.splitlines()) < 60 and names == {"typing"}


def test_every_kind_of_answer_occurs() -> None:
    assert {oracle(*case)[0] for case in cases(2000)} == {"recommended", "reported", "broken", "excluded", "not-tested"}
