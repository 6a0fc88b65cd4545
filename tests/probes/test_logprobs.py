"""Token texts of a logprobs block, made to join to the text."""

from typing import Any

import pytest

from matrix.probes.logprobs import alternatives


def block(*tokens: str) -> dict[str, Any]:
    return {
        "tokens": list(tokens),
        "token_logprobs": [-0.5] * len(tokens),
        "top_logprobs": [{t: -0.5, "x": -2.0} for t in tokens],
    }


def pieces(text: str, *tokens: str) -> list[str]:
    return [a.token for a in alternatives(text, block(*tokens))]


def test_plain_tokens_stay() -> None:
    assert pieces("ab cd", "ab", " cd") == ["ab", " cd"]


def test_parts_of_a_character_give_it_to_their_last() -> None:
    assert pieces("a€b", "a", "\ufffd", "\ufffd", "\ufffd", "b") == ["a", "", "", "€", "b"]
    assert pieces("a€", "a", "\ufffd", "\ufffd", "\ufffd") == ["a", "", "", "€"]
    assert pieces("€b", "\ufffd", "\ufffd", "\ufffd", "b") == ["", "", "€", "b"]


def test_unseen_special_token_is_empty() -> None:
    assert pieces("ab", "a", "</s>", "b") == ["a", "", "b"]


def test_leading_space_that_the_text_lost() -> None:
    assert pieces("Hello you", " Hello", " you") == ["Hello", " you"]


def test_tokens_of_another_text_tell_nothing() -> None:
    assert alternatives("something else", block("ab", "cd")) == ()


@pytest.mark.parametrize(
    "broken",
    [
        None,
        [],
        {},
        {"tokens": ["a"], "token_logprobs": [-1.0], "top_logprobs": None},
        {"tokens": ["a"], "token_logprobs": [-1.0, -2.0], "top_logprobs": [{}]},
        {"tokens": [5], "token_logprobs": [-1.0], "top_logprobs": [{}]},
        {"tokens": ["a"], "token_logprobs": [float("nan")], "top_logprobs": [{}]},
        {"tokens": ["a"], "token_logprobs": [None], "top_logprobs": [{}]},
        {"tokens": ["a"], "token_logprobs": [-1.0], "top_logprobs": [["a", -1.0]]},
    ],
)
def test_malformed_blocks_tell_nothing(broken: Any) -> None:
    assert alternatives("a", broken) == ()


def test_alternatives_are_ordered_by_likelihood() -> None:
    given = {"tokens": ["a"], "token_logprobs": [-1], "top_logprobs": [{"c": -9.0, "a": -1.0, "b": -3.0}]}
    assert alternatives("a", given)[0].top == (("a", -1.0), ("b", -3.0), ("c", -9.0))
