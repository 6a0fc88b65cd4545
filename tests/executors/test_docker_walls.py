"""The walls around a served container, on a real daemon."""

import os
import socket
from pathlib import Path

import pytest
from docker import DockerClient

from tests.executors.docker_kit import Serve, of_run, seen

pytestmark = pytest.mark.docker


def test_walls_hold_from_inside(serve: Serve, docker_daemon: DockerClient) -> None:
    inside = seen(serve("serve"))
    assert inside["write"] == {
        "/made": "refused: Read-only file system",
        "/opt/made": "refused: Read-only file system",
        "/models/target/made": "refused: Read-only file system",
        "/tmp/made": "written",
        "~/made": "written",
    }
    assert inside["exec"] == {"/tmp": "ran", "~": "ran"}
    assert set(inside["caps"].values()) == {"0000000000000000"}
    assert set(inside["raised"].values()) == {"refused"}, inside["raised"]
    assert inside["daemon"] == []
    assert inside["no_new_privs"] == "1"
    assert inside["seccomp"] == "2"
    assert inside["user"] == [os.getuid(), os.getgid()]
    assert inside["shm"] == 2**25
    assert inside["models"] == {"target": ["config.json"]}


def test_limits_are_the_daemons(serve: Serve, docker_daemon: DockerClient, run_id: str) -> None:
    serve("serve")
    (container,) = of_run(docker_daemon, run_id)
    limits = container.attrs["HostConfig"]
    assert (limits["Memory"], limits["MemorySwap"], limits["PidsLimit"]) == (2**28, 2**28, 64)
    assert limits["Init"] is True
    assert limits["Privileged"] is False


def test_environment_is_the_plans_on_top_of_the_images(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FROM_HOST", "leaked")
    env = seen(serve("serve"))["env"]
    assert (env["FROM_PLAN"], env["FROM_IMAGE"]) == ("yes", "1")
    assert "FROM_HOST" not in env
    assert "UNWANTED" not in env


def test_port_is_open_on_loopback_only(serve: Serve) -> None:
    server = serve("serve")
    seen(server)
    host, _, port = server.url.removeprefix("http://").partition(":")
    assert host == "127.0.0.1"
    probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    probe.connect(("192.0.2.1", 9))  # sends nothing; only asks the kernel for this host's own address
    outside = probe.getsockname()[0]
    probe.close()
    with pytest.raises(OSError, match=r"refused|timed out|unreachable"):
        socket.create_connection((outside, int(port)), timeout=3)


def test_target_and_draft_are_mounted_where_the_plan_says(serve: Serve, tmp_path: Path) -> None:
    draft = tmp_path / "draft"
    draft.mkdir()
    (draft / "head.bin").write_text("")
    assert seen(serve("serve", draft=draft))["models"] == {"target": ["config.json"], "draft": ["head.bin"]}
