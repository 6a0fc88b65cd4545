"""Chat templates: found, rendered as their models expect, and harmless."""

import json
from pathlib import Path

import pytest

from matrix.core.errors import ConfigError
from matrix.core.workload import Prompt
from matrix.probes.client import Rendered
from matrix.probes.template import ChatTemplate, load_template, renderer

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
HELLO = "<|im_start|>user\nHi {you}<|im_end|>\n<|im_start|>assistant\n"
CHAT, PLAIN = Prompt("c", "chat", "Hi {you}", chat=True), Prompt("p", "code", "def f(")


def render(source: str, text: str = "Hi") -> str:
    return ChatTemplate(source, "model/chat_template.jinja").render(text)


@pytest.mark.parametrize(
    "files",
    [
        {"chat_template.jinja": CHATML, "tokenizer_config.json": '{"chat_template": "not this one"}'},
        {"chat_template.json": json.dumps({"chat_template": CHATML})},
        {"tokenizer_config.json": json.dumps({"chat_template": CHATML})},
        {
            "tokenizer_config.json": json.dumps(
                {"chat_template": [{"name": "tools", "template": "no"}, {"name": "default", "template": CHATML}]}
            )
        },
        {"tokenizer_config.json": json.dumps({"chat_template": [{"name": "only", "template": CHATML}]})},
    ],
    ids=["jinja", "json", "config", "named", "named-otherwise"],
)
def test_template_is_found_wherever_models_keep_it(tmp_path: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert renderer(tmp_path)(CHAT) == Rendered(HELLO, special_tokens=False)


def test_plain_prompts_are_sent_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "chat_template.jinja").write_text(CHATML)
    assert renderer(tmp_path)(PLAIN) == Rendered("def f(", special_tokens=True)


def test_model_without_template_gets_the_neutral_form(tmp_path: Path) -> None:
    assert load_template(tmp_path) is None
    assert renderer(tmp_path)(CHAT) == Rendered("User: Hi {you}\nAssistant:", special_tokens=True)


def test_special_tokens_are_strings_or_objects(tmp_path: Path) -> None:
    config = {"bos_token": {"content": "<s>", "lstrip": False}, "pad_token": None}
    (tmp_path / "special_tokens_map.json").write_text(json.dumps({"bos_token": "<old>", "eos_token": "</s>"}))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    (tmp_path / "chat_template.jinja").write_text(
        "{{ bos_token }}{{ messages[0].content }}{{ eos_token }}{{ pad_token }}"
    )
    assert renderer(tmp_path)(CHAT).text == "<s>Hi {you}</s>"


@pytest.mark.parametrize(
    ("config", "tokenizer", "begin"),
    [
        ({"bos_token": "<s>"}, {}, ""),
        ({"bos_token": "<s>", "add_bos_token": True}, {}, "<s>"),
        ({"bos_token": {"content": "<s>"}}, {"post_processor": {"single": [{"SpecialToken": {"id": "<s>"}}]}}, "<s>"),
        ({"bos_token": "<s>", "add_bos_token": False}, {"post_processor": {"special_tokens": {"<s>": {}}}}, ""),
        ({"bos_token": "<other>", "add_bos_token": True}, {}, ""),
        ({}, {"post_processor": {"special_tokens": {"<s>": {}}}}, ""),
    ],
)
def test_a_begin_mark_that_the_tokenizer_writes_too_is_told(
    tmp_path: Path, config: dict[str, object], tokenizer: dict[str, object], begin: str
) -> None:
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    (tmp_path / "tokenizer.json").write_text(json.dumps(tokenizer))
    (tmp_path / "chat_template.jinja").write_text("<s>{{ messages[0].content }}")
    assert renderer(tmp_path)(CHAT) == Rendered("<s>Hi {you}", special_tokens=False, begin=begin)


def test_blocks_leave_no_line_of_their_own() -> None:
    assert render("    {% if messages %}\n{{ messages[0].content }}\n    {% endif %}\nend") == "Hi\nend"


def test_functions_that_templates_expect() -> None:
    assert render("{{ messages[0] | tojson }}", "<ä>") == '{"role": "user", "content": "<ä>"}'
    assert render("{{ {'a': 1} | tojson(indent=2) }}") == '{\n  "a": 1\n}'
    assert render("{% generation %}{{ messages[0].content }}{% endgeneration %}") == "Hi"
    assert render("{% for i in range(9) %}{% if i == 2 %}{% break %}{% endif %}{{ i }}{% endfor %}") == "01"
    assert render("{% set ns = namespace(n=1) %}{% set ns.n = 2 %}{{ ns.n }}") == "2"


def test_today_is_always_the_same_day() -> None:
    assert render("{{ strftime_now('%d %b %Y') }}") == "26 Jul 2024"


def test_the_templates_own_refusal_is_told() -> None:
    with pytest.raises(ConfigError, match=r"model/chat_template.jinja: the chat template fails: only two roles \(mend"):
        render("{{ raise_exception('only two roles') }}")


@pytest.mark.parametrize(
    "source",
    [
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ messages.__class__ }}{{ messages.__class__.__base__.__subclasses__() }}",
        "{{ cycler.__init__.__globals__.os.system('touch owned') }}",
        "{{ raise_exception.__globals__['__builtins__']['open']('owned', 'w') }}",
        "{{ strftime_now.__self__.__class__() }}",
        "{{ lipsum.__globals__['os'].popen('touch owned').read() }}",
        "{{ messages.append(1) }}",
        "{{ messages[0].update(role='x') }}",
        "{% include '/etc/passwd' %}",
        "{{ '%s' | format(messages.__init__.__globals__) }}",
        "{{ 'a' * 100000000 }}",
        "{{ 9 ** 9 ** 9 ** 9 }}",
        "{% for i in range(1000000000) %}x{% endfor %}",
        "{% for i in range(99999) %}{{ 'x' * 9999 }}{% endfor %}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{% if %}",
        "{{ messages[7].content }}",
        "{{ 1 / 0 }}",
        "{{ 'a' + 1 }}",
    ],
)
def test_hostile_and_broken_templates_end_in_one_line(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="the chat template fails") as caught:
        render(source)
    assert caught.value.where.file == "model/chat_template.jinja"
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [("{", "is no JSON"), ("[]", "is no JSON object"), ('{"chat_template": []}', "chat_template: holds no template")],
)
def test_malformed_tokenizer_config_names_its_file(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "tokenizer_config.json").write_text(text)
    with pytest.raises(ConfigError, match=said) as caught:
        renderer(tmp_path)
    assert str(tmp_path / "tokenizer_config.json") in str(caught.value)
