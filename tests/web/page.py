"""HTML as a tree, by the standard library's parser, for asking what a page says and where it leads."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"meta", "link", "img", "br", "wbr", "input", "hr"}


@dataclass
class Node:
    tag: str
    attrs: dict[str, str] = field(default_factory=dict)
    children: "list[Node | str]" = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join("".join(c if isinstance(c, str) else c.raw for c in self.children).split())

    @property
    def raw(self) -> str:
        return "".join(c if isinstance(c, str) else c.raw for c in self.children)

    @property
    def classes(self) -> set[str]:
        return set(self.attrs.get("class", "").split())

    def walk(self) -> "Iterator[Node]":
        yield self
        for child in self.children:
            if isinstance(child, Node):
                yield from child.walk()

    def all(self, tag: str = "", cls: str = "") -> "list[Node]":
        return [n for n in self.walk() if (not tag or n.tag == tag) and (not cls or cls in n.classes)]

    def one(self, tag: str = "", cls: str = "", id_: str = "") -> "Node":
        found = [n for n in self.all(tag, cls) if not id_ or n.attrs.get("id") == id_]
        assert len(found) == 1, f"{len(found)} of {tag} {cls} {id_}"
        return found[0]


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Node("#root")
        self.stack = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {k: v or "" for k, v in attrs})
        self.stack[-1].children.append(node)
        if tag not in _VOID:
            self.stack.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.stack[-1].children.append(Node(tag, {k: v or "" for k, v in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.stack[-1].tag == tag, f"</{tag}> closes <{self.stack[-1].tag}>"
        self.stack.pop()

    def handle_data(self, data: str) -> None:
        self.stack[-1].children.append(data)


def parse(html: str) -> Node:
    """The tree; an AssertionError when tags are not properly nested and closed."""
    builder = _Builder()
    builder.feed(html)
    builder.close()
    assert [n.tag for n in builder.stack] == ["#root"], f"left open: {builder.stack[-1].tag}"
    return builder.root
