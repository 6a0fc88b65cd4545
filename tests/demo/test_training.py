"""Training at toy size: repeatable, and it teaches. These run where torch, tokenizers and safetensors are installed."""

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("tokenizers", reason="tokenizers is not installed")
pytest.importorskip("safetensors", reason="safetensors is not installed")

import textwrap
from dataclasses import replace

import torch

from matrix.demo.train.__main__ import main
from matrix.demo.train.agreement import accept_length, head_hits
from matrix.demo.train.continuations import continuations
from matrix.demo.train.eagle import Eagle3
from matrix.demo.train.fit import fit, next_token_loss, windows
from matrix.demo.train.llama import Llama
from matrix.demo.train.pipeline import train_all
from matrix.demo.train.settings import TOY_SCHEDULE, TOY_SHAPE
from matrix.demo.train.text import Corpus, read_corpus

CPU = torch.device("cpu")
SOURCE = Path(textwrap.__file__).read_text(encoding="utf-8")
CORPUS = Corpus((SOURCE,), (SOURCE[:4000],), "")


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def sums(out: Path, seed: int) -> str:
    """The hashes of a toy training's files."""
    train_all(CORPUS, TOY_SHAPE, replace(TOY_SCHEDULE, seed=seed), CPU, out)
    return (out / "SHA256SUMS").read_text()


def test_the_same_seed_gives_the_same_files(tmp_path: Path) -> None:
    first = sums(tmp_path / "a", 0)
    assert sums(tmp_path / "b", 0) == first
    other = dict(line.split("  ", 1)[::-1] for line in sums(tmp_path / "c", 1).splitlines())
    same = dict(line.split("  ", 1)[::-1] for line in first.splitlines())
    assert other["target/model.safetensors"] != same["target/model.safetensors"]
    assert other["eagle3-random/model.safetensors"] != same["eagle3-random/model.safetensors"]


def test_training_lowers_the_loss() -> None:
    torch.manual_seed(0)
    model = Llama(TOY_SHAPE)
    stream = torch.arange(4000) % 7
    before = next_token_loss(model, stream[None, :64]).item()
    fit("toy", model, lambda batch: next_token_loss(model, batch), windows(stream, 4, 32), 30, 3e-3, 0)
    assert next_token_loss(model, stream[None, :64]).item() < before / 2


def test_generation_with_memory_equals_generation_without() -> None:
    torch.manual_seed(0)
    model = Llama(TOY_SHAPE)
    text = torch.randint(TOY_SHAPE.vocab, (3, 5))
    expected = text
    with torch.no_grad():
        while expected.shape[1] < 20:
            expected = torch.cat((expected, model(expected)[:, -1:].argmax(-1)), dim=1)
    assert torch.equal(continuations(model, text, 20, 0.0, 0), expected)


def test_an_unrolled_step_equals_drafting_one_chain_at_a_time() -> None:
    torch.manual_seed(0)
    target, head = Llama(TOY_SHAPE), Eagle3(TOY_SHAPE)
    tokens = torch.randint(TOY_SHAPE.vocab, (1, 12))
    with torch.no_grad():
        _, tapped = target.trace(tokens, TOY_SHAPE.taps)
        together = head(target, tokens, tapped, 3)
        for anchor in range(9):
            cut = tokens[:, : anchor + 4]
            alone = head(target, cut, [state[:, : anchor + 4] for state in tapped], 3)
            for step in range(3):
                torch.testing.assert_close(together[step][:, anchor], alone[step][:, anchor])


def test_hits_line_up_with_the_tokens_proposed() -> None:
    torch.manual_seed(0)
    target, head = Llama(TOY_SHAPE), Eagle3(TOY_SHAPE)
    with torch.no_grad():
        head.lm_head.weight.zero_()
    # With all logits zero the head always proposes token 0.
    tokens = torch.tensor([[1, 2, 3, 0, 4, 5, 6, 0, 0, 7]])
    hits = head_hits(target, head, tokens, 2)
    assert hits[0, 0].tolist() == [False, True, False, False, False, True, True]
    assert hits[1, 0].tolist() == [True, False, False, False, True, True, False]


def test_accept_length_walks_as_an_engine_does() -> None:
    hits = torch.tensor([[[1, 1, 0, 1, 1]], [[1, 0, 1, 0, 1]], [[0, 1, 1, 1, 1]]], dtype=torch.bool)
    # From anchor 0 two are accepted, from 3 one (the chain breaks at the second): 3 of 2 verify steps.
    assert accept_length(hits, 0) == pytest.approx(1 + 3 / 2)
    assert accept_length(hits, 2) == pytest.approx(1 + (0 + 1) / 2)


def test_text_is_read_in_one_order_without_tests(tmp_path: Path) -> None:
    for name in ("b.py", "a.py", "test/c.py", "pkg/d.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f'def {path.stem}():\n    """Say {path.stem}."""\n    return 1\n')
    first = read_corpus(tmp_path, 0)
    assert first == read_corpus(tmp_path, 0)
    joined = "".join(first.train)
    assert all(f"Say {name}." in joined for name in "abd")
    assert "Say c." not in joined


def test_an_empty_folder_is_refused_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--out", str(tmp_path / "out"), "--text", str(tmp_path)])
    assert caught.value.code == 2
    assert "no .py files here" in capsys.readouterr().err
