"""Which engine a running server is, and what it tells of itself: pages read once, nothing generated."""

import json
from dataclasses import dataclass, field
from typing import Any

from matrix.core.errors import ConfigError, InfraError
from matrix.probes.answer import as_dict
from matrix.probes.client import Client
from matrix.probes.faults import EngineFaultError, Fault

VLLM, SGLANG = "vllm", "sglang"
_INFO = ("/server_info", "/get_server_info")
_MODEL_INFO = ("/model_info", "/get_model_info")
_UNREACHED = (Fault.REFUSED, Fault.BROKEN, Fault.TIMEOUT)


@dataclass(frozen=True, slots=True)
class Detected:
    """`version` is "unknown" where the server does not tell; `models` maps each served name to the path behind it.

    `info` is the text of SGLang's settings page, `metrics` that of `/metrics`; both empty where there is none.
    """

    engine: str
    version: str
    models: dict[str, str] = field(default_factory=dict)
    info: str = ""
    metrics: str = ""


def detect(client: Client, engine: str | None = None) -> Detected:
    """What serves at the client's address; `engine` is what the user says it is, None for "see for yourself".

    Raises InfraError when nobody answers, ConfigError when a key is needed, when it is another engine than said, and,
    telling what was seen, when it is none that is known.
    """
    entries = _models(client, engine)
    metrics = _metrics(client)
    info = next((text for path in _INFO if _is_sglang(text := client.page(path))), "")
    version = _version(client.page("/version"))
    found = _engine(entries, metrics, info, version)
    if found is None and engine is None:
        raise _unknown(client, entries, metrics, version)
    if found and engine and found != engine:
        raise ConfigError(f"{client.url} is {found}, not {engine}", hint="leave --engine away, or give another --url")
    name = found or engine or ""
    told = _version(info) if name == SGLANG else version
    models = {entry["id"]: _root(entry) for entry in entries if not entry.get("parent")}
    return Detected(name, told or "unknown", models, info, metrics)


def _models(client: Client, engine: str | None) -> list[dict[str, Any]]:
    try:
        client.models()
    except EngineFaultError as error:
        if error.fault in _UNREACHED:
            raise InfraError(f"nobody answers at {client.url}: {error.cause}", hint="is the server running?") from error
        if error.status in (401, 403):
            raise ConfigError(
                f"{client.url} wants an API key, or another one", hint="set SPECMATRIX_API_KEY, or see --api-key-env"
            ) from error
        if error.busy or (error.fault is Fault.STATUS and error.status is not None and error.status >= 500):
            raise InfraError(
                f"{client.url} is not serving yet: {error.cause}", hint="wait until it is ready"
            ) from error
        if engine is None and not any(map(client.page, _MODEL_INFO)):
            raise ConfigError(
                f"{client.url} is no engine that is known: {error.cause}",
                hint=error.hint or "give the address of vLLM or SGLang",
            ) from error
        return []
    body = _object(client.page("/v1/models"))
    return [entry for entry in body.get("data", []) if isinstance(entry, dict) and isinstance(entry.get("id"), str)]


def _metrics(client: Client) -> str:
    try:
        return client.scrape() or ""
    except EngineFaultError:
        return ""


def _engine(entries: list[dict[str, Any]], metrics: str, info: str, version: str) -> str | None:
    owners = {entry.get("owned_by") for entry in entries} - {None}
    if info or SGLANG in owners or "\nsglang:" in f"\n{metrics}":
        return SGLANG
    if VLLM in owners or "\nvllm:" in f"\n{metrics}" or (version and not owners):
        return VLLM
    return None


def _unknown(client: Client, entries: list[dict[str, Any]], metrics: str, version: str) -> ConfigError:
    names = sorted({line.split("{")[0].split(":")[0] for line in metrics.splitlines() if ":" in line.split("{")[0]})
    names = [name for name in names if name and not name.startswith("#")]
    owners = sorted({str(entry.get("owned_by")) for entry in entries} - {"None"})
    seen = [f"models {', '.join(str(entry['id']) for entry in entries[:3]) or 'none'}"]
    seen += [f"owned by {', '.join(owners)}"] if owners else []
    seen += [f"/version says {version}" if version else "no /version"]
    seen += [f"metrics of {', '.join(names[:3])}" if names else "no metrics of vLLM or SGLang"]
    hint = "say --engine vllm or --engine sglang if it is one of them"
    return ConfigError(f"{client.url} is no engine that is known; seen: {'; '.join(seen)}", hint=hint)


def _is_sglang(info: str) -> bool:
    return "speculative_algorithm" in _object(info) or "internal_states" in _object(info)


def _root(entry: dict[str, Any]) -> str:
    root = entry.get("root")
    return root if isinstance(root, str) else ""


def _version(page: str) -> str:
    version = _object(page).get("version")
    return version if isinstance(version, str) else ""


def _object(text: str) -> dict[str, Any]:
    try:
        return as_dict(json.loads(text or "{}"))
    except (ValueError, RecursionError):
        return {}
