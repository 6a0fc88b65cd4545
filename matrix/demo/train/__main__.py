"""``python -m matrix.demo.train``: trains the demo's models."""

import argparse
import json
from dataclasses import replace
from pathlib import Path

import torch

from matrix.demo.train.pipeline import train_all
from matrix.demo.train.settings import TOY_SCHEDULE, TOY_SHAPE, Schedule, Shape
from matrix.demo.train.text import read_corpus, standard_library


def main(arguments: list[str] | None = None) -> int:
    """Trains as asked and prints the report; 0, or 2 with one line when the text or the device is missing."""
    options = _parser().parse_args(arguments)
    shape, schedule = (TOY_SHAPE, TOY_SCHEDULE) if options.toy else (Shape(), Schedule())
    asked = {name: value for name in ("steps", "batch", "seed") if (value := getattr(options, name)) is not None}
    schedule = replace(schedule, **asked)
    device = torch.device(_device(options.device))
    corpus = read_corpus(options.text, schedule.seed)
    print(json.dumps(train_all(corpus, shape, schedule, device, options.out), indent=1))
    return 0


def _device(asked: str) -> str:
    if asked == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    return asked


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m matrix.demo.train", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder to write the models into")
    parser.add_argument("--text", type=Path, default=standard_library(), help="folder of Python sources to train on")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--steps", type=int, help=f"optimizer steps of each model (default {Schedule().steps})")
    parser.add_argument("--batch", type=int, help=f"texts a step (default {Schedule().batch})")
    parser.add_argument("--seed", type=int, help="of weights, batches and texts (default 0)")
    parser.add_argument("--toy", action="store_true", help="a few seconds' training of toy sizes, to try the script")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
