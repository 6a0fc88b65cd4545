"""A pasted launch line as a question."""

from dataclasses import replace
from pathlib import Path

from matrix.app.folders import cache_dir
from matrix.core.answer import Question
from matrix.core.spec import Method
from matrix.engines.families import method_of_draft
from matrix.engines.fromcommand import convert
from matrix.plan.config import ModelTable
from matrix.plan.parse import parse_config
from matrix.sources.git import repository
from matrix.sources.holding import Holding, holding
from matrix.sources.sight import architecture


def question_of(line: str, gpu: str | None = None) -> tuple[Question, str | None]:
    """What the line asks: its model, draft, engine, method and k; and the version that it names, None for none.

    Raises ConfigError for what is no launch line of SGLang or vLLM.
    """
    made = convert(line, (), "", "")
    config = parse_config(made.toml, "--from-command")
    version = next((v for v in made.versions if v[:1].isdigit()), None)
    question = Question(_name(config.targets["target"]), engine=made.engine, gpu=gpu)
    spec = next(iter(config.specs.values()), None)
    if spec is None:
        return question, version
    draft = _name(config.drafts[spec.draft]) if spec.draft else None
    return replace(question, draft=draft, method=spec.method.value, k=spec.most or None), version


def _name(table: ModelTable) -> str:
    return table.hub or table.path or ""


def holding_in(clone: str, ref: str) -> Holding:
    """Where a commit or pull request of the repository at `clone` is in: see `matrix.sources.holding`."""
    return holding(repository(clone, cache_dir()), ref)


def method_of_folder(draft: str) -> str | None:
    """The method that a draft in a folder on this machine is for, by its config; None where neither tells."""
    named = architecture(Path(draft)) if Path(draft).is_dir() else ""
    plain = Method.DRAFT_MODEL if named.endswith("ForCausalLM") else None
    told = (method_of_draft(named) or plain) if named else None
    return told.value if told else None
