from fastapi.testclient import TestClient

from tests.web import build
from tests.web.conftest import client_of
from tests.web.page import parse
from tests.web.reader import DictReader


def test_sweep_page_lists_cells_with_phase_and_outcome(client: TestClient) -> None:
    page = parse(client.get("/sweeps/3").text)
    rows = [[td.text for td in tr.all("td")] for tr in page.one("table").all("tr")[1:]]
    assert rows[0][2:] == ["done", "2.10", "ok"]
    assert rows[4][2:] == ["done", "not measured", "load-crash KeyError: 'draft_model.t2d' while loading the draft"]
    assert rows[5][2:] == ["probe prompt 4 of 16 41 s", "unknown", "not yet"]
    assert rows[7][2:] == ["queued", "unknown", "not yet"]
    assert page.one("progress").attrs["value"] == "5"


def test_a_running_sweep_polls_its_own_fragment_until_it_is_done() -> None:
    reader = DictReader(sweeps={3: build.sweep(jobs=[build.job()])})
    client = client_of(reader, poll_s=0.5)
    holder = parse(client.get("/sweeps/3").text).one(id_="sweep")
    assert (holder.attrs["hx-get"], holder.attrs["hx-trigger"]) == ("/fragments/sweeps/3", "every 0.5s")
    reader.sweeps[3] = build.sweep(status="done", finished_at=build.NOW, done=8)
    after = parse(client.get("/fragments/sweeps/3").text).one(id_="sweep")
    assert not [name for name in after.attrs if name.startswith("hx-")]


def test_latest_leads_to_the_newest_and_says_what_to_type_when_there_is_none() -> None:
    reader = DictReader(sweeps={3: build.sweep(), 11: build.sweep(sweep_id=11)})
    assert client_of(reader).get("/sweeps/latest", follow_redirects=False).headers["location"] == "/sweeps/11"
    assert "matrix sweep" in client_of(DictReader()).get("/sweeps/latest").text


def test_a_sweep_with_nothing_to_do() -> None:
    reader = DictReader(sweeps={3: build.sweep(status="done", total=0, done=0, finished_at=build.NOW)})
    assert "every cell was known already" in client_of(reader).get("/sweeps/3").text


def test_addresses_that_are_no_sweep() -> None:
    client = client_of(DictReader())
    assert client.get("/sweeps/99").status_code == 404
    assert client.get("/sweeps/abc").status_code == 404
    assert client.get("/sweeps/99999999999999999999999").status_code == 404
