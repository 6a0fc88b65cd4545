"""What `matrix demo` says at its end."""

import pytest

from matrix.cli import demo
from matrix.cli.main import main


@pytest.mark.parametrize(("code", "told"), [(0, True), (4, False)])
def test_once_names_the_next_step_where_it_succeeded(
    code: int, told: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "_sweep", lambda db: code)
    assert main(["demo", "--once"]) == code
    said = capsys.readouterr().err
    assert ("`matrix regressions`" in said and "`matrix serve`" in said) is told


def test_ctrl_c_at_the_dashboard_is_130_and_says_that_the_results_are_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: object
) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "_sweep", lambda db: 0)
    monkeypatch.setattr(demo, "wait_forever", interrupted)
    assert main(["demo", "--port", "0", "--db", f"sqlite:///{tmp_path}/m.db"]) == 130
    assert "the results are kept" in capsys.readouterr().err
