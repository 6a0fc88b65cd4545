"""Builds the stub server's Dockerfile, and cells and plans to serve it with."""

import base64
import os
import uuid
from collections.abc import Callable
from pathlib import Path

from matrix.core.cell import Cell, LaunchOptions
from matrix.core.hardware import Hardware
from matrix.core.model import Model
from matrix.core.recipe import LaunchPlan, Placement, Recipe
from matrix.core.revision import Revision
from matrix.core.spec import BASELINE, Method, SpecConfig
from matrix.core.workload import Workload

BASE_IMAGE = os.environ.get("MATRIX_TEST_BASE_IMAGE", "specmatrix-test/base:bookworm")

_TEMPLATE = """\
ARG BASE_IMAGE
FROM ${{BASE_IMAGE}} AS build
ARG OWNER
ARG BUILD
LABEL org.specmatrix.managed=1 org.specmatrix.stage=build org.specmatrix.owner=$OWNER org.specmatrix.build=$BUILD
COPY inputs /inputs
ARG REQUIREMENTS
RUN {steps}
FROM ${{BASE_IMAGE}}
COPY --from=build /opt/engine /opt/engine
ENV PYTHONPATH=/opt/engine HOME=/home/engine FROM_IMAGE=1 UNWANTED=1 PYTHONUNBUFFERED=1
"""


def stub_dockerfile(*more_steps: str) -> str:
    """A Dockerfile of the same two stages as the real ones: `python3 -m stub_server` is the engine."""
    source = base64.b64encode(Path(__file__).with_name("stub_server.py").read_bytes()).decode()
    steps = [
        "mkdir -p /opt/engine",
        f"echo {source} | base64 -d > /opt/engine/stub_server.py",
        r'printf "zlib-stub==2\nabc-stub==1\n" > /opt/engine/lock.txt',
        *more_steps,
    ]
    return _TEMPLATE.format(steps=" && ".join(steps))


def stub_recipe(name: str) -> Recipe:
    """A recipe that no other test has, whose image the stub's Dockerfile makes."""
    return Recipe(name, ("abc-stub==1",), remove=(uuid.uuid4().hex,))


def stub_cell(target: Path, draft: Path | None = None) -> Cell:
    spec = SpecConfig("drafted", Method.EAGLE3, Model("draft", str(draft)), 3) if draft else BASELINE
    return Cell(
        revision=Revision("stub", "1.0"),
        target=Model("target", str(target)),
        spec=spec,
        launch=LaunchOptions(),
        workload=Workload("none", (), max_tokens=1),
        hardware=Hardware("any", 2),
        executor="docker",
        install="stub",
    )


def stub_plan(*args: str, gpus: int = 0) -> Callable[[Placement], LaunchPlan]:
    env = (("FROM_PLAN", "yes"),)
    return lambda place: LaunchPlan("stub_server", args, env=env, unset=("UNWANTED",), gpus=gpus)
