"""Fixed prompts and sampling: what every revision is asked."""

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

TEXT, IMAGE = "text", "image"
"""Kinds of workloads: no prompt of theirs shows an image, or each does. The two are never pooled."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """`kind` groups prompts in reports (code, chat, repetition). `chat` prompts go through the target's template.

    `image` is shown before the text: a data URI (`data:image/png;base64,...`), empty for none.
    """

    id: str
    kind: str
    text: str
    chat: bool = False
    image: str = ""


@dataclass(frozen=True, slots=True)
class Workload:
    """Prompts in order, tokens generated per prompt (fixed: end of text is ignored), requests in flight.

    `uptime_min`: minutes over which the prompts are asked again and again afterwards; 0 for not at all.
    """

    name: str
    prompts: tuple[Prompt, ...]
    max_tokens: int
    concurrency: int = 1
    repetitions: int = 1
    warmup: int = 1
    kind: str = TEXT
    uptime_min: float = 0

    @property
    def content(self) -> str:
        """Hash of all that decides the requests; the name is left out, so a renamed workload is the same one."""
        body = {
            "prompts": [_identity(p) for p in self.prompts],
            "max_tokens": self.max_tokens,
            "concurrency": self.concurrency,
            "repetitions": self.repetitions,
            "warmup": self.warmup,
            "kind": self.kind,
        }
        body |= {"uptime_min": self.uptime_min} if self.uptime_min else {}
        return hashlib.sha256(json.dumps(body, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def _identity(prompt: Prompt) -> list[Any]:
    plain = [prompt.id, prompt.kind, prompt.text, prompt.chat]
    return [*plain, _image_hash(prompt.image)] if prompt.image else plain


@lru_cache(maxsize=1024)
def _image_hash(image: str) -> str:
    return hashlib.sha256(image.encode()).hexdigest()
