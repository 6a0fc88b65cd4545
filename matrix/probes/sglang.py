"""SGLang's own `/generate`, the one endpoint that carries speculative counters in every release (0.4.6 to 0.5.23)."""

from typing import Any

from matrix.core.counters import Counters
from matrix.core.recipe import OwnNames
from matrix.probes.answer import Completion, Rendered, as_dict, checked_count, short
from matrix.probes.faults import EngineFaultError, Fault
from matrix.probes.logprobs import alternatives
from matrix.probes.meta_info import meta_counters, wrong_mean

_STEPS = "spec_verify_ct"


class Sglang:
    """See `matrix.probes.dialects.Dialect`."""

    path = "/generate"

    def request(self, model: str, prompt: Rendered, max_tokens: int, logprobs: int | None) -> dict[str, Any]:
        """A greedy generation of fixed length. The endpoint knows no model name, and its tokenizer always adds what it
        adds, so a begin mark that it would write again is taken off the text."""
        text = prompt.text if prompt.special_tokens else prompt.text.removeprefix(prompt.begin)
        body: dict[str, Any] = {
            "text": text,
            "sampling_params": {
                "temperature": 0,
                "max_new_tokens": max_tokens,
                "ignore_eos": True,
                "skip_special_tokens": False,
                "spaces_between_special_tokens": False,
            },
        }
        body |= {"image_data": prompt.image} if prompt.image else {}
        if logprobs is None:
            return body
        return body | {"return_logprob": True, "top_logprobs_num": logprobs, "return_text_in_logprobs": True}

    def completion(self, body: dict[str, Any], seconds: float, max_tokens: int) -> Completion:
        """The answer. Raises `EngineFaultError` for what is none."""
        text, meta = body.get("text"), as_dict(body.get("meta_info"))
        if not isinstance(text, str):
            raise EngineFaultError(Fault.BAD_SHAPE, f"the answer holds no text: {short(body)}")
        tokens = checked_count(meta.get("completion_tokens"), max_tokens, "meta_info.completion_tokens", meta)
        return Completion(
            text=text,
            completion_tokens=tokens,
            seconds=seconds,
            speculative=meta if _STEPS in meta else None,
            alternatives=alternatives(text, _logprobs(meta)),
        )

    def counters(self, answer: Completion, names: OwnNames | None) -> Counters | None:
        """Counters of the answer's own request, None where it has none."""
        return meta_counters(answer.speculative, answer.completion_tokens, names) if names else None

    def contradicts(self, answer: Completion, names: OwnNames | None) -> bool:
        """True when the response's own mean is not the tokens over the verify steps that it is made of."""
        return names is not None and wrong_mean(answer.speculative, answer.completion_tokens, names)


def _logprobs(meta: dict[str, Any]) -> dict[str, Any] | None:
    """`[log-probability, token id, text]` a token and `[...]` of those a place, as the lists that others send."""
    own, tops = meta.get("output_token_logprobs"), meta.get("output_top_logprobs")
    if not isinstance(own, list) or not isinstance(tops, list) or not all(_triple(entry) for entry in own):
        return None
    listed = [{e[2]: e[0] for e in place if _triple(e)} if isinstance(place, list) else None for place in tops]
    return {"tokens": [e[2] for e in own], "token_logprobs": [e[0] for e in own], "top_logprobs": listed}


def _triple(entry: Any) -> bool:
    return isinstance(entry, list) and len(entry) == 3 and isinstance(entry[2], str)
