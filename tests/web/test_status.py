"""The page of the service itself, and how long what is dear is kept."""

import threading
from dataclasses import replace

from tests.web import build
from tests.web.conftest import client_of
from tests.web.page import Node, parse
from tests.web.reader import DictReader
from web.kept import Kept


def page(reader: DictReader) -> Node:
    return parse(client_of(reader).get("/status").text)


def test_rates_come_with_their_n_and_unknown_is_said() -> None:
    rows = page(DictReader()).all("table")[0].one("tbody").all("tr")
    assert rows[0].text == "accept length 0.00 % 1.40 % 0 212"
    assert rows[1].text == "speed unknown unknown none 0"


def test_queue_gpus_holds_and_disk_are_there() -> None:
    text = page(DictReader()).text
    for words in (
        "1 running, 1 waiting",
        "prompt 4 of 16",
        "box GPU 0",
        "the good end",
        "at least",
        "SQLite",
        "5 of 8 cells",
    ):
        assert words in text


def test_nights_processes_owners_of_gpus_and_messages_are_told() -> None:
    shown = page(DictReader())
    told = {section.attrs["aria-labelledby"]: section for section in shown.all("section")}
    nights = [row.text for row in told["nights-h"].one("tbody").all("tr")]
    assert "failed due none" in nights[0] and nights[0].endswith("the disk is full")
    assert "running due 3" in nights[1] and nights[1].endswith("not yet none")
    workers = told["workers-h"].one("tbody").all("tr")
    assert [row.one("span", "word").text for row in workers] == ["working", "lost"]
    assert "bad" in workers[1].one("span", "word").classes
    assert "box GPU 0" in told["gpus-h"].text and "by box:71:abc" in told["gpus-h"].text
    for words in ("7 sent, 1 waiting", "1 regression", "by webhook", "2 attempts", "no such host"):
        assert words in told["messages-h"].text


def test_an_idle_service_without_docker_says_so() -> None:
    base = build.status()
    rows = replace(base.rows, waiting=0, held=0, jobs=[], gpus=[], artifacts=[])
    work = replace(base.work, ticks=[], workers=[], leases=[], messages=[], counts={})
    idle = replace(base, sweep=None, rows=rows, work=work, disk=replace(base.disk, images=None, database=None))
    text = page(DictReader(service=idle)).text
    for words in (
        "Nothing waits",
        "None is leased",
        "None was started yet",
        "None holds a cell",
        "No schedule has begun",
        "None waits",
        "no Docker daemon answers",
    ):
        assert words in text
    assert client_of(DictReader(service=idle)).get("/api/v1/status").json()["disk"]["database"] is None


def test_what_is_kept_is_worked_out_once_for_all_who_ask() -> None:
    calls: list[int] = []
    kept = Kept(lambda: calls.append(1) or len(calls), 600)
    threads = [threading.Thread(target=kept.get) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (kept.get(), len(calls)) == (1, 1)
    stale = Kept(lambda: calls.append(1) or len(calls), 0)
    assert (stale.get(), stale.get()) == (2, 3)
