"""The scripted engine as a process: what executors and sweeps start in place of a real one."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from matrix.core.ports import ServerExit
from matrix.probes.client import Client, Rendered
from matrix.probes.faults import EngineFaultError
from matrix.probes.readiness import wait_ready

CONFIG = json.dumps({"method": "eagle3", "model": "/models/head", "num_speculative_tokens": 2})
SPEC = ("--speculative-config", CONFIG, "--per-request-spec-decode-metrics", "summary")


class Running:
    """A process as `wait_ready` sees it, and the address that it printed."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def poll(self) -> ServerExit | None:
        code = self.process.poll()
        return None if code is None else ServerExit(code)

    def said(self, word: str) -> str:
        assert self.process.stdout
        return next(line for line in self.process.stdout if word in line).strip()


@contextmanager
def running(script: dict[str, object], *args: str) -> Iterator[Running]:
    env = os.environ | {"FAKE_ENGINE_SCRIPT": json.dumps(script)}
    command = [sys.executable, "-m", "tests.fakes.engine", "--model", "/models/target", "--served-model-name", "run-7"]
    with subprocess.Popen([*command, *args], stdout=subprocess.PIPE, text=True, env=env) as process:
        try:
            yield Running(process)
        finally:
            process.kill()


def test_script_is_chosen_by_method_and_version() -> None:
    script = {
        "version": "0.32.0",
        "by_method": {"eagle3": {"acceptance": [1.0, 1.0, 1.0]}},
        "by_version": {"0.32.0": {"mode": "no-metrics"}, "0.27.1": {"mode": "crash"}},
    }
    with running(script, *SPEC, "--dtype", "bfloat16", "--enforce-eager") as server:
        assert "method='eagle3', model='/models/head', num_spec_tokens=2" in server.said("Initializing a V1")
        client = Client(server.said("Starting").rpartition(" ")[2], "run-7")
        wait_ready(client, server, deadline_s=30)
        block = client.complete(Rendered("x"), 10).speculative
        assert block is not None and len(block["acceptance_histogram"]) == 3 and block["mean_acceptance_length"] == 3
        assert client.scrape() is None


def test_baseline_has_no_speculation() -> None:
    with running({"acceptance": [0.5]}) as server:
        client = Client(server.said("Starting").rpartition(" ")[2], "run-7")
        wait_ready(client, server, deadline_s=30)
        assert client.complete(Rendered("x"), 10).speculative is None
        assert "spec_decode" not in (client.scrape() or "")


def test_crash_at_load_prints_its_log_and_its_exit_status() -> None:
    with running({"mode": "crash", "log": "ValueError: no parameter named 'd2t'", "exit_code": 1}) as server:
        assert server.said("no parameter")
        assert server.process.wait(20) == 1


def test_death_while_serving_may_exit_zero() -> None:
    with running({"mode": "dies", "log": "EngineDeadError", "exit_code": 0}) as server:
        client = Client(server.said("Starting").rpartition(" ")[2], "run-7")
        with pytest.raises(EngineFaultError, match="connection broke"):
            client.complete(Rendered("x"), 10)
        assert server.said("EngineDeadError") and server.process.wait(20) == 0
