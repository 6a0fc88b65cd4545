"""The container that is asked for, read as data; no daemon."""

from pathlib import Path
from typing import Any

import pytest
from docker.types import Mount

from matrix.core.errors import EnvironmentMismatchError
from matrix.core.recipe import Device, LaunchPlan
from matrix.executors.docker.request import command_line, container_request, without_network
from matrix.executors.docker.settings import DockerSettings
from matrix.executors.docker.user import User

GIB = 2**30
LABELS = {"org.specmatrix.managed": "1", "org.specmatrix.run": "r1"}
MOUNTS = [Mount(target="/models/target", source="/data/m", type="bind", read_only=True)]


def ask(settings: DockerSettings | None = None, user: User | None = None, **plan: Any) -> dict[str, Any]:
    launch = LaunchPlan("engine.server", ("--port", "8000"), **plan)
    return container_request(
        "sha256:abc", launch, MOUNTS, LABELS, settings or DockerSettings(), user or User(1000, 100)
    )


def test_whole_request() -> None:
    assert ask(env=(("A", "1"),), unset=("B",), memory_gib=6, shm_gib=0.5) == {
        "image": "sha256:abc",
        "entrypoint": ["python3"],
        "command": ["-m", "engine.server", "--port", "8000"],
        "environment": {"A": "1", "B": None},
        "labels": LABELS,
        "user": "1000:100",
        "group_add": [],
        "working_dir": "/home/engine",
        "init": True,
        "mounts": [{"Target": "/models/target", "Source": "/data/m", "Type": "bind", "ReadOnly": True}],
        "ports": {"8000/tcp": ("127.0.0.1", None)},
        "network": None,
        "read_only": True,
        "tmpfs": {
            "/tmp": "rw,exec,nosuid,nodev,mode=1777",
            "/home/engine": "rw,exec,nosuid,nodev,mode=0700,uid=1000,gid=100",
        },
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "mem_limit": 6 * GIB,
        "memswap_limit": 6 * GIB,
        "pids_limit": 1024,
        "shm_size": GIB // 2,
        "ulimits": [],
        "device_requests": [],
        "log_config": {"Type": "json-file", "Config": {"max-size": "64m", "max-file": "2"}},
    }


def test_a_server_without_a_network_has_a_socket_and_no_port() -> None:
    usual = ask()
    request = without_network(usual, Path("/tmp/specmatrix-relay-1"))
    assert (request["network"], request["ports"]) == ("none", {})
    assert request["command"][-3:] == ["engine.server", "--port", "8000"]
    assert request["mounts"][:-1] == MOUNTS
    assert request["mounts"][-1]["Target"] == "/run/specmatrix"
    assert request["environment"]["GLOO_SOCKET_IFNAME"] == "lo"
    assert request["labels"] == LABELS | {"org.specmatrix.relay": "/tmp/specmatrix-relay-1"}
    assert {k for k in usual if usual[k] != request[k]} == {
        "command",
        "environment",
        "labels",
        "mounts",
        "network",
        "ports",
    }


def test_users_limits_outrank_the_plans() -> None:
    settings = DockerSettings(memory_gib=3, shm_gib=2, pids_limit=99, network="lab")
    request = ask(settings, memory_gib=6, shm_gib=0.5)
    assert request["mem_limit"] == request["memswap_limit"] == 3 * GIB
    assert (request["shm_size"], request["pids_limit"], request["network"]) == (2 * GIB, 99, "lab")


def test_plan_that_sets_what_it_unsets_sets_it() -> None:
    assert ask(env=(("A", "1"),), unset=("A",))["environment"] == {"A": "1"}


def test_gpus_by_count_where_none_are_named() -> None:
    (device,) = ask(gpus=2)["device_requests"]
    assert (device["Count"], device["DeviceIDs"], device["Capabilities"]) == (2, [], [["gpu"]])


def test_gpus_by_uuid_in_the_order_given() -> None:
    (device,) = ask(DockerSettings(gpu_uuids=("GPU-c", "GPU-a", "GPU-b")), gpus=2)["device_requests"]
    assert (device["Count"], device["DeviceIDs"]) == (0, ["GPU-c", "GPU-a"])


def test_leased_gpus_outrank_those_that_may_be_used() -> None:
    leased = (Device(3, "GPU-d"), Device(1, "GPU-b"))
    (device,) = ask(DockerSettings(gpu_uuids=("GPU-a", "GPU-b")), gpus=2, devices=leased)["device_requests"]
    assert (device["Count"], device["DeviceIDs"]) == (0, ["GPU-d", "GPU-b"])


def test_more_gpus_than_named_are_refused() -> None:
    with pytest.raises(EnvironmentMismatchError, match="needs 2 GPUs and 1 may be used"):
        ask(DockerSettings(gpu_uuids=("GPU-a",)), gpus=2)


def test_command_line_repeats_the_request() -> None:
    settings = DockerSettings(gpu_uuids=("GPU-a", "GPU-b"), network="lab")
    words = command_line(ask(settings, env=(("A", "1"),), unset=("B",), gpus=2), "specmatrix/x:1")
    line = " ".join(words)
    assert line.startswith("docker run --rm --read-only --init --cap-drop ALL --security-opt no-new-privileges")
    assert line.endswith("--entrypoint python3 specmatrix/x:1 -m engine.server --port 8000")
    for part in (
        "--user 1000:100",
        f"--shm-size {32 * GIB} --ulimit memlock=-1",
        "--tmpfs /tmp:rw,exec,nosuid,nodev,mode=1777",
        "--volume /data/m:/models/target:ro",
        '--gpus "device=GPU-a,GPU-b"',
        "--network lab",
        "--env A=1",
        "--publish 127.0.0.1:8000:8000",
    ):
        assert part in line
    assert "--env B" not in line
    assert "--memory" not in line, "no limit was asked for"
    assert f"--memory {8 * GIB} --memory-swap {8 * GIB}" in " ".join(command_line(ask(), "x:1"))


def test_gpus_bring_their_own_limits_and_the_users_still_outrank_them() -> None:
    request = ask(gpus=2)
    assert request["mem_limit"] is request["memswap_limit"] is None
    assert (request["shm_size"], request["pids_limit"]) == (32 * GIB, 1024 * 9)
    assert [(u["Name"], u["Soft"], u["Hard"]) for u in request["ulimits"]] == [
        ("memlock", -1, -1),
        ("stack", 67108864, 67108864),
    ]
    request = ask(DockerSettings(memory_gib=100, shm_gib=4), gpus=1)
    assert (request["mem_limit"], request["shm_size"]) == (100 * GIB, 4 * GIB)


def test_root_of_a_published_image_is_in_the_users_group_and_has_a_home() -> None:
    request = ask(user=User(0, 0, (100,), {"HOME": "/home/engine"}), env=(("A", "1"),))
    assert (request["user"], request["group_add"]) == ("0:0", [100])
    assert request["environment"] == {"HOME": "/home/engine", "A": "1"}
    assert request["tmpfs"]["/home/engine"].endswith("uid=0,gid=0")
    assert "--group-add 100" in " ".join(command_line(request, "x:1"))
