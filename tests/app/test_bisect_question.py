"""What a run that packages broke says: an answer where packages are searched, nothing elsewhere."""

from matrix.app.bisect.question import Ends, tell
from matrix.app.bisect.request import Regress
from matrix.bisect.answers import Said
from matrix.core.outcome import Outcome
from matrix.core.spec import Method
from matrix.store import StoredPoint


def broken(signature: str, outcome: Outcome = Outcome.ENVIRONMENT) -> StoredPoint:
    why = "out of step"
    return StoredPoint("r", "0.32.0", 0, outcome, why, signature, Method.EAGLE3, False, 3, (), None, None)


def test_packages_out_of_step_are_bad_where_they_are_asked_about() -> None:
    run = broken("kernel-skew")
    assert tell(Regress.WORKS, run, Ends(), packages=True).said is Said.BAD
    assert tell(Regress.WORKS, run, Ends()).said is Said.SKIP
    assert tell(Regress.WORKS, run, Ends(signature="import-failed"), packages=True).said is Said.SKIP
    assert tell(Regress.ACCEPT, run, Ends(), packages=True).said is Said.SKIP


def test_what_the_machine_or_the_installer_did_is_no_answer_even_then() -> None:
    for run in (broken("environment"), broken("x", Outcome.BUILD_FAILED), broken("x", Outcome.INFRA)):
        assert tell(Regress.WORKS, run, Ends(), packages=True).said is Said.SKIP
