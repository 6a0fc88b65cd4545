"""The target's chat template, rendered by us: engines render it differently, and change that between releases."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Template, TemplateError
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension
from jinja2.nodes import Node, Scope
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

from matrix.core.errors import ConfigError, Where
from matrix.core.workload import Prompt
from matrix.probes.answer import Rendered
from matrix.probes.template_files import begin_token, read_json, template_source, token_text

NEUTRAL = "User: {text}\nAssistant:"
"""The form of a chat prompt for a target without a template."""

CLOCK = datetime(2024, 7, 26, tzinfo=UTC)
"""What `strftime_now` shows: one day for ever, as prompts must not change (Llama 3 templates fall back to this one)."""

_MEND = "mend it, or set chat to false in the workload's prompts"
_NO_IMAGES = "use the template of the model's own release, which marks where an image stands"
_SPELLED_OUT = ("'type': 'image'", '"type": "image"')  # templates that print the parts instead of walking them
_LARGEST = 2**20
_TOKENS = ("bos_token", "eos_token", "pad_token", "unk_token", "cls_token", "sep_token", "mask_token")


@dataclass(frozen=True, slots=True)
class ChatTemplate:
    """A template's text, the file it stands in, and the special tokens that it may name."""

    source: str
    file: str
    special: tuple[tuple[str, str], ...] = ()

    def render(self, text: str, *, image: bool = False) -> str:
        """`text` as the only user message, with the opening of the answer; with `image` after the mark of an image.

        Raises `ConfigError` naming the file. Templates come with downloaded models, so they run in a sandbox: no
        attribute of Python's own, no change to what they are given, no output above 1 MiB. One that only burns time is
        not stopped.
        """
        if not image:
            return self._rendered(text, _MEND)
        words = [{"type": "text", "text": text}]
        result = self._rendered([{"type": "image"}, *words], _NO_IMAGES)
        spelled_out = any(mark in result for mark in _SPELLED_OUT)
        if spelled_out or result == self._rendered(words, _NO_IMAGES):
            where = Where(self.file)
            raise ConfigError("the chat template has no place for an image", hint=_NO_IMAGES, where=where)
        return result

    def _rendered(self, content: Any, hint: str) -> str:
        messages = [{"role": "user", "content": content}]
        try:
            template = _compiled(self.source)
            return _bounded(template.generate(messages=messages, add_generation_prompt=True, **dict(self.special)))
        except Exception as error:
            kind = "" if isinstance(error, TemplateError) else f"{type(error).__name__}: "
            raise ConfigError(f"the chat template fails: {kind}{error}", hint=hint, where=Where(self.file)) from error


def load_template(model: str | Path) -> ChatTemplate | None:
    """The chat template in a model's folder, None when it has none."""
    folder = Path(model)
    found = template_source(folder)
    if found is None:
        return None
    source, file = found
    config = read_json(folder / "special_tokens_map.json") | read_json(folder / "tokenizer_config.json")
    special = ((name, token_text(config.get(name))) for name in _TOKENS)
    return ChatTemplate(source, str(file), tuple((name, token) for name, token in special if token is not None))


def renderer(model: str | Path, *, chat_images: bool = True) -> Callable[[Prompt], Rendered]:
    """Turns a prompt into what is sent: chat prompts through the target's template, others as they are.

    A template writes the special tokens itself, so the server must not add its own; plain text gets the server's. With
    `chat_images` prompts with an image are left to the server's template, as only a chat endpoint takes images then.
    """
    template = load_template(model)
    begin = begin_token(Path(model)) or ""

    def render(prompt: Prompt) -> Rendered:
        if prompt.image and chat_images:
            return Rendered(prompt.text, chat=True, image=prompt.image)
        if not prompt.chat:
            return Rendered(prompt.text)
        if template is None:
            return _neutral(prompt, model)
        text = template.render(prompt.text, image=bool(prompt.image))
        return Rendered(text, False, begin if text.startswith(begin) else "", image=prompt.image)

    return render


def _neutral(prompt: Prompt, model: str | Path) -> Rendered:
    if prompt.image:
        where = Where(str(model))
        raise ConfigError("holds no chat template to say where an image stands", hint=_NO_IMAGES, where=where)
    return Rendered(NEUTRAL.format(text=prompt.text))


class _Environment(ImmutableSandboxedEnvironment):
    """Multiplication and powers are bounded: they are how a short template fills the memory."""

    intercepted_binops = frozenset({"*", "**"})

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        sizes = [len(v) if isinstance(v, str | list | tuple) else abs(v) for v in (left, right)]
        size = sizes[0] ** min(sizes[1], 64) if operator == "**" else sizes[0] * sizes[1]
        if size > _LARGEST:
            raise SecurityError(f"a value of size {size:.3g} is too large")
        return super().call_binop(context, operator, left, right)


class _Generation(Extension):
    """`{% generation %}` marks the assistant's part for training; here it is only its content."""

    tags = {"generation"}  # noqa: RUF012  the class attribute that jinja2 reads

    def parse(self, parser: Parser) -> Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return Scope(body, lineno=line)


@lru_cache(maxsize=8)
def _compiled(source: str) -> Template:
    environment = _Environment(
        trim_blocks=True, lstrip_blocks=True, autoescape=False, extensions=[_Generation, "jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = _tojson
    environment.globals["raise_exception"] = _raise
    environment.globals["strftime_now"] = CLOCK.strftime
    return environment.from_string(source)


def _tojson(value: Any, ensure_ascii: bool = False, indent: int | None = None, **options: Any) -> str:
    """JSON without the HTML escapes of jinja2's own filter, as chat templates expect."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, **options)


def _raise(message: str) -> None:
    raise TemplateError(message)


def _bounded(pieces: Any) -> str:
    parts, size = [], 0
    for piece in pieces:
        size += len(piece)
        if size > _LARGEST:
            raise SecurityError("its output is larger than 1 MiB")
        parts.append(piece)
    return "".join(parts)
