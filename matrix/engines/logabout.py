"""Which model and draft a server's log is about."""

import re

_MODEL = re.compile(r"\bmodel(?:_path)?['\"]?[=:]\s*['\"](?P<name>[^'\"\s]{1,300})['\"]")
_DRAFT = re.compile(
    r"\bspeculative_draft_model_path['\"]?[=:]\s*['\"](?P<sglang>[^'\"\s]{1,300})['\"]"
    r"|SpeculativeConfig\(.{0,80}?\bmodel='(?P<vllm>[^'\s]{1,300})'"
)


def models_of(log: str) -> tuple[str, str]:
    """(target, draft) as the log of an SGLang or vLLM server names them; empty for what it does not name."""
    target, draft = _MODEL.search(_DRAFT.sub("", log)), _DRAFT.search(log)
    return target["name"] if target else "", (draft["sglang"] or draft["vllm"] or "") if draft else ""
