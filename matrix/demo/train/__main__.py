"""``python -m matrix.demo.train``: trains the demo's models."""

import argparse
import json
from dataclasses import replace
from pathlib import Path

from matrix.demo.train.settings import TOY_SCHEDULE, TOY_SHAPE, Schedule, Shape
from matrix.demo.train.text import read_corpus, standard_library


def main(arguments: list[str] | None = None) -> int:
    """Trains as asked and prints the report. Exits 2 with one line when text, device or a package is missing."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        import torch

        from matrix.demo.train.pipeline import train_all
    except ImportError as error:
        parser.error(f"{error.name} is not installed: training needs torch, tokenizers and safetensors")
    if options.device == "cuda" and not torch.cuda.is_available():
        parser.error("--device cuda: torch sees no GPU here; use --device cpu")
    shape, schedule = (TOY_SHAPE, TOY_SCHEDULE) if options.toy else (Shape(), Schedule())
    asked = {name: value for name in ("steps", "batch", "seed") if (value := getattr(options, name)) is not None}
    schedule = replace(schedule, **asked)
    try:
        corpus = read_corpus(options.text, schedule.seed)
    except FileNotFoundError as error:
        parser.error(str(error))
    device = options.device if options.device != "auto" else "cuda" if torch.cuda.is_available() else "cpu"
    print(json.dumps(train_all(corpus, shape, schedule, torch.device(device), options.out), indent=1))
    return 0


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError(text)
    return value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m matrix.demo.train", description="Trains the demo's models.")
    parser.add_argument("--out", type=Path, required=True, help="folder to write the models into")
    parser.add_argument("--text", type=Path, default=standard_library(), help="folder of Python sources to train on")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--steps", type=_positive, help=f"optimizer steps of each model (default {Schedule().steps})")
    parser.add_argument("--batch", type=_positive, help=f"texts a step (default {Schedule().batch})")
    parser.add_argument("--seed", type=int, help="of weights, batches and texts (default 0)")
    parser.add_argument("--toy", action="store_true", help="a few seconds' training of toy sizes, to try the script")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
