"""Names of models and methods in the spellings that people use."""

import pytest

from matrix.core.answer import Claim, Evidence, Question
from matrix.core.state import State
from matrix.plan.matching import differing, family, plain_method, same_model


@pytest.mark.parametrize(
    ("asked", "name", "same"),
    [
        ("Qwen/Qwen2.5-VL-7B-Instruct", "qwen2.5-vl-7b-instruct", True),
        ("QWEN2.5-VL-7B-INSTRUCT", "Qwen/Qwen2.5-VL-7B-Instruct", True),
        ("/models/Qwen2.5-VL-7B-Instruct/", "Qwen/Qwen2.5-VL-7B-Instruct", True),
        ("Qwen2.5-VL-7B", "Qwen/Qwen2.5-VL-7B-Instruct", False),
        ("Qwen2.5-VL-72B-Instruct", "Qwen/Qwen2.5-VL-7B-Instruct", False),
        ("head", None, False),
    ],
)
def test_names_are_compared_by_their_last_part(asked: str, name: str | None, same: bool) -> None:
    assert same_model(asked, name) is same


def test_a_content_hash_or_its_beginning_is_a_name() -> None:
    content = "abcdef0123456789".ljust(64, "0")
    assert same_model(content, "any", content) and same_model("abcdef01", "any", content)
    assert not same_model("abcdef0", "any", content) and not same_model("abcdef02", "any", content)


def test_a_beginning_is_a_family_at_a_dash_only() -> None:
    names = ["Qwen/Qwen2.5-VL-7B-Instruct", "Qwen/Qwen2.5-VL-72B-Instruct", "Qwen/Qwen2.5-VLX-1B", "other"]
    assert family("qwen2.5-vl", names) == sorted(names[:2])
    assert family("Qwen2.5-VL-7", names) == []


@pytest.mark.parametrize("word", ["EAGLE-3", "EAGLE3", "eagle3", "Eagle 3"])
def test_methods_have_many_spellings(word: str) -> None:
    assert plain_method(word) == "eagle3"
    assert (plain_method("STANDALONE"), plain_method("NEXTN")) == ("draft_model", "mtp")


def test_what_a_report_leaves_open_is_another_thing_than_what_the_source_leaves_open() -> None:
    asked = Question("m", draft="head", method="eagle3", engine="SGLang", gpu="h200", k=3)
    report = Claim(Evidence.REPORTED, "sglang", "m", State.HEALTHY)
    known = Claim(Evidence.KNOWN, "sglang", "m", State.BROKEN)
    assert differing(report, asked) == ("method", "draft")
    assert differing(known, asked) == ()
