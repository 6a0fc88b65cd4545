"""vLLM's spec config, whole, dotted or in retired flags, as a spec."""

import ast
import json
from typing import Any

from matrix.core.errors import ConfigError
from matrix.engines.launchdraft import Draft
from matrix.engines.launchflags import Effect, Flag
from matrix.engines.launchkeys import KEYS, METHODS, NEVER_RAN, UNKNOWN_KEY, outside
from matrix.engines.launchline import WHERE
from matrix.engines.launchread import Given

_OWN = ("method", "model", "num_speculative_tokens")
_METHODS = {"eagle", "eagle3", "mtp", "draft_model", "ngram", "suffix", "medusa"}


def vllm_specs(draft: Draft) -> None:
    """Adds the spec of the line to `draft`; none where it does not speculate."""
    config: dict[str, Any] = {}
    for given in draft.speculative:
        config |= _read(draft, given)
    if not config:
        return
    spec = _spec(draft, config)
    extra = {key: config[key] for key in config if key not in _OWN and _kept(draft, key, config[key])}
    if extra or "extra" in spec:
        spec["extra"] = spec.get("extra", {}) | extra
    draft.specs[f"{spec['method'].replace('_', '-')}-k{spec['k']}"] = spec


def _read(draft: Draft, given: Given) -> dict[str, Any]:
    flag = given.flag or Flag("")
    effects = flag.effects()
    if flag.role.startswith("key:"):
        key = flag.role.removeprefix("key:")
        value = _scalar(given.value)
    elif given.tail:
        key, value = given.tail.replace("-", "_"), _scalar(given.value)
    else:
        draft.say(given.word, given.value, "one spec, key by key", effects)
        return {str(key).replace("-", "_"): value for key, value in _config(given.value).items()}
    draft.say(given.word, given.value, f"`{key}` of the spec" + (f"; {flag.note}" if flag.note else ""), effects)
    return {key: value}


def _config(text: str) -> dict[str, Any]:
    """The keys of a JSON object, or of one in Python's spelling."""
    for reader in (json.loads, ast.literal_eval):
        try:
            found = reader(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(found, dict):
            return found
    raise ConfigError(
        f"the spec config is no JSON object: {text[:60]}", hint="check its quotes and braces", where=WHERE
    )


def _scalar(text: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, (int, float, bool)) else text


def _spec(draft: Draft, config: dict[str, Any]) -> dict[str, Any]:
    """`method`, `draft`, `k`, and vLLM's own name of the method where it is not ours."""
    model = str(config.get("model") or "")
    named = str(config.get("method") or ("ngram" if model in ("ngram", "[ngram]") else ""))
    asked = named or _guessed(draft, model)
    method, own = _ours(asked)
    became = f'`method = "{method}"`' + (", with vLLM's own name in `extra`" if own else "")
    unknown = "" if asked in METHODS else "; not in the table, check that each release has it"
    draft.say("method", asked, became + unknown, _method_effects(asked))
    spec: dict[str, Any] = {"method": method, "k": _k(draft, config)}
    if method in ("eagle", "eagle3", "draft_model", "medusa"):
        if not model:
            raise ConfigError(f"method `{asked}` without a `model`", hint="add it to the config", where=WHERE)
        draft.draft, spec["draft"] = model, "draft"
        draft.say("model", model, "drafts.draft")
    elif model and named:
        draft.say("model", model, f"left out: `{method}` takes no draft of its own here")
    return spec | ({"extra": {"method": asked}} if own else {})


def _guessed(draft: Draft, model: str) -> str:
    """A method from the draft's name, as vLLM itself does when none is given."""
    lower = model.lower()
    found = "eagle3" if "eagle3" in lower else "eagle" if "eagle" in lower else "draft_model" if model else "mtp"
    draft.say("method", "", f"not given: taken as `{found}`; releases guess differently, so it is always written")
    return found


def _ours(asked: str) -> tuple[str, bool]:
    """Our method and whether vLLM's own name must travel along in `extra`."""
    if asked in _METHODS:
        return asked, False
    if asked.endswith("_mtp"):
        return "mtp", True
    return ("ngram" if asked.startswith("ngram") else "draft_model"), True


def _method_effects(asked: str) -> tuple[Effect, ...]:
    since, until = METHODS.get(asked, (None, None))
    rows = [Effect(f"<{since}", "refused", f"exists from {since} on")] if since else []
    rows += [Effect(f">{until}", "refused", f"gone after {until}")] if until else []
    return (*rows, *NEVER_RAN.get(asked, ()))


def _k(draft: Draft, config: dict[str, Any]) -> int:
    k = config.get("num_speculative_tokens")
    if k is None:
        draft.say("num_speculative_tokens", "", "not given: 3; releases ask for it unless the draft's config tells")
        return 3
    if not isinstance(k, int) or isinstance(k, bool):
        raise ConfigError(f"num_speculative_tokens wants a whole number, not `{k}`", hint="correct it", where=WHERE)
    draft.say("num_speculative_tokens", str(k), f"`k = {k}`")
    return k


def _kept(draft: Draft, key: str, value: Any) -> bool:
    """True when the key goes into `extra`; says in any case what became of it."""
    text = json.dumps(value) if not isinstance(value, str) else value
    if key not in KEYS:
        draft.say(key, text, "left out: no vLLM release from 0.8.5 to 0.33.0 has this key", UNKNOWN_KEY)
        return False
    effects = outside(*KEYS[key])
    if key.startswith("synthetic_") or (key == "rejection_sample_method" and value == "synthetic"):
        draft.say(key, text, "left out: it fakes acceptance", effects)
    elif not isinstance(value, (str, int, float)):
        draft.say(key, text, "left out: `extra` holds texts, numbers, true and false only", effects)
    else:
        draft.say(key, text, "`extra` of the spec", effects)
        return True
    return False
