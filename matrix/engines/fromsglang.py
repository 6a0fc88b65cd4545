"""SGLang's speculative flags as specs."""

from typing import Any

from matrix.core.errors import ConfigError
from matrix.engines.launchdraft import Draft
from matrix.engines.launchflags import Effect
from matrix.engines.launchline import WHERE
from matrix.engines.launchread import Given
from matrix.engines.quirks import first
from matrix.engines.sglang_quirks import ALGORITHMS

_METHODS = {"EAGLE": "eagle", "EAGLE3": "eagle3", "NEXTN": "mtp", "STANDALONE": "draft_model", "NGRAM": "ngram"}
_SIZES = ("steps", "topk", "draft_tokens")


def sglang_specs(draft: Draft, *, benchmark: bool) -> None:
    """Adds the specs of the line to `draft`, one for each entry of a `--config-list`."""
    given = {_role(entry): entry for entry in draft.speculative}
    if "draft" in given:
        draft.draft = given["draft"].value
        _say(draft, given["draft"], "drafts.draft")
    name = given["algorithm"].value.upper() if "algorithm" in given else "EAGLE3" if benchmark else ""
    if not name:
        for entry in draft.speculative:
            if _role(entry) != "draft":
                _say(draft, entry, "left out: without `--speculative-algorithm` nothing speculates")
        draft.draft = ""
        return
    method = _method(draft, name, given.get("algorithm"))
    if "config-list" in given:
        _config_list(draft, given["config-list"], method)
        return
    sizes = {role: _number(given[role]) for role in _SIZES if role in given}
    spec = method | (_ngram(draft, given, sizes) if method["method"] == "ngram" else _tree(draft, given, sizes))
    draft.specs[f"{name.lower()}-k{spec.get('steps') or spec['k']}"] = spec


def _role(given: Given) -> str:
    return given.flag.role if given.flag else ""


def _say(draft: Draft, given: Given, became: str, effects: tuple[Effect, ...] = ()) -> None:
    known = given.flag.effects() if given.flag else ()
    draft.say(given.word, given.value, became, known + effects)


def _method(draft: Draft, name: str, given: Given | None) -> dict[str, Any]:
    """`method`, `draft` and `extra` of an algorithm."""
    method = _METHODS.get(name, "draft_model" if draft.draft else "mtp")
    if name == "EAGLE" and not draft.draft:
        method = "mtp"
    since = first(ALGORITHMS, _METHODS.get(name, name))
    effects = (Effect(f"<{since}", "refused", f"{name} exists from {since} on"),) if since else ()
    if given:
        own = "; without a draft it takes the target's own layers" if name == "EAGLE" and method == "mtp" else ""
        _say(draft, given, f'`method = "{method}"`{own}', effects)
    keys: dict[str, Any] = {"method": method}
    if method in ("eagle", "eagle3", "draft_model"):
        if not draft.draft:
            raise ConfigError(f"{name} without a draft model", hint="add `--speculative-draft-model-path`", where=WHERE)
        keys["draft"] = "draft"
    if name not in _METHODS:
        keys["extra"] = {"algorithm": name}
    return keys


def _tree(draft: Draft, given: dict[str, Given], sizes: dict[str, int]) -> dict[str, Any]:
    steps, topk = sizes.get("steps", 3), sizes.get("topk", 1)
    if "steps" in given:
        _say(draft, given["steps"], f"`steps = {steps}`")
    if "topk" in given:
        _say(draft, given["topk"], f"`topk = {topk}`")
    missing = [role for role in _SIZES if role not in sizes]
    if missing:
        text = f"not given ({', '.join(missing)}): steps {steps}, top-k {topk}; the defaults of releases differ"
        draft.say("(sizes)", "", text + (", and some of the three alone crash" if len(missing) < 3 else ""))
    spec = {"steps": steps, "topk": topk}
    return spec | _draft_tokens(draft, given, sizes, steps, topk)


def _draft_tokens(
    draft: Draft, given: dict[str, Given], sizes: dict[str, int], steps: int, topk: int
) -> dict[str, int]:
    asked = sizes.get("draft_tokens")
    if asked is None:
        return {"draft_tokens": 8} if topk > 1 else {}
    if topk > 1:
        _say(draft, given["draft_tokens"], f"`draft_tokens = {asked}`")
        return {"draft_tokens": asked}
    if asked == steps + 1:
        _say(draft, given["draft_tokens"], f"left out: {asked} is steps + 1, what top-k 1 gives")
        return {}
    why = f"at top-k 1 every release runs {steps + 1} (steps + 1), not {asked}"
    _say(draft, given["draft_tokens"], f"left out: {why}", (Effect(">=0.4.6", "changed", why),))
    return {}


def _ngram(draft: Draft, given: dict[str, Given], sizes: dict[str, int]) -> dict[str, Any]:
    for role in ("steps", "topk"):
        if role in given:
            _say(draft, given[role], "left out: n-gram lookup has no steps and no top-k")
    tokens = max(2, sizes.get("draft_tokens", 12))
    if "draft_tokens" in given:
        _say(draft, given["draft_tokens"], f"`draft_tokens = {tokens}`, so `k = {tokens - 1}`")
    return {"k": tokens - 1, "draft_tokens": tokens}


def _config_list(draft: Draft, given: Given, method: dict[str, Any]) -> None:
    """Entries are batch, steps, top-k, draft tokens; zeros after the batch are the baseline, which comes by itself."""
    for entry in given.values:
        try:
            batch, steps, topk, tokens = (int(part) for part in entry.split(","))
        except ValueError:
            raise ConfigError(f"`{entry}` is not batch,steps,topk,draft tokens", hint="", where=WHERE) from None
        draft.batches += [] if batch in draft.batches else [batch]
        if steps == 0:
            draft.say(given.word, entry, f"baseline at concurrency {batch}: every target gets it by itself")
            continue
        name = f"s{steps}-t{topk}-d{tokens}"
        spec = {"steps": steps, "topk": topk} | ({"draft_tokens": tokens} if topk > 1 else {})
        draft.specs[name] = method | spec
        changed = f"; at top-k 1 every release runs {steps + 1} draft tokens, not {tokens}"
        note = changed if topk == 1 and tokens != steps + 1 else ""
        draft.say(given.word, entry, f"specs.{name} at concurrency {batch}{note}")


def _number(given: Given) -> int:
    try:
        return int(given.value)
    except ValueError:
        raise ConfigError(
            f"`{given.word}` wants a whole number, not `{given.value}`", hint="correct the line", where=WHERE
        ) from None
