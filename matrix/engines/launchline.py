"""A pasted launch line cut into engine, environment, image and the server's own words."""

import re
from dataclasses import dataclass

from matrix.core.errors import ConfigError, Where
from matrix.engines.launchtext import shell_words

WHERE = Where("--from-command")
_STOP = re.compile(r"&&?|\|\|?|;|\d?>>?.*|\d?>&\d")
_ASSIGN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=(?!=)")
_PINNED = re.compile(r"(?:sglang|vllm)(?:\[[\w,-]*\])?==(\d[\w.]*)")
_BARE_DOCKER = {"d", "i", "t", "P", "q"}
_BARE_DOCKER_LONG = {"detach", "rm", "interactive", "tty", "privileged", "init", "quiet", "read-only", "publish-all"}
_MODULES = {
    "sglang.launch_server": "sglang",
    "vllm.entrypoints.openai.api_server": "vllm",
}
_RELEASE = "{}"
_TAGS = {
    r"v?(\d+\.\d+\.\d+(?:\.post\d+|rc\d+)?)": _RELEASE,
    r"(?:cu\d+-)?nightly-([0-9a-f]{40})": "commit:{}",
    r"nightly-dev-(?:cu\d+-)?(\d{4})(\d{2})(\d{2})-": "nightly:{}-{}-{}",
    r"(?:cu\d+-)?nightly$|dev(?:-cu\d+)?$": "nightly:latest",
}
"""Tags of published images: releases, then vLLM's and SGLang's nightlies, then those that move."""
_REPOSITORIES = ("vllm/vllm-openai", "lmsysorg/sglang")
_SCRIPTS = {"bench_eagle3.py": "sglang"}
"""SpecForge's benchmark starts SGLang itself, once for each entry of its `--config-list`."""


@dataclass(frozen=True, slots=True)
class Line:
    """`engine` is sglang or vllm; `words` are the server's arguments; `script` is set for a benchmark's line."""

    engine: str
    env: tuple[tuple[str, str], ...]
    image: str
    words: tuple[str, ...]
    script: str = ""
    serve: bool = False
    pinned: str = ""

    @property
    def version(self) -> str:
        """What the line pins or its image's tag means, as `versions` spells it; empty where it names none."""
        if self.pinned:
            return self.pinned
        for pattern, spelled in _TAGS.items():
            match = re.search(f":{pattern}", self.image)
            if match and (self.published or spelled == _RELEASE):
                return spelled.format(*match.groups())
        return ""

    @property
    def published(self) -> bool:
        """True for the line of an image that the engine's project publishes."""
        return re.sub(r"(@.*|:[^/]*)$", "", self.image).endswith(_REPOSITORIES)


def read_line(text: str) -> Line:
    """The launch line in `text`. Raises ConfigError where there is none."""
    try:
        words = shell_words(text)
    except ValueError as error:
        raise ConfigError(f"not a shell line: {error}", hint="check its quotes", where=WHERE) from None
    env, image, words = _docker(words)
    image = image or _image(words)
    pinned = next((match[1] for word in words if (match := _PINNED.fullmatch(word))), "")
    for at, word in enumerate(words):
        if _ASSIGN.match(word):
            name, _, value = word.partition("=")
            env.append((name, value))
        found = _server(words, at, word)
        if found:
            engine, start, script = found
            return Line(engine, tuple(env), image, _own(words[start:]), script, start == at + 2, pinned)
    first = next((at for at, word in enumerate(words) if word.startswith("--")), None)
    if first is not None and "vllm" in image:
        return Line("vllm", tuple(env), image, _own(words[first:]))
    raise ConfigError(
        "not a launch line of SGLang or vLLM",
        hint="paste `python -m sglang.launch_server ...`, `vllm serve ...` or a `docker run` of one",
        where=WHERE,
    )


def _server(words: list[str], at: int, word: str) -> tuple[str, int, str] | None:
    """Engine, where its arguments begin and the script, if the server is named at `at`."""
    name = word.rsplit("/", 1)[-1]
    if at and words[at - 1] == "-m" and word in _MODULES:
        return _MODULES[word], at + 1, ""
    if name in ("sglang", "vllm", "vllm.entrypoints.cli.main") and words[at + 1 : at + 2] == ["serve"]:
        return name.partition(".")[0], at + 2, ""
    return (_SCRIPTS[name], at + 1, name) if name in _SCRIPTS else None


def _own(words: list[str]) -> tuple[str, ...]:
    """The words up to a redirection, a pipe or the next command."""
    end = next((at for at, word in enumerate(words) if _STOP.fullmatch(word)), len(words))
    return tuple(words[:end])


def _docker(words: list[str]) -> tuple[list[tuple[str, str]], str, list[str]]:
    """Environment, image and the words after it; a line without `docker run` is returned whole."""
    start = next((at for at in range(1, len(words)) if words[at] == "run" and _is_docker(words[at - 1])), None)
    if start is None:
        return [], "", words
    env: list[tuple[str, str]] = []
    at = start + 1
    while at < len(words) and words[at].startswith("-"):
        name, equals, value = words[at].lstrip("-").partition("=")
        if not equals and not _bare(words[at]):
            at += 1
            value = words[at] if at < len(words) else ""
        if name in ("e", "env"):
            key, _, setting = value.partition("=")
            env.append((key, setting))
        at += 1
    return env, words[at] if at < len(words) else "", words[at + 1 :]


def _image(words: list[str]) -> str:
    """A published image that the words name without `docker run`; empty where there is none."""
    names = (word.rpartition("=")[2] for word in words)
    return next((name for name in names if re.search(rf"(?:^|/)(?:{'|'.join(_REPOSITORIES)})[:@]", name)), "")


def _is_docker(word: str) -> bool:
    return word.rsplit("/", 1)[-1] in ("docker", "podman", "nerdctl")


def _bare(option: str) -> bool:
    """True for a docker option without a value, `-it` included."""
    if option.startswith("--"):
        return option[2:] in _BARE_DOCKER_LONG
    return set(option[1:]) <= _BARE_DOCKER
