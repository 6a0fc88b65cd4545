"""Draws every image and writes the prompts that show them. Only for a scene that changed: it makes a new workload."""

import hashlib
import json
from pathlib import Path

from matrix.probes.workloads.drawing.canvas import Canvas
from matrix.probes.workloads.drawing.scenes import SCENES, Scene


def drawn(scene: Scene) -> Canvas:
    """The scene's picture."""
    canvas = Canvas(*scene.size)
    scene.draw(canvas)
    return canvas


def write(folder: Path) -> None:
    """`images/ID.png` for each scene, and `standard-images.jsonl` with the hash of each file."""
    (folder / "images").mkdir(exist_ok=True)
    lines = []
    for scene in SCENES:
        name, content = f"images/{scene.id}.png", drawn(scene).png()
        (folder / name).write_bytes(content)
        body = {"id": scene.id, "kind": scene.kind, "text": scene.question, "chat": True, "image": name}
        lines.append(json.dumps(body | {"sha256": hashlib.sha256(content).hexdigest()}) + "\n")
    (folder / "standard-images.jsonl").write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    write(Path(__file__).resolve().parents[1])
