"""How an engine is installed, as data that an executor carries out."""

from dataclasses import dataclass

from matrix.core.cell import digest


@dataclass(frozen=True, slots=True)
class Overlay:
    """The Python of `package`, as it stands at `commit` (40 hex digits) under `folder` of the repository `url`.

    `url` may be a clone on this machine. `picks` are commits whose changes are carried over onto it, in this order.
    """

    url: str
    commit: str
    folder: str
    package: str
    picks: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return " ".join([f"overlay {self.package} {self.commit} {self.folder}", *(f"pick {p}" for p in self.picks)])


@dataclass(frozen=True, slots=True)
class Recipe:
    """`requirements` are installed together, then `remove` is uninstalled (packages that break beside the engine).

    `dockerfile` names the file in `dockerfiles/` that makes the same thing as an image. `torch_cpu` allows the CPU
    torch index as a fallback when the user's own index has no build that fits. `modules` are imported once after the
    install, so that the bytecode of what a server loads is there; without any, everything installed is compiled, which
    takes five times as long. They change nothing that is measured, so `text` leaves them out.

    `site` is a folder of installed packages to serve from as it is: nothing is built or removed, and `python` names the
    interpreter that uses it (empty: the one that runs this). Where it lies changes nothing that is measured either.

    `image` is a published image that is pulled instead of anything being built. `prerelease` lets the installer take
    pre-releases, `before` (a date, YYYY-MM-DD) hides packages published later, `indexes` are the engine project's own
    wheel indexes, asked besides the user's. `overrides` are requirements that replace what any package asks for.
    `overlay` lays one commit's Python over what was installed.
    """

    name: str
    requirements: tuple[str, ...]
    remove: tuple[str, ...] = ()
    dockerfile: str = ""
    torch_cpu: bool = False
    apt: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    site: str = ""
    python: str = ""
    image: str = ""
    prerelease: bool = False
    before: str = ""
    indexes: tuple[str, ...] = ()
    overlay: Overlay | None = None
    overrides: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Canonical text; part of the content key."""
        lines = [f"recipe {self.name}", *(f"require {r}" for r in self.requirements)]
        lines += [f"remove {r}" for r in self.remove] + [f"apt {a}" for a in self.apt]
        lines += [f"dockerfile {self.dockerfile}", f"torch_cpu {self.torch_cpu}"]
        lines += [f"image {self.image}"] if self.image else []
        lines += ["prerelease"] if self.prerelease else []
        lines += [f"before {self.before}"] if self.before else []
        lines += [f"index {url}" for url in self.indexes]
        lines += [f"override {requirement}" for requirement in self.overrides]
        return "\n".join([*lines, *([self.overlay.text] if self.overlay else [])])

    @property
    def hash(self) -> str:
        return digest(self.text)


@dataclass(frozen=True, slots=True)
class Artifact:
    """What a recipe became: a folder or an image. `digest` names its content, `lock` lists its packages, one a line.

    `python` is the interpreter that serves it, empty where the artifact holds its own.
    """

    kind: str
    ref: str
    digest: str
    lock: tuple[str, ...]
    build_s: float
    reused: bool
    notes: tuple[str, ...] = ()
    python: str = ""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a server will see its files and its port; the executor decides, the engine adapter spells it.

    `served_name` is unique to the run, so that a client can tell this server from another on the same port.
    """

    target: str
    draft: str | None
    host: str
    port: int
    served_name: str


@dataclass(frozen=True, slots=True)
class Device:
    """One GPU of this host: its number in the order of the PCI bus, and its unique name (`GPU-...`)."""

    index: int
    uuid: str


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """`module` and `args` for the artifact's own Python, the environment, and variables that must not be inherited.

    A variable that is both set and unset is set. `devices` are the GPUs that were leased for the server, which sees no
    others; none leaves the choice to the executor.
    """

    module: str
    args: tuple[str, ...]
    env: tuple[tuple[str, str], ...] = ()
    unset: tuple[str, ...] = ()
    gpus: int = 0
    memory_gib: float = 8.0
    shm_gib: float = 1.0
    devices: tuple[Device, ...] = ()


@dataclass(frozen=True, slots=True)
class OwnNames:
    """Keys under which a response carries counters of its own request; an empty key means the release lacks it.

    `histogram[j]` counts the verify steps that accepted exactly j drafts. `reported` is the engine's own mean, which is
    only compared. `sure` is how many tokens each verify step yields whatever the draft: one, the bonus token; SGLang's
    UNO has two, the bonus token and its clean root. A histogram may end at its last entry that is not zero, so
    `positions` says how many there are.
    """

    steps: str
    proposed: str = ""
    accepted: str = ""
    histogram: str = ""
    reported: str = ""
    sure: int = 1
    positions: int = 0


@dataclass(frozen=True, slots=True)
class CounterMap:
    """Names under which a release exposes its counters; an empty name means it does not have it.

    `dialect` names how the server is asked (`matrix.probes.dialects`), `own` the counters in its responses where their
    names depend on the release, `info` the path where it tells its settings. `chat_images`: prompts with an image are
    asked at the chat endpoint, where the server puts them into its own template; else at the dialect's own, rendered by
    us. `log` is what marks the log's records of running totals where only they are right, empty where others are.
    """

    steps: str
    proposed: str
    accepted: str
    per_position: str
    decode_steps: str
    completion_tokens: str
    per_request: bool = False
    dialect: str = "openai"
    own: OwnNames | None = None
    info: str = ""
    chat_images: bool = True
    log: str = ""
