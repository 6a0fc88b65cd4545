"""The container to ask for, as data: pure, so that tests can read every limit in it."""

from pathlib import Path
from typing import Any

from docker.types import DeviceRequest, LogConfig, Mount, Ulimit

from matrix.core.errors import EnvironmentMismatchError
from matrix.core.recipe import LaunchPlan
from matrix.executors.docker import relay
from matrix.executors.docker.labels import RELAY
from matrix.executors.docker.logs import DAEMON_FILES, DAEMON_MIB
from matrix.executors.docker.paths import HOME, PORT
from matrix.executors.docker.settings import DockerSettings
from matrix.executors.docker.user import User

NO_NETWORK = "none"
_GIB = 2**30
_LOOPBACK = "127.0.0.1"
_GPU_SHM_GIB = 32.0
_GPU_ULIMITS = (("memlock", -1), ("stack", 64 * 2**20))
_PIDS_EACH_GPU = 4


def container_request(
    image: str, launch: LaunchPlan, mounts: list[Mount], labels: dict[str, str], settings: DockerSettings, user: User
) -> dict[str, Any]:
    """Arguments of `client.containers.create`: the engine, walled in.

    The root is read-only; engines compile into their home and /tmp, so these are tmpfs with exec (their content counts
    as the container's memory). Swap is off: a limit that swaps is a slow engine, not a limit. The environment is the
    plan's alone, on top of the image's; a variable set to None is taken out of the image's.

    With GPUs the plan's sizes, which are made for small CPU models, do not count: memory is limited where the user says
    so, shared memory is what SGLang's documentation gives it (32 GiB, a bound and not a reservation), the limits on
    locked memory and stack are those that NVIDIA's PyTorch images ask for, and each GPU adds to the processes.
    """
    memory = _memory(launch, settings)
    gpus = launch.gpus
    return {
        "image": image,
        "entrypoint": ["python3"],
        "command": ["-m", launch.module, *launch.args],
        "environment": user.env | dict.fromkeys(launch.unset) | dict(launch.env),
        "labels": labels,
        "user": f"{user.uid}:{user.gid}",
        "group_add": list(user.groups),
        "working_dir": HOME,
        "init": True,
        "mounts": mounts,
        "ports": {f"{PORT}/tcp": (_LOOPBACK, None)},
        "network": settings.network,
        "read_only": True,
        "tmpfs": {
            "/tmp": "rw,exec,nosuid,nodev,mode=1777",  # noqa: S108 - inside the container
            HOME: f"rw,exec,nosuid,nodev,mode=0700,uid={user.uid},gid={user.gid}",
        },
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "mem_limit": memory,
        "memswap_limit": memory,
        "pids_limit": settings.pids_limit * (1 + _PIDS_EACH_GPU * gpus),
        "shm_size": int((settings.shm_gib or (_GPU_SHM_GIB if gpus else launch.shm_gib)) * _GIB),
        "ulimits": [Ulimit(name=name, soft=limit, hard=limit) for name, limit in (_GPU_ULIMITS if gpus else ())],
        "device_requests": _gpus(launch.gpus, tuple(d.uuid for d in launch.devices) or settings.gpu_uuids),
        "log_config": LogConfig(type="json-file", config={"max-size": f"{DAEMON_MIB}m", "max-file": str(DAEMON_FILES)}),
    }


def without_network(request: dict[str, Any], sockets: Path) -> dict[str, Any]:
    """The request of a server that reaches nothing but itself, and is reached by a Unix socket in the folder `sockets`.

    Engines look for an address of their host and for an interface that leads out: there is loopback alone.
    """
    alone = dict.fromkeys(("VLLM_HOST_IP", "SGLANG_HOST_IP"), _LOOPBACK)
    alone |= dict.fromkeys(("GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME"), "lo")
    return request | {
        "command": [*relay.program(PORT), *request["command"]],
        "environment": alone | request["environment"],
        "labels": request["labels"] | {RELAY: str(sockets)},
        "mounts": [*request["mounts"], Mount(target=relay.SOCKETS, source=str(sockets), type="bind")],
        "network": NO_NETWORK,
        "ports": {},
    }


def _memory(launch: LaunchPlan, settings: DockerSettings) -> int | None:
    """Bytes; None is no limit."""
    if settings.memory_gib is None and launch.gpus:
        return None
    return int((settings.memory_gib or launch.memory_gib) * _GIB)


def _gpus(count: int, uuids: tuple[str, ...]) -> list[DeviceRequest]:
    if count == 0:
        return []
    if not uuids:
        return [DeviceRequest(count=count, capabilities=[["gpu"]])]
    if len(uuids) < count:
        cause = f"the cell needs {count} GPUs and {len(uuids)} may be used"
        raise EnvironmentMismatchError(cause, hint="name more GPUs, or run the cell on another host")
    return [DeviceRequest(device_ids=list(uuids[:count]), capabilities=[["gpu"]])]


def command_line(request: dict[str, Any], image_name: str) -> tuple[str, ...]:
    """`docker run` with the same arguments, for a person who wants to see the same thing happen.

    A server without a network could not be asked by a person, so there it is the daemon's own.
    """
    words = ["docker", "run", "--rm", "--read-only", "--init", "--cap-drop", "ALL"]
    words += ["--security-opt", "no-new-privileges", "--user", request["user"], "--workdir", request["working_dir"]]
    words += [w for group in request["group_add"] for w in ("--group-add", str(group))]
    if request["mem_limit"] is not None:
        words += ["--memory", str(request["mem_limit"]), "--memory-swap", str(request["memswap_limit"])]
    words += ["--pids-limit", str(request["pids_limit"]), "--shm-size", str(request["shm_size"])]
    words += [w for u in request["ulimits"] for w in ("--ulimit", f"{u['Name']}={u['Soft']}")]
    words += [w for at, options in request["tmpfs"].items() for w in ("--tmpfs", f"{at}:{options}")]
    words += [w for m in request["mounts"] for w in ("--volume", f"{m['Source']}:{m['Target']}:ro")]
    words += [w for d in request["device_requests"] for w in ("--gpus", _gpu_words(d))]
    words += ["--network", request["network"]] if request["network"] not in (None, NO_NETWORK) else []
    words += [w for k, v in request["environment"].items() if v is not None for w in ("--env", f"{k}={v}")]
    words += ["--publish", f"{_LOOPBACK}:{PORT}:{PORT}", "--entrypoint", request["entrypoint"][0], image_name]
    return (*words, *request["command"])


def _gpu_words(device: DeviceRequest) -> str:
    ids = device["DeviceIDs"]
    return f'"device={",".join(ids)}"' if ids else str(device["Count"])
