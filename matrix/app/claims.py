"""Gathers what is measured, reported and known of one model as claims for the rule."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from matrix.core.answer import Claim, Evidence, Question
from matrix.core.errors import ConfigError, NotFoundError, Where
from matrix.core.expectation import Bonus
from matrix.core.report import Report
from matrix.core.spec import Method
from matrix.core.state import State
from matrix.engines.families import architecture_of, method_of_draft
from matrix.engines.spans import Span, known_spans
from matrix.plan.compat import ENGINES, exact, remoteness
from matrix.plan.matching import differing, family, is_hash, plain_method, plain_name, same_model
from matrix.store import Store
from matrix.store.evidence import Measured, Tested

_LIKE = 5
_SPOKEN = {m.value for m in Method if m not in (Method.NONE, Method.UNKNOWN)}


def models_asked(store: Store, question: Question) -> tuple[list[str], dict[str, None]]:
    """Names of the models that the question means, and all names there are.

    A name that is none of them, but begins some, means those: `Qwen2.5-VL` is its sizes.
    """
    names = dict.fromkeys(store.evidence.targets() + store.reports.targets())
    same = store.evidence.with_content(question.model) if is_hash(question.model) else []
    same += [name for name in names if same_model(question.model, name)]
    return list(dict.fromkeys(same)) or family(question.model, names), names


def gather(store: Store, question: Question) -> tuple[list[Claim], set[Method]]:
    """All claims that matter to the question, and the methods that those known from source are about.

    NotFoundError where nothing at all is known of the model.
    """
    models, names = models_asked(store, question)
    tested = store.evidence.tested(models)
    reported = [reported_claim(key, report) for key, report in store.reports.of(models)]
    methods = methods_meant(question, tested, reported)
    known = list(_known(models or [question.model], methods))
    if not models and not (known and architecture_of(question.model)):
        raise _unknown(question.model, names)
    versions = {claim.versions for claim in reported if exact(claim)}
    near = store.evidence.near(tested, lambda t: remoteness(differing(_about(t), question)), versions)
    return [*map(measured_claim, near), *reported, *known], methods


def methods_meant(question: Question, tested: Iterable[Tested], reported: Iterable[Claim]) -> set[Method]:
    """Methods that what is known from source is looked up for: the one asked for, else what the draft was used by.

    Of a draft that nobody used, its own class or name tells; empty where they do not. Without a draft those that anyone
    used for the model, else EAGLE-3.
    """
    if method := method_asked(question):
        return {method}
    used = [(t.method, t.draft, t.draft_content) for t in tested]
    used += [(claim.method or "", claim.draft, None) for claim in reported]
    asked = question.draft
    mine = {m for m, name, content in used if asked is None or same_model(asked, name, content)} & _SPOKEN
    if mine:
        return {Method(m) for m in mine}
    if asked is None:
        return {Method.EAGLE3}
    told = method_of_draft(asked)
    return {told} if told else set()


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


def _known(models: Iterable[str], methods: Iterable[Method]) -> Iterator[Claim]:
    """Spans of each engine for these methods."""
    seen: set[Span] = set()
    for model in models:
        for engine in ENGINES:
            for kind in sorted(methods):
                for span in known_spans(engine, model, kind):
                    if span not in seen:
                        seen.add(span)
                        yield _known_claim(model, span)


def _about(tested: Tested) -> Claim:
    """The claim that any run of the series makes, as far as a question looks at it."""
    return measured_claim(Measured(tested, "", "", State.UNKNOWN, "", None, None, None, 0.0))


def measured_claim(found: Measured) -> Claim:
    """The claim that a measured run makes: its state is the worst that the judge says of its revision."""
    about = found.about
    return Claim(
        evidence=Evidence.MEASURED,
        engine=about.engine,
        target=about.target,
        state=found.state,
        versions=found.revision,
        draft=about.draft,
        method=about.method,
        hardware=about.hardware,
        k=about.k,
        accept_length=found.accept_length,
        noise=found.noise,
        speedup=found.speedup,
        at=found.finished_at,
        reason=found.reason,
        link=f"/runs/{found.run_id}",
        ref=found.run_id,
        series=about.series_key,
        workload=about.workload,
        target_content=about.target_content,
        draft_content=about.draft_content,
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
