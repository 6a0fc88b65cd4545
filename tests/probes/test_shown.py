"""How an image prompt reaches each engine: the place in the text, the endpoint, and what comes back."""

from pathlib import Path

import pytest

from matrix.core.counters import accept_length, combine
from matrix.core.errors import ConfigError
from matrix.core.spec import BASELINE, SpecConfig
from matrix.core.workload import Prompt, Workload
from matrix.probes.accept import run_probe
from matrix.probes.client import Client, Rendered
from matrix.probes.output import noise_gaps, with_alternatives
from matrix.probes.probe import Probe
from matrix.probes.template import ChatTemplate, renderer
from matrix.probes.workloads import load_workload
from tests.e2e.test_vision import TEMPLATE
from tests.fakes.sglang import RELEASES, since
from tests.probes.conftest import Start, probe_of
from tests.probes.test_sglang import ADAPTER, HEAD, cell_of, server

PICTURES = load_workload("standard-images", limit=4, max_tokens=48)
PROMPT = PICTURES.prompts[0]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "chat_template.jinja").write_text(TEMPLATE)
    return tmp_path


def test_the_models_own_template_says_where_the_image_stands(folder: Path) -> None:
    shown = renderer(folder, chat_images=False)(PROMPT)
    assert shown.text == (
        f"<|im_start|>user\n<|vision_start|><|image_pad|><|vision_end|>{PROMPT.text}<|im_end|>\n<|im_start|>assistant\n"
    )
    assert (shown.image, shown.chat, shown.special_tokens) == (PROMPT.image, False, False)


def test_a_chat_endpoint_gets_the_question_and_the_image(folder: Path) -> None:
    assert renderer(folder)(PROMPT) == Rendered(PROMPT.text, chat=True, image=PROMPT.image)
    text = Prompt("t", "chat", "Hi", chat=True)
    assert renderer(folder)(text) == renderer(folder, chat_images=False)(text)
    assert renderer(folder)(text).text.startswith("<|im_start|>user\nHi<|im_end|>")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("{{ messages[0].content }}", "has no place for an image"),
        ("{{ messages[0].content | tojson }}", "has no place for an image"),
        ("{% for p in messages[0].content %}{{ p.text }}{% endfor %}", "has no place for an image"),
        ("{{ 'user: ' + messages[0].content }}", "the chat template fails: TypeError"),
        ("{{ raise_exception('no images, please') }}", "no images, please"),
    ],
)
def test_a_template_without_a_place_for_images_is_told(source: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        ChatTemplate(source, "model/chat_template.jinja").render("What?", image=True)
    assert caught.value.where.file == "model/chat_template.jinja"
    assert "marks where an image stands" in caught.value.hint


def test_a_model_without_a_template_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no chat template"):
        renderer(tmp_path, chat_images=False)(PROMPT)


@pytest.mark.parametrize("release", RELEASES)
def test_sglang_is_asked_where_the_release_counts(release: str, folder: Path) -> None:
    """The chat endpoint tells counters from 0.5.13 on; before, the native one with the prompt rendered by us."""
    with server(release, image_acceptance=[0.0, 0.0, 0.0]) as engine:
        names = ADAPTER.counters(cell_of(release, HEAD))
        client = Client(engine.url, engine.name, timeout_s=5, quick_s=2, dialect=names.dialect)
        render = renderer(folder, chat_images=names.chat_images)
        samples = run_probe(Probe(client, PICTURES, render, names, HEAD, settle_s=0.5))
    asked = engine.requests[-1]
    assert ("messages" in asked) == since(release, "0.5.13")
    assert ("image_data" in asked) == (not since(release, "0.5.13"))
    assert accept_length(combine(s.counters for s in samples)) == 1.0
    assert all(s.counters.steps for s in samples)


def test_vllm_is_asked_at_its_chat_endpoint(start: Start, folder: Path) -> None:
    engine = start(image_acceptance=[1.0, 1.0, 0.0], version="0.32.0")
    plain = probe_of(engine, PICTURES)
    samples = run_probe(Probe(plain.client, PICTURES, renderer(folder), plain.names, plain.spec))
    assert accept_length(combine(s.counters for s in samples)) == 3.0
    image, text = engine.requests[-1]["messages"][0]["content"]
    assert image == {"type": "image_url", "image_url": {"url": PICTURES.prompts[-1].image}}
    assert text == {"type": "text", "text": PICTURES.prompts[-1].text}


@pytest.mark.parametrize("engine_name", ["vllm", "sglang"])
def test_a_baselines_alternatives_come_from_the_chat_endpoint_too(start: Start, folder: Path, engine_name: str) -> None:
    workload = Workload("w", PICTURES.prompts[:2], 12, kind="image")
    if engine_name == "vllm":
        probe = probe_of(start(spec=False, version="0.32.0"), workload)
        assert _gaps(Probe(probe.client, workload, renderer(folder), probe.names, BASELINE)) == [0.0, 0.0]
        return
    with server("0.5.23", SpecConfig("b", BASELINE.method)) as engine:
        names = ADAPTER.counters(cell_of("0.5.23", BASELINE))
        client = Client(engine.url, engine.name, timeout_s=5, quick_s=2, dialect=names.dialect)
        assert _gaps(Probe(client, workload, renderer(folder), names, BASELINE, settle_s=0.5)) == [0.0, 0.0]


def _gaps(probe: Probe) -> list[float]:
    samples = with_alternatives(probe, run_probe(probe))
    assert all(len(s.alternatives) == 12 for s in samples)
    return noise_gaps(samples)
