"""Gathers what is measured, reported and known of one model as claims for the rule."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from matrix.core.answer import Claim, Evidence, Question
from matrix.core.errors import ConfigError, NotFoundError, Where
from matrix.core.expectation import Bonus
from matrix.core.report import Report
from matrix.core.spec import Method
from matrix.core.state import State
from matrix.engines.families import architecture_of
from matrix.engines.spans import Span, known_spans
from matrix.plan.compat import ENGINES
from matrix.plan.matching import family, is_hash, plain_method, plain_name, same_model
from matrix.store import Store
from matrix.store.evidence import Measured

_LIKE = 5


def models_asked(store: Store, question: Question) -> tuple[list[str], dict[str, None]]:
    """Names of the models that the question means, and all names there are.

    A name that is none of them, but begins some, means those: `Qwen2.5-VL` is its sizes.
    """
    names = dict.fromkeys(store.evidence.targets() + store.reports.targets())
    same = store.evidence.with_content(question.model) if is_hash(question.model) else []
    same += [name for name in names if same_model(question.model, name)]
    return list(dict.fromkeys(same)) or family(question.model, names), names


def gather(store: Store, question: Question) -> list[Claim]:
    """All claims about the model that is asked for. NotFoundError where nothing at all is known of it."""
    method = method_asked(question)
    models, names = models_asked(store, question)
    claims = [measured_claim(m) for m in store.evidence.of(models)]
    claims += [reported_claim(key, report) for key, report in store.reports.of(models)]
    known = list(_known(models or [question.model], method, claims))
    if not models and not (known and architecture_of(question.model)):
        raise _unknown(question.model, names)
    return claims + known


def method_asked(question: Question) -> Method | None:
    """The method by its name in any spelling, None for any. ConfigError for one that there is not."""
    if question.method is None:
        return None
    word = plain_method(question.method)
    found = next((m for m in Method if plain_method(m.value) == word and m not in (Method.NONE, Method.UNKNOWN)), None)
    if found is None:
        known = ", ".join(m.value for m in Method if m not in (Method.NONE, Method.UNKNOWN))
        where = Where(key="--method")
        raise ConfigError(f"there is no method `{question.method}`", hint=f"known: {known}", where=where)
    return found


def _known(models: Iterable[str], method: Method | None, claims: Iterable[Claim]) -> Iterator[Claim]:
    """Spans of each engine for the method asked for, else for those that somebody used, else for EAGLE-3."""
    used = {Method(c.method) for c in claims if c.method in set(Method) and c.method not in ("none", "unknown")}
    methods = {method} if method else used or {Method.EAGLE3}
    seen: set[Span] = set()
    for model in models:
        for engine in ENGINES:
            for kind in sorted(methods):
                for span in known_spans(engine, model, kind):
                    if span not in seen:
                        seen.add(span)
                        yield _known_claim(model, span)


def measured_claim(found: Measured) -> Claim:
    """The claim that a measured run makes: its state is the worst that the judge says of its revision."""
    row = found.row
    return Claim(
        evidence=Evidence.MEASURED,
        engine=row.engine,
        target=row.target,
        state=State(found.verdict.state),
        versions=row.revision,
        draft=row.draft,
        method=row.method,
        hardware=row.hardware,
        k=row.k,
        accept_length=row.accept_length,
        noise=found.noise,
        speedup=row.speedup,
        at=row.finished_at,
        reason=found.verdict.reason or row.reason,
        link=f"/runs/{row.run_id}",
        ref=row.run_id,
        series=row.series_key,
        workload=row.workload,
        target_content=found.target_content,
        draft_content=found.draft_content,
    )


def reported_claim(key: str, report: Report) -> Claim:
    """The claim that a report makes."""
    return Claim(
        evidence=Evidence.REPORTED,
        engine=report.engine,
        target=report.target,
        state=report.state,
        versions=report.versions,
        draft=report.draft or None,
        method=None if report.method in ("", "unknown") else report.method,
        hardware=report.hardware or None,
        k=report.k,
        accept_length=report.value,
        bonus=report.bonus,
        speedup=report.speedup,
        at=_moment(report.date),
        reason=report.text,
        link=report.link,
        ref=key,
        workload=report.workload,
    )


def _known_claim(model: str, span: Span) -> Claim:
    fallen = State.COLLAPSED if span.silent else State.BROKEN
    return Claim(
        evidence=Evidence.KNOWN,
        engine=span.engine,
        target=model,
        state=State.HEALTHY if span.works else fallen,
        versions=span.versions,
        method=span.method or None,
        bonus=Bonus.UNKNOWN,
        reason=span.reason,
        link=span.link,
        ref=f"{span.engine} {span.versions} {span.method}",
    )


def _moment(day: str) -> float | None:
    try:
        return datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


def _unknown(model: str, names: Iterable[str]) -> NotFoundError:
    words = plain_name(model).split("-")[0][:4]
    like = [name for name in names if words and words in plain_name(name)][:_LIKE]
    other = "`matrix import` reads reports, `matrix sweep` measures"
    hint = f"known are for example {', '.join(like)}" if like else other
    return NotFoundError(f"nothing is known of a model `{model}`", hint=hint)
