"""Weights of changes by the files they touch."""

import pytest

from matrix.bisect.priors import IMPLAUSIBLE, LIKELY, PLAIN, plausible, weight


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["vllm/v1/spec_decode/eagle.py"], LIKELY),
        (["python/sglang/srt/models/qwen2_5_vl.py", "docs/a.md"], LIKELY),
        (["vllm/entrypoints/openai/api_server.py"], PLAIN),
        (["docs/models/eagle.md"], IMPLAUSIBLE),
        (["tests/v1/spec_decode/test_eagle.py", "README.md"], IMPLAUSIBLE),
        (["test/srt/test_eagle_infer.py"], IMPLAUSIBLE),
        (["requirements/common.txt"], PLAIN),
        (["requirements.txt"], PLAIN),
        ([".github/workflows/release.yml"], IMPLAUSIBLE),
        ([], PLAIN),
    ],
)
def test_weight(paths: list[str], expected: float) -> None:
    assert weight(paths) == expected
    assert plausible(paths) == (expected != IMPLAUSIBLE)
