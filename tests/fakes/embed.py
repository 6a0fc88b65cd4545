"""The fakes as files of a package, for a stub wheel or a folder of site-packages to carry."""

from pathlib import Path

_HERE = Path(__file__).parent
_MODULES = ["rows", "script", "vllm_rows", "vllm_speech", "vllm_v0", "engine", "sglang_rows", "sglang_speech", "sglang"]


def embedded(package: str) -> dict[str, str]:
    """Path in site-packages -> source of the fakes under `package` (dotted), which import each other there."""
    folder = package.replace(".", "/")
    files = {f"{folder}/__init__.py": ""}
    for name in _MODULES:
        source = (_HERE / f"{name}.py").read_text().replace("tests.fakes", package)
        files[f"{folder}/{name}.py"] = source
    return files


def vllm_files() -> dict[str, str]:
    """A package `vllm` whose API server is the scripted engine."""
    packages = ("vllm", "vllm/entrypoints", "vllm/entrypoints/openai")
    server = "import sys\n\nfrom vllm.fakes.engine import main\n\nsys.exit(main())\n"
    return (
        {f"{p}/__init__.py": "" for p in packages} | embedded("vllm.fakes") | {f"{packages[-1]}/api_server.py": server}
    )


def sglang_files() -> dict[str, str]:
    """A package `sglang` whose launcher is the scripted engine."""
    server = "import sys\n\nfrom sglang.fakes.sglang import main\n\nsys.exit(main())\n"
    return {"sglang/__init__.py": "", "sglang/launch_server.py": server} | embedded("sglang.fakes")


def site(folder: Path, engine: str, version: str) -> Path:
    """Site-packages in which `engine` of `version` is installed, scripted."""
    files = vllm_files() if engine == "vllm" else sglang_files()
    files[f"{engine}-{version}.dist-info/METADATA"] = f"Metadata-Version: 2.1\nName: {engine}\nVersion: {version}\n"
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder
