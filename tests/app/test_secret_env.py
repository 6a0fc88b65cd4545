"""Secret variables of a server: their values reach it, and nothing that is kept."""

from dataclasses import replace
from pathlib import Path

import pytest

from matrix.app.gather import Source
from matrix.app.secret_env import Secrets, kept_text, passed, secrets_of
from matrix.app.sweep import run_sweep
from matrix.core.cell import Cell, LaunchOptions
from matrix.core.errors import ConfigError, InfraError
from matrix.core.outcome import Outcome
from matrix.core.recipe import LaunchPlan
from matrix.core.secret import is_secret, marked
from matrix.engines.userline import user_line
from matrix.store import Store
from tests.app.build import FakeExecutor, Seen, cell
from tests.app.test_sweep import plan
from tests.plan.build import MINIMAL

KEY = "plain-words-99"


def source(folder: Path, engine: str, text: str | None = None) -> Source:
    file = folder / "matrix.toml"
    file.write_text(MINIMAL.replace("[engines.vllm]", f"[engines.vllm]\n{engine}"))
    return Source(file, text=text)


def with_env(**env: str) -> Cell:
    base = cell("baseline")
    return replace(base, launch=replace(base.launch, env=tuple(sorted(env.items()))))


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("HF_TOKEN", "hf_x", True),
        ("MY_API_KEY", KEY, True),
        ("APIKEY", KEY, True),
        ("db_password", "x", True),
        ("AWS_SECRET_ACCESS_KEY_2", "a/b", True),
        ("MY_PASSWORD", "123456789", True),
        ("MAX_TOKENS", "8192", False),
        ("USE_KEY", "true", False),
        ("TOKENIZERS_PARALLELISM", "false", False),
        ("TOKENIZER_MODE", "slow", False),
        ("HF_HOME", "/x", False),
        ("HF_TOKEN", marked("x"), False),
        ("HF_TOKEN", "[redacted]", False),
    ],
)
def test_names_tell_which_values_are_secret(name: str, value: str, secret: bool) -> None:
    assert is_secret(name, value) is secret


def test_a_cell_never_holds_a_value_and_its_keys_stay() -> None:
    made = LaunchOptions(env=(("HF_TOKEN", "hf_short"), ("A", "b")))
    assert "hf_short" not in repr(made)
    assert LaunchOptions(env=made.env) == made
    assert with_env(HF_TOKEN="one").series_key == with_env(HF_TOKEN=marked("one")).series_key
    assert with_env(HF_TOKEN="one").series_key != with_env(HF_TOKEN="two").series_key
    assert with_env(MAX_TOKENS="32").launch.env == (("MAX_TOKENS", "32"),)


@pytest.mark.parametrize(
    "line",
    [
        f'env = {{ MY_API_KEY = "{KEY}", A = "b" }}',
        f"env = {{ MY_API_KEY='{KEY}' }}",
        f'env."MY_API_KEY" = "{KEY}"',
        f'env.MY_API_KEY = """{KEY}"""',
        'env = { MY_API_KEY = "plain\\u002Dwords-99" }',
    ],
)
def test_the_config_is_kept_with_marks_and_stays_a_config(tmp_path: Path, line: str) -> None:
    whole = source(tmp_path, line)
    assert whole.config.engines["vllm"].env["MY_API_KEY"] == KEY
    text = kept_text(whole)
    assert "words" not in text
    stored = source(tmp_path, line, text)
    assert stored.config.engines["vllm"].env["MY_API_KEY"] == marked(KEY)
    assert secrets_of(stored, {}).known == {"MY_API_KEY": (KEY,)}


def test_where_the_file_is_not_the_environment_tells(tmp_path: Path) -> None:
    whole = source(tmp_path, f'env = {{ MY_API_KEY = "{KEY}" }}')
    stored = Source(tmp_path / "elsewhere.toml", text=kept_text(whole))
    env = (("A", "b"), ("MY_API_KEY", marked(KEY)))
    with pytest.raises(InfraError, match=r"the value of MY_API_KEY is not known here.*export MY_API_KEY"):
        secrets_of(stored, {}).filled(env)
    assert secrets_of(stored, {"MY_API_KEY": KEY}).filled(env) == (("A", "b"), ("MY_API_KEY", KEY))


def test_the_value_that_was_meant_is_chosen_and_a_renewed_one_will_do() -> None:
    both = Secrets({"T": ("new-token", "old-token")})
    assert both.filled([("T", marked("old-token"))]) == (("T", "old-token"),)
    assert both.filled([("T", marked("lost-token"))]) == (("T", "new-token"),)
    assert both.filled([("T", "[redacted]")]) == (("T", "new-token"),)


def test_longer_values_are_hidden_before_those_that_they_hold() -> None:
    secrets = Secrets({"A": ("plain-words",), "B": ("plain-words-99", "short")})
    assert secrets.hidden("plain-words-99 plain-words short") == "[redacted] [redacted] short"


def test_env_from_takes_the_value_of_where_it_is_started(tmp_path: Path) -> None:
    made = source(tmp_path, 'env_from = ["LOGIN"]')
    assert passed(made, "vllm", {"LOGIN": KEY}) == {"LOGIN": marked(KEY)}
    assert secrets_of(made, {"LOGIN": KEY}).filled([("LOGIN", marked(KEY))]) == (("LOGIN", KEY),)
    with pytest.raises(ConfigError, match=r"matrix.toml:2: engines.vllm.env_from: `LOGIN` is not set"):
        passed(made, "vllm", {})


def test_a_user_s_line_names_the_variable(tmp_path: Path) -> None:
    assert user_line(with_env(MY_API_KEY=KEY)).startswith('MY_API_KEY="$MY_API_KEY" ')


class Watching(FakeExecutor):
    """Keeps what servers are started with, and shows it in the command as a container's is."""

    env: dict[str, str]

    def serve(self, artifact, cell, plan, run_id, log):  # type: ignore[no-untyped-def]
        def seen(place):  # type: ignore[no-untyped-def]
            launch: LaunchPlan = plan(place)
            self.env = dict(launch.env)
            return launch

        server = super().serve(artifact, cell, seen, run_id, log)
        server.command = ("run", "--env", f"LOGIN={self.env['LOGIN']}")
        return server


def test_the_server_gets_the_value_and_the_database_does_not(
    tmp_path: Path, stored: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGIN", KEY)
    executor = Watching()
    wanted = replace(with_env(LOGIN=marked(KEY)), boot=3)
    run_sweep(plan(tmp_path, wanted, engine='env_from = ["LOGIN"]'), executor, stored, Seen())
    (row,) = stored.read.results()
    assert (row.outcome, executor.env["LOGIN"]) == ("ok", KEY)
    assert stored.read.run(row.run_id).command == ["run", "--env", "LOGIN=[redacted]"]
    assert stored.file is not None
    whole = b"".join(path.read_bytes() for path in stored.file.parent.glob(f"{stored.file.name}*"))
    assert KEY.encode() not in whole
    assert marked(KEY).encode() in whole


def test_a_value_that_nobody_knows_here_is_infra_before_anything_is_built(tmp_path: Path, stored: Store) -> None:
    executor = FakeExecutor(fail=InfraError("must not be built"))
    run_sweep(plan(tmp_path, with_env(LOGIN=marked(KEY))), executor, stored, Seen())
    (row,) = stored.read.results()
    assert row.outcome == Outcome.INFRA
    assert "the value of LOGIN is not known here" in row.reason


def test_a_failure_that_repeats_the_value_is_told_without_it(
    tmp_path: Path, stored: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGIN", KEY)
    executor = FakeExecutor(fail=InfraError(f"bad request: LOGIN is {KEY}", hint=f"not {KEY}"), fail_at="serve")
    run_sweep(plan(tmp_path, with_env(LOGIN=marked(KEY)), engine='env_from = ["LOGIN"]'), executor, stored, Seen())
    (row,) = stored.read.results()
    assert row.reason == "bad request: LOGIN is [redacted]"
    assert KEY not in repr(stored.read.run(row.run_id))
