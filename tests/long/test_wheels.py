"""Every release's own wheel says what the fakes say in its name, and what the engines' tables say of it."""

import pytest

from tests.fakes.rows import Row
from tests.long.wheels import VOLUME, NoSuchWheelError, Sources, sources
from tests.long.witnesses import PUBLISHED_AS, SHARP, Wheel, pattern, wheels, without_witness

pytestmark = pytest.mark.long
WHEELS = wheels()


@pytest.mark.parametrize(("distribution", "version"), [pytest.param(*w, id="-".join(w)) for w in sorted(WHEELS)])
def test_the_wheel_says_what_the_tables_say(distribution: str, version: str) -> None:
    asked = WHEELS[distribution, version]
    try:
        files = sources(PUBLISHED_AS.get((distribution, version), distribution), version, asked.patterns)
    except NoSuchWheelError as lacking:
        pytest.skip(str(lacking))
    assert files.plain
    assert _wrong_rows(asked, files, version) == []
    assert _wrong_witnesses(asked, files) == []


def test_rows_without_a_witness_are_told() -> None:
    VOLUME.lines = [f"unverified: {line}" for line in without_witness()]


def _wrong_rows(asked: Wheel, files: Sources, version: str) -> list[str]:
    wrong = []
    for row in asked.rows:
        said = _says(row, files)
        if row.holds(version) and not said:
            wrong.append(f"not in {row.files}: {row.topic} {row.witness}")
        if said and not row.holds(version) and row.topic.startswith(SHARP):
            wrong.append(f"said although the row does not hold: {row.topic} {row.what}")
    return wrong


def _says(row: Row, files: Sources) -> bool:
    return any(files.say(text, row.files.split("|")) for text in row.witness)


def _wrong_witnesses(asked: Wheel, files: Sources) -> list[str]:
    found = [(row, witness, files.say(witness.text, [pattern(witness)])) for witness, row in asked.witnesses]
    return [f"{row}: {witness}" for row, witness, said in found if said is witness.absent]
