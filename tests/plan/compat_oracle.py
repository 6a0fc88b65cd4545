"""The rule of `matrix compat` once more, by brute force over plain dictionaries: slow, short, nothing shared."""
# fmt: off

from typing import Any

Row = dict[str, Any]
BAD = {"degraded", "collapsed", "broken", "slower", "wrong-output"}


def fits(c: Row, q: Row) -> bool:
    for key in ("draft", "method"):
        if q[key] is not None and c[key] != q[key] and not (c["kind"] == "known" and c[key] is None):
            return False
    if q["engine"] is not None and c["engine"] != q["engine"]:
        return False
    if q["k"] is not None and c["k"] is not None and c["k"] != q["k"]:
        return False
    return q["gpu"] is None or c["gpu"] is None or q["gpu"] in c["gpu"]

def replaced(c: Row, claims: list[Row]) -> bool:
    same = [o for o in claims if o["kind"] == "measured" and all(o[x] == c[x] for x in ("engine", "low", "gpu", "series"))]
    return c["kind"] == "measured" and any((o["at"], o["ref"]) > (c["at"], c["ref"]) for o in same)

def level(c: Row) -> int:
    return 0 if c["kind"] == "measured" else 1 if c["low"] == c["high"] != 0 else 2 if c["low"] else 3

def better(a: Row, b: Row) -> bool:
    if level(a) != level(b):
        return level(a) < level(b)
    if a["engine"] == b["engine"] and level(a) < 2 and a["low"] != b["low"]:
        return bool(a["low"] > b["low"])
    for x, y in ((a["speedup"] or 0, b["speedup"] or 0), (a["at"], b["at"])):
        if x != y:
            return bool(x > y)
    return bool(a["engine"] < b["engine"] if a["engine"] != b["engine"] else a["ref"] > b["ref"])

def disproved(c: Row, about: list[Row]) -> bool:
    against = [o for o in about if o["kind"] != "reported" and o["state"] in BAD and o["engine"] == c["engine"]]
    return level(c) == 1 and any(o["low"] <= c["low"] <= o["high"] for o in against)

def oracle(claims: list[Row], q: Row) -> tuple[str, Any]:
    """(answer, reference of the choice or None). Versions are whole numbers; 0 is unknown, low to high a range."""
    about = [c for c in claims if fits(c, q)]
    about = [c for c in about if not replaced(c, about)]
    fine = [c for c in about if c["state"] == "healthy" and c["kind"] != "known"]
    good = [c for c in fine if c["kind"] == "measured" or not disproved(c, about)]
    heads = [c for c in good if all(c is o or o["engine"] != c["engine"] or better(c, o) for o in good)]
    for c in heads:
        if all(c is o or better(c, o) for o in heads):
            return ("recommended" if c["kind"] == "measured" else "reported"), c["ref"]
    if any(c["state"] in BAD and c["kind"] != "known" for c in about):
        return "broken", None
    never = {c["engine"] for c in about if c["kind"] == "known" and c["state"] in BAD and (c["low"], c["high"]) == (1, 99)}
    return ("excluded" if ({q["engine"]} if q["engine"] else {"sglang", "vllm"}) <= never else "not-tested"), None
