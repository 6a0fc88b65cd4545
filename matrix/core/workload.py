"""Fixed prompts and sampling: what every revision is asked."""

import hashlib
import json
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prompt:
    """`kind` groups prompts in reports (code, chat, repetition). `chat` prompts go through the target's template."""

    id: str
    kind: str
    text: str
    chat: bool = False


@dataclass(frozen=True, slots=True)
class Workload:
    """Prompts in order, tokens generated per prompt (fixed: end of text is ignored), requests in flight."""

    name: str
    prompts: tuple[Prompt, ...]
    max_tokens: int
    concurrency: int = 1
    repetitions: int = 1
    warmup: int = 1
    kind: str = "text"

    @property
    def content(self) -> str:
        """Hash of all that decides the requests; the name is left out, so a renamed workload is the same one."""
        body = {
            "prompts": [[p.id, p.kind, p.text, p.chat] for p in self.prompts],
            "max_tokens": self.max_tokens,
            "concurrency": self.concurrency,
            "repetitions": self.repetitions,
            "warmup": self.warmup,
            "kind": self.kind,
        }
        return hashlib.sha256(json.dumps(body, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
