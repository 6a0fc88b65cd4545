"""Which version works for this model and draft: claims gathered, the rule asked, the choice made ready to run."""

from dataclasses import asdict, replace

from matrix.app.answered import Answer, ConflictView, EvidenceView, Recommended
from matrix.app.claims import gather, method_asked
from matrix.core.answer import Claim, Evidence, Question
from matrix.core.cell import Cell, LaunchOptions
from matrix.core.errors import ConfigError, MatrixError
from matrix.core.hardware import UNKNOWN
from matrix.core.model import Model
from matrix.core.revision import Revision, kind_of
from matrix.core.spec import Method, SpecConfig
from matrix.core.workload import Workload
from matrix.engines.recipes import IMAGE
from matrix.engines.registry import adapter_for
from matrix.engines.userline import install_lines, user_line
from matrix.plan.compat import decide, exact
from matrix.plan.compat_words import day, sentence
from matrix.plan.config import ENGINES
from matrix.store import Store

_UNSURE = " Which method {} is for is not known, so nothing known from source is set against it: name the method."
_INTACT = "intact"
"""What the source shows is no measurement: such a release is never called healthy."""


def answer(store: Store, question: Question) -> Answer:
    """The answer to `question`.

    Raises NotFoundError where nothing at all is known of the model, ConfigError for an engine or method there is not.
    """
    if question.engine is not None and question.engine.casefold() not in ENGINES:
        raise ConfigError(f"there is no engine `{question.engine}`", hint=f"known: {', '.join(ENGINES)}")
    method = method_asked(question)
    asked = replace(question, method=method.value if method else None)
    claims, methods = gather(store, asked)
    decision = decide(claims, asked)
    unsure = "" if methods else _UNSURE.format(asked.draft)
    return Answer(
        **asdict(asked),
        answer=decision.kind.value,
        sentence=sentence(decision, asked) + unsure,
        recommended=_recommended(store, decision.best) if decision.best else None,
        next_best=[view(c) for c in decision.next_best],
        broken=[view(c) for c in decision.broken],
        known=[view(c) for c in decision.known],
        conflicts=[ConflictView(view(c.kept), view(c.other)) for c in decision.conflicts],
        nearest=[view(n.claim, n.differs) for n in decision.nearest],
        models=sorted({c.target for c in claims}),
    )


def view(claim: Claim, differs: tuple[str, ...] = ()) -> EvidenceView:
    """The claim with its keys for programs."""
    return EvidenceView(
        engine=claim.engine,
        revision=claim.versions if exact(claim) else None,
        versions=claim.versions or None,
        evidence=claim.evidence.value,
        state=_INTACT if claim.evidence is Evidence.KNOWN and not claim.state.bad else claim.state.value,
        target=claim.target,
        draft=claim.draft,
        method=claim.method,
        hardware=claim.hardware or None,
        k=claim.k,
        workload=claim.workload or None,
        accept_length=claim.accept_length,
        bonus=claim.bonus.value,
        noise=claim.noise,
        speedup=claim.speedup,
        last_tested=None if claim.evidence is Evidence.KNOWN else day(claim),
        link=claim.link or None,
        reason=claim.reason,
        differs=list(differs),
    )


def _recommended(store: Store, claim: Claim) -> Recommended:
    seen = asdict(view(claim))
    if claim.evidence is Evidence.MEASURED:
        (artifact, lock), cell = store.runs.installed(claim.ref), store.runs.cell(claim.ref)
        image = _image(cell) if cell is not None and cell.install == IMAGE else None
        digest = artifact if image else None
        pins = lock or _pins(claim)
        return Recommended(
            **seen, image=image, digest=digest, pins=pins, launch=_launch(cell), install=_install(cell, digest)
        )
    cell = _reported_cell(claim)
    pins = _pins(claim)
    return Recommended(**seen, image=_image(cell), pins=pins, launch=_launch(cell), install=_install(cell, None))


def _pins(claim: Claim) -> list[str]:
    return [f"{claim.engine}=={claim.versions}"] if exact(claim) else []


def _image(cell: Cell | None) -> str | None:
    """The image that the engine's project publishes of this revision; None where none is known."""
    if cell is None:
        return None
    return adapter_for(cell.revision.engine).recipe(replace(cell, install=IMAGE)).image or None


def _launch(cell: Cell | None) -> str | None:
    """The line to copy; None where the rules of the release allow none to be written."""
    try:
        return user_line(cell) if cell else None
    except MatrixError:
        return None


def _install(cell: Cell | None, digest: str | None) -> list[str]:
    """The lines that install what was measured, or reported; empty where the rules of the release allow none."""
    try:
        return install_lines(cell, digest) if cell else []
    except MatrixError:
        return []


def _reported_cell(claim: Claim) -> Cell | None:
    """A cell that is like the report, None where it leaves its version or its method open."""
    if not exact(claim) or claim.method is None:
        return None
    draft = Model(claim.draft, "", claim.draft) if claim.draft else None
    method = Method(claim.method)
    if method.needs_draft and draft is None:
        return None
    return Cell(
        revision=Revision(claim.engine, claim.versions, kind_of(claim.versions)),
        target=Model(claim.target, "", claim.target),
        spec=SpecConfig(method.value, method, draft, claim.k),
        launch=LaunchOptions(gpus=1),
        workload=Workload("none", (), 128),
        hardware=UNKNOWN,
        executor="docker",
        install="pip",
    )
