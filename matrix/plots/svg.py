"""From a matplotlib figure to an SVG string that is deterministic, themable and safe inside a page with a strict CSP.

The page's policy forbids `style` attributes and elements, so styles become presentation attributes; ids are kept only
where something refers to them and are prefixed, so that two plots can share a page.
"""

import io
import re
from collections.abc import Iterator
from xml.etree import ElementTree as ET  # nosec B405

from matplotlib.figure import Figure

from matrix.plots.style import FALLBACKS, SENTINELS
from matrix.plots.text import printable

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "{http://www.w3.org/1999/xlink}href"
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_ROLE_OF = {sentinel: role for role, sentinel in SENTINELS.items()}
_DROPPED = {f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"}
_NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))

ET.register_namespace("", _SVG)


def render(drawing: Figure, *, name: str, title: str, description: str) -> str:
    """One `<svg role="img">` element whose title and description are read out; equal input gives equal text."""
    buffer = io.StringIO()
    drawing.savefig(buffer, format="svg", transparent=True, metadata=_NO_METADATA)
    # The text was written by matplotlib a line above; nothing from outside is parsed here.
    root = ET.fromstring(buffer.getvalue())  # noqa: S314  # nosec B314
    _prune(root)
    _label(root, name, title, description)
    _localise(root, name)
    for element in root.iter():
        _restyle(element)
    return written(root)


def sheet(width: int, height: int, *, name: str, title: str, description: str) -> ET.Element:
    """The same element, empty, for what is drawn without matplotlib."""
    size = {"width": str(width), "height": str(height), "viewBox": f"0 0 {width} {height}"}
    root = ET.Element(f"{{{_SVG}}}svg", size)
    _label(root, name, title, description)
    return root


def add(root: ET.Element, tag: str, role: str, text: str | None = None, **attributes: float | str) -> None:
    """Append an element in the colour of `role`; numbers are lengths in CSS pixels."""
    told = {key.replace("_", "-"): _length(value) for key, value in attributes.items()}
    colour = {"line": "stroke"}.get(tag, "fill")
    ET.SubElement(root, f"{{{_SVG}}}{tag}", told | {colour: _of_role(role)}).text = text


def written(root: ET.Element) -> str:
    """The element as text."""
    return ET.tostring(root, encoding="unicode")


def _prune(root: ET.Element) -> None:
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in _DROPPED or (child.tag == f"{{{_SVG}}}defs" and all(c.tag in _DROPPED for c in child)):
                parent.remove(child)


def _label(root: ET.Element, name: str, title: str, description: str) -> None:
    for size in ("width", "height"):
        root.set(size, root.get(size, "").removesuffix("pt"))
    root.attrib.pop("version", None)
    root.attrib |= {"role": "img", "aria-labelledby": f"{name}-title {name}-desc", "font-family": "inherit"}
    for position, (tag, text) in enumerate((("title", title), ("desc", description))):
        element = ET.Element(f"{{{_SVG}}}{tag}", {"id": f"{name}-{tag}"})
        element.text = printable(text)
        root.insert(position, element)


def _localise(root: ET.Element, name: str) -> None:
    used = {f"{name}-title", f"{name}-desc"}
    for element in root.iter():
        for key, target in _references(element):
            used.add(target)
            element.attrib.pop(key)
            element.set(*_referring(key, f"{name}-{target}"))
    for element in root.iter():
        own = element.attrib.pop("id", None)
        if own in used:
            element.set("id", own if own.startswith(f"{name}-") else f"{name}-{own}")


def _references(element: ET.Element) -> Iterator[tuple[str, str]]:
    for key, value in list(element.attrib.items()):
        match = _REFERENCE.fullmatch(value)
        if match:
            yield key, match[1]
        elif key == _XLINK and value.startswith("#"):
            yield key, value[1:]


def _referring(key: str, target: str) -> tuple[str, str]:
    return ("href", f"#{target}") if key == _XLINK else (key, f"url(#{target})")


def _restyle(element: ET.Element) -> None:
    for declaration in element.attrib.pop("style", "").split(";"):
        key, _, value = declaration.partition(":")
        if key.strip() and key.strip() != "font-family":
            element.set(key.strip(), _themed(value.strip()))
    for key in ("d", "x", "y", "transform"):
        if key in element.attrib:
            element.set(key, _NUMBER.sub(_short, " ".join(element.attrib[key].split())))
    if element.text and element.text.isspace():
        element.text = None
    element.tail = None


def _themed(value: str) -> str:
    role = _ROLE_OF.get(value.lower())
    return value if role is None else _of_role(role)


def _of_role(role: str) -> str:
    return f"var(--plot-{role}, {FALLBACKS[role]})"


def _short(match: re.Match[str]) -> str:
    return _length(float(match[0]))


def _length(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
