"""Our prompts, and a user's own."""

from collections import Counter
from pathlib import Path

import pytest

from matrix.core.errors import ConfigError, Exit
from matrix.core.workload import Prompt
from matrix.probes.workloads import load_prompts_file, load_workload, workload_names


def test_standard_holds_64_short_prompts_of_three_kinds() -> None:
    workload = load_workload("standard")
    assert (len(workload.prompts), workload.max_tokens) == (64, 128)
    assert Counter(p.kind for p in workload.prompts) == {"code": 22, "chat": 21, "repetition": 21}
    assert len({p.id for p in workload.prompts}) == len({p.text for p in workload.prompts}) == 64
    assert all(p.chat == (p.kind == "chat") for p in workload.prompts)
    assert all(10 < len(p.text) <= 360 for p in workload.prompts)
    assert any(not p.text.isascii() for p in workload.prompts)


def test_demo_is_the_beginning_of_standard_with_all_kinds() -> None:
    demo = load_workload("demo")
    assert demo.prompts == load_workload("standard").prompts[:16] and demo.max_tokens == 64
    assert Counter(p.kind for p in demo.prompts) == {"code": 6, "chat": 5, "repetition": 5}


def test_prompts_never_change_unnoticed() -> None:
    """Every stored result is keyed by this hash: a new one orphans them, so change it only on purpose."""
    assert load_workload("standard").content == CONTENT


CONTENT = "a7a1b74729266eedaea78edff5c1ccd109c683b2310be2a5b0d09d20f8d3eb50"


def test_options_are_part_of_the_workload() -> None:
    workload = load_workload("standard", limit=5, max_tokens=32, concurrency=4, repetitions=3)
    assert len(workload.prompts) == 5
    assert (workload.max_tokens, workload.concurrency, workload.repetitions) == (32, 4, 3)


def test_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"unknown workload 'standrad' \(known: standard, demo"):
        load_workload("standrad")
    assert workload_names() == ["standard", "demo", "standard-images"]


def test_own_file(tmp_path: Path) -> None:
    file = tmp_path / "prompts.jsonl"
    file.write_text('{"text": "a\\u2028b"}\n\n{"id": "q", "kind": "chat", "text": "ü\u2028?", "chat": true}\n', "utf-8")
    assert load_prompts_file(file) == (
        Prompt("line-1", "custom", "a\u2028b"),
        Prompt("q", "chat", "ü\u2028?", chat=True),
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"text": "ok"}\n{"text": ', ":2: is no JSON: Expecting value at column 10"),
        ("[1]", ":1: is a JSON list, not an object"),
        ('{"id": "a"}', ":1: text: is missing or empty"),
        ('{"text": ""}', ":1: text: is missing or empty"),
        ('{"text": 5}', ":1: text: expected a text, found 5"),
        ('{"text": "a", "chat": "yes"}', ':1: chat: expected true or false, found "yes"'),
        ('{"text": "a", "chat": 1}', ":1: chat: expected true or false, found 1"),
        ('{"text": "a", "promt": "b"}', ":1: promt: unknown key (known: id, kind, text, chat, image, sha256)"),
        ('{"id": "x", "text": "a"}\n{"id": "x", "text": "b"}', ":2: id: 'x' is taken by an earlier line"),
        ('{"id": "pooled", "text": "a"}', ":1: id: 'pooled' is reserved"),
        ('{"id": " ", "text": "a"}', ":1: id: is empty"),
        ('{"text": "\\ud800"}', ":1: text: holds half of a surrogate pair"),
        ("[" * 100_000, ":1: is no JSON: maximum recursion depth"),
        ("\n \n", ": holds no prompt"),
    ],
)
def test_errors_name_file_line_and_key(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "prompts.jsonl"
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_prompts_file(file)
    assert str(caught.value).startswith(f"{file}{said}")
    assert caught.value.exit_code == Exit.USAGE


def test_unreadable_files(tmp_path: Path) -> None:
    (tmp_path / "latin.jsonl").write_bytes(b'{"text": "\xe9"}')
    for name, said in (("latin.jsonl", "is not UTF-8"), ("none.jsonl", "No such file"), (".", "Is a directory")):
        with pytest.raises(ConfigError, match=said):
            load_prompts_file(tmp_path / name)
