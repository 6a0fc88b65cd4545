"""When versions were uploaded: by a real index that tells, and nothing by one that does not."""

from pathlib import Path

from matrix.core.index import IndexSettings
from matrix.sources.upload_days import upload_days
from tests.fakes.simple_index import simple_index
from tests.fakes.wheels import wheel


def test_days_are_those_of_the_version_that_is_asked_about(tmp_path: Path) -> None:
    for version in ("1.0", "2.0"):
        wheel(tmp_path, "thing", version)
    dates = {f"thing-{v}-py3-none-any.whl": f"2026-0{v[0]}-05T10:00:00Z" for v in ("1.0", "2.0")}
    with simple_index(tmp_path, dates) as url:
        found = upload_days({"thing": "2.0+cpu", "other": "1.0"}, IndexSettings(index_url=url))
        assert found == {"thing": "2026-02-05T10:00:00+00:00"}
        assert upload_days({"thing": "3.0"}, IndexSettings(index_url=url)) == {}
    with simple_index(tmp_path) as url:
        assert upload_days({"thing": "2.0"}, IndexSettings(index_url=url)) == {}
    assert upload_days({"thing": "2.0"}, IndexSettings(index_url="http://127.0.0.1:9/simple")) == {}
