"""The cell that stands for a server which somebody else runs: what it told, and "unknown" where it did not."""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from packaging.version import InvalidVersion, Version

from matrix.core.cell import Cell, LaunchOptions
from matrix.core.errors import ConfigError, Where
from matrix.core.hardware import UNKNOWN
from matrix.core.model import Model
from matrix.core.recipe import CounterMap
from matrix.core.revision import Revision
from matrix.core.spec import BASELINE, Method, SpecConfig
from matrix.core.workload import TEXT, Workload
from matrix.engines.registry import adapter_for
from matrix.probes.detect import Detected
from matrix.probes.workloads.load import by_kind, load_prompts_file, load_workload

URL = "url"
"""Executor and install of a probed server: nothing was built or started."""

SERVER_TEMPLATE = "server-template"
_NEWEST = "9999"  # an unknown release follows the newest rules
_METHODS = {"nextn": Method.MTP, "standalone": Method.DRAFT_MODEL}
_V0_GAUGE = "vllm:spec_decode_efficiency"
_OWN_TOKENS = 128  # generated for each of a user's own prompts


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user wants probed, and how. None leaves it to the server or to the workload."""

    url: str
    engine: str | None = None
    model: str | None = None
    tokenizer: Path | None = None
    prompts: Path | None = None
    workload: str = "standard"
    limit: int | None = None
    max_tokens: int | None = None
    concurrency: int = 1
    k: int | None = None
    method: Method | None = None
    key: str | None = field(default=None, repr=False)


def checked_url(url: str) -> str:
    """The server's root: a closing `/v1` is taken off. Raises ConfigError for none, or one with a password."""
    try:
        parts = urlsplit(url)
    except ValueError as error:  # brackets that hold no IPv6 address
        raise ConfigError(str(error), hint="give it as http://HOST:PORT", where=Where(key="--url")) from None
    if parts.username or parts.password or parts.query or parts.fragment:
        hint = "a key comes from the environment: see --api-key-env"
        raise ConfigError(
            "the address holds more than scheme, host, port and path", hint=hint, where=Where(key="--url")
        )
    return url.rstrip("/").removesuffix("/v1").rstrip("/")


def workload_of(asked: Asked) -> Workload:
    """The prompts. Chat prompts that only the server can put into a template make another workload: kind and name."""
    if asked.tokenizer is not None and not asked.tokenizer.is_dir():
        where = Where(str(asked.tokenizer), key="--tokenizer")
        raise ConfigError("is no folder", hint="give the folder with the chat template", where=where)
    workload = _ours(asked) if asked.prompts is None else _own(asked, asked.prompts)
    if workload.kind == TEXT and asked.tokenizer is None and any(prompt.chat for prompt in workload.prompts):
        return replace(workload, name=f"{workload.name}+{SERVER_TEMPLATE}", kind=SERVER_TEMPLATE)
    return workload


def _ours(asked: Asked) -> Workload:
    return load_workload(asked.workload, limit=asked.limit, max_tokens=asked.max_tokens, concurrency=asked.concurrency)


def _own(asked: Asked, file: Path) -> Workload:
    """The user's prompts. Raises ConfigError where some show an image and others do not: they are never pooled."""
    kinds = by_kind(file.stem, load_prompts_file(file)[: asked.limit])
    if len(kinds) > 1:
        hint = "probe each kind with a file of its own"
        raise ConfigError("holds prompts with and without images", hint=hint, where=Where(str(file)))
    ((name, kind, prompts),) = kinds
    tokens = asked.max_tokens or _OWN_TOKENS
    return Workload(name, prompts, tokens, concurrency=asked.concurrency, kind=kind)


def model_of(asked: Asked, detected: Detected) -> str:
    """The served name to ask for. Raises ConfigError where there are several, or not the wanted one."""
    names = list(detected.models)
    if asked.model is not None:
        if names and asked.model not in names:
            raise ConfigError(
                f"{asked.url} does not serve {asked.model!r}",
                hint=f"it serves {', '.join(names)}",
                where=Where(key="--model"),
            )
        return asked.model
    if len(names) != 1:
        served = ", ".join(names) or "no model that it names"
        raise ConfigError(f"{asked.url} serves {served}", hint="name one", where=Where(key="--model"))
    return names[0]


def resolved_of(detected: Detected) -> dict[str, Any]:
    """Settings that the server tells; of its settings page only what is known to be no secret."""
    told = adapter_for(detected.engine).resolved("", detected.info)
    return told | ({"engine": "V0"} if _V0_GAUGE in detected.metrics else {})


def cell_of(asked: Asked, detected: Detected) -> Cell:
    """The cell. Its address counts as a launch option: two servers are two series."""
    model, spec = model_of(asked, detected), _spec(asked, detected)
    return Cell(
        revision=Revision(detected.engine, detected.version),
        target=Model(model, str(asked.tokenizer or ""), source=detected.models.get(model) or model),
        spec=spec,
        launch=LaunchOptions(flags=(f"url={asked.url}",)),
        workload=workload_of(asked),
        hardware=UNKNOWN,
        executor=URL,
        install=URL,
    )


def counters_of(cell: Cell) -> CounterMap:
    """Names of the counters of the cell's release, by the newest rules where the release is unknown."""
    try:
        Version(cell.revision.version)
    except InvalidVersion:
        cell = replace(cell, revision=replace(cell.revision, version=_NEWEST))
    return adapter_for(cell.revision.engine).counters(cell)


def _spec(asked: Asked, detected: Detected) -> SpecConfig:
    found = _sglang_spec(detected) if detected.engine == "sglang" else _vllm_spec(detected)
    if found.is_baseline:
        return found
    method, k = asked.method or found.method, asked.k or found.k
    name = f"{dict(found.extra).get('algorithm', method)}-k{k}" if k else str(method)
    return replace(found, method=method, k=k, name=str(name).lower())


def _vllm_spec(detected: Detected) -> SpecConfig:
    """Counters of drafts exist where speculation is configured and statistics are on; k is the number of positions."""
    lines = [line for line in detected.metrics.splitlines() if line.startswith("vllm:")]
    if lines and not any(line.startswith("vllm:spec_decode_") for line in lines):
        return BASELINE
    prefix = "vllm:spec_decode_num_accepted_tokens_per_pos_total{"
    positions = {line.partition('position="')[2].partition('"')[0] for line in lines if line.startswith(prefix)}
    return SpecConfig("unknown", Method.UNKNOWN, None, len(positions) or None)


def _sglang_spec(detected: Detected) -> SpecConfig:
    told = resolved_of(detected)
    said = told.get("method")
    if said == "none":
        return BASELINE
    draft_tokens, k = _count(told.get("draft_tokens")), _count(told.get("k"))
    method = _METHODS.get(said or "") or next((m for m in Method if m == said), Method.UNKNOWN)
    if k is None and draft_tokens:
        k = draft_tokens - 1
    extra = (("algorithm", str(said).upper()),) if said and method is Method.UNKNOWN else ()
    return SpecConfig(str(said), method, _draft(detected), k, _count(told.get("topk")), draft_tokens, extra)


def _draft(detected: Detected) -> Model | None:
    path = json.loads(detected.info or "{}").get("speculative_draft_model_path")
    return Model(PurePosixPath(path).name or path, "", source=path) if isinstance(path, str) and path else None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
