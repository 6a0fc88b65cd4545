"""Secrets are taken out, evidence is left in, and no text takes long."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matrix.store.redact import redact, redact_args, redact_value
from matrix.store.terminal import strip_controls
from matrix.store.texts import stored_text

HF = "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz01234567"
SK = "sk-proj-abcDEF0123456789"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"token {HF} refused", "token [redacted] refused"),
        (f"https://user:{HF}@huggingface.co/x", "https://user:[redacted]@huggingface.co/x"),
        (f"key={SK}", "key=[redacted]"),
        ("ghp_0123456789abcdefABCD", "[redacted]"),
        ("Authorization: Bearer abc.def-123", "Authorization: Bearer [redacted]"),
        ("{'Authorization': 'Basic dXNlcjpwYXNz'}", "{'Authorization': 'Basic [redacted]'}"),
        ("sent Bearer eyJhbGciOi.J9", "sent Bearer [redacted]"),
        ("vllm serve --api-key abc --port 8000", "vllm serve --api-key [redacted] --port 8000"),
        ("--api-key=abc", "--api-key=[redacted]"),
        ("--hf-token abc", "--hf-token [redacted]"),
        ("postgresql://me:p%40ss@host/db", "postgresql://me:[redacted]@host/db"),
        ("HF_TOKEN=short", "HF_TOKEN=[redacted]"),
        ('export WANDB_API_KEY="two words"', "export WANDB_API_KEY=[redacted]"),
        ("AWS_SECRET_ACCESS_KEY=a/b+c", "AWS_SECRET_ACCESS_KEY=[redacted]"),
        ("MY_PASSWORD_2=x DB=y", "MY_PASSWORD_2=[redacted] DB=y"),
        ('"HF_TOKEN": "abc", "A": 1', '"HF_TOKEN": [redacted], "A": 1'),
        ("{'hf_token': 'abc', 'k': 3}", "{'hf_token': [redacted], 'k': 3}"),
        ("{'api_key': ['abc', 'def'], 'port': 1}", "{'api_key': [redacted], 'port': 1}"),
        ("api_key='abc', port=1", "api_key=[redacted], port=1"),
        ("password: hunter2", "password: [redacted]"),
    ],
)
def test_secrets_are_replaced_and_their_names_stay(text: str, kept: str) -> None:
    assert redact(text) == kept


@pytest.mark.parametrize(
    "text",
    [
        "max_num_batched_tokens=8192 num_speculative_tokens=3",
        "--max-tokens 32 --tokenizer /models/tiny --key-cache-dtype fp8",
        "hf_overrides={} hf_config_path=None hf_hub_download failed",
        "KeyError: 'model.layers.0.weight'",
        "api_key=None, hf_token=None, 'api_key': []",
        "task-scheduler-with-a-long-hyphenated-name",
        "KEY and TOKEN are words",
        "http://127.0.0.1:8000/metrics user@host",
        "eos_token='</s>' bos_token_id=1 vocab_key=abc",
        "ValueError: There is no module or parameter named 'd2t' in LlamaForCausalLMEagle3",
        "kv_cache_dtype=auto, served_model_name=m-1, stop_token_ids=[2]",
        "enforce_eager=True, kv_transfer_config=None, tokens: 17",
    ],
)
def test_evidence_stays(text: str) -> None:
    assert redact(text) == text


@given(st.text("abAB019_-=:/@'\" \n\t.[]{}hfskTOKENKEY", max_size=200))
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


def test_a_commands_arguments() -> None:
    args = ["env", f"HF_TOKEN={HF}", "vllm", "--api-key", "abc", "--port", "80", "--api-key=x", f"https://a:b@c/{HF}"]
    assert redact_args(args) == [
        *("env", "HF_TOKEN=[redacted]", "vllm", "--api-key", "[redacted]", "--port", "80"),
        *("--api-key=[redacted]", "https://a:[redacted]@c/[redacted]"),
    ]


def test_nested_data() -> None:
    body: Any = {
        "env": [["HF_TOKEN", "abc"], ["HOME", "/x"]],
        "args": ["--api-key", "abc", "--k", "3"],
        "api_key": "abc def",
        "hf_token": None,
        "n": 3,
        "text": [1, f"x {HF}"],
    }
    assert redact_value(body) == {
        "env": [["HF_TOKEN", "[redacted]"], ["HOME", "/x"]],
        "args": ["--api-key", "[redacted]", "--k", "3"],
        "api_key": "[redacted]",
        "hf_token": None,
        "n": 3,
        "text": [1, "x [redacted]"],
    }


@pytest.mark.parametrize(
    "unit",
    ["A", "a", "A_", "hf_", "sk-", "://a:", "TOKEN", "TOKEN=", "password", "--api-key ", "Bearer ", "[", "'", "@", " "],
)
def test_time_is_linear_in_a_line_made_to_be_slow(unit: str) -> None:
    line = unit * (200_000 // len(unit))
    began = time.process_time()
    redact(line)
    assert time.process_time() - began < 2


def test_terminal_controls_go_and_words_stay() -> None:
    text = "\x1b[1;32mok\x1b[0m\x00 \x1b]0;title\x07a\tb\r\n\x1b(Bc\x9b31m\x08é漢"
    assert strip_controls(text) == "ok a\tb\r\nc31mé漢"


def test_a_secret_split_by_a_colour_is_found() -> None:
    assert stored_text(f"\x1b[32m{HF[:12]}\x1b[0m{HF[12:]}\x00") == "[redacted]"


def test_a_huge_text_is_cut_in_the_middle() -> None:
    text = stored_text("a" * 3_000_000 + "end", 100)
    assert len(text) < 200
    assert text.startswith("aaa")
    assert text.endswith("end")
    assert "characters are cut out here" in text
