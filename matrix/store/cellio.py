"""Cells and workloads as JSON, and back without loss. A cell names its workload by content; prompts are stored once."""

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

from matrix.core.cell import Cell, LaunchOptions
from matrix.core.hardware import Hardware
from matrix.core.model import Model
from matrix.core.revision import Revision, RevisionKind
from matrix.core.spec import Method, SpecConfig
from matrix.core.workload import Prompt, Workload

Json = dict[str, Any]


def cell_to_json(cell: Cell) -> Json:
    """The cell as JSON data; its workload becomes `{"name", "content"}`."""
    return {
        "revision": asdict(cell.revision) | {"kind": cell.revision.kind.value},
        "target": asdict(cell.target),
        "spec": asdict(cell.spec) | {"method": cell.spec.method.value, "extra": [list(e) for e in cell.spec.extra]},
        "launch": asdict(cell.launch)
        | {"flags": list(cell.launch.flags), "env": [list(pair) for pair in cell.launch.env]},
        "workload": {"name": cell.workload.name, "content": cell.workload.content},
        "hardware": asdict(cell.hardware),
        "executor": cell.executor,
        "install": cell.install,
        "boot": cell.boot,
        "site": cell.site,
        "python": cell.python,
        "clone": cell.clone,
        "cherry_pick": list(cell.cherry_pick),
        "pins": list(cell.pins),
    }


def cell_from_json(body: Json, workload_of: Callable[[str], Workload]) -> Cell:
    """The cell that `cell_to_json` was given; `workload_of` finds a workload by its content hash."""
    spec, launch = body["spec"], body["launch"]
    workload = replace(workload_of(body["workload"]["content"]), name=body["workload"]["name"])
    return Cell(
        revision=revision_from_json(body["revision"]),
        target=Model(**body["target"]),
        spec=SpecConfig(
            **spec
            | {
                "method": Method(spec["method"]),
                "draft": Model(**spec["draft"]) if spec["draft"] else None,
                "extra": tuple((name, value) for name, value in spec["extra"]),
            }
        ),
        launch=LaunchOptions(
            **launch | {"flags": tuple(launch["flags"]), "env": tuple((name, value) for name, value in launch["env"])}
        ),
        workload=workload,
        hardware=Hardware(**body["hardware"]),
        executor=body["executor"],
        install=body["install"],
        boot=body["boot"],
        site=body.get("site", ""),
        python=body.get("python", ""),
        clone=body.get("clone", ""),
        cherry_pick=tuple(body.get("cherry_pick", ())),
        pins=tuple(body.get("pins", ())),
    )


def revision_from_json(body: Json) -> Revision:
    """The revision as a cell's JSON holds it."""
    return Revision(**body | {"kind": RevisionKind(body["kind"])})


def workload_to_json(workload: Workload) -> Json:
    """All of the workload; the name is that of whoever stored this content first."""
    return asdict(workload) | {"prompts": [asdict(prompt) for prompt in workload.prompts]}


def workload_from_json(body: Json) -> Workload:
    """The workload that `workload_to_json` was given."""
    return Workload(**body | {"prompts": tuple(Prompt(**prompt) for prompt in body["prompts"])})
