"""The migrations and the tables say the same, from an empty database and from every earlier revision."""

from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, inspect, select, text

from matrix.app.judging import judge_all
from matrix.core.errors import MatrixError
from matrix.store import Store, migrate, open_store
from matrix.store.database import make_engine, parse_url, writer
from matrix.store.tables import metadata, squares
from tests.app.stored import cell as stored_cell
from tests.app.stored import served
from tests.store.build import cell, plan, run, sample, statuses


def test_a_new_database_has_exactly_the_tables_of_the_code(empty_url: str) -> None:
    open_store(empty_url).close()
    engine = make_engine(parse_url(empty_url))
    assert _differences(engine) == []
    assert set(inspect(engine).get_table_names()) == {*metadata.tables, "matrix_schema"}
    engine.dispose()


def test_every_earlier_revision_is_brought_up_to_date_with_its_rows(empty_url: str) -> None:
    engine = make_engine(parse_url(empty_url))
    with writer(engine).begin() as conn:
        migrate.upgrade(conn, "0001")
        conn.execute(
            text(
                "INSERT INTO sweeps (request, config_text, config_hash, status, owner, tool_version, created_at) "
                "VALUES ('{}', 'old', 'h', 'done', 'me', '0', 1.0)"
            )
        )
    assert _differences(engine) != []
    engine.dispose()
    store = open_store(empty_url)
    assert store.read.sweep(1).status == "done"
    store.runs.save(run("r", cell(), sample()))
    store.close()


def test_runs_judged_before_0008_keep_verdicts_falls_and_squares(empty_url: str) -> None:
    store = open_store(empty_url)
    for number, version in enumerate(("1.0", "1.1", "1.2")):
        served(store, stored_cell(version), 2.5 - 0.5 * number, at=1000.0 + number)
    sweep = plan(store, "9.0", "9.1")
    judge_all(store)
    before = _told(store)
    _down_to(store, "0007")
    store.close()

    store = open_store(empty_url)
    assert _told(store) == before and len(before[1]) >= 2, "falls come from the verdicts' numbers"
    assert statuses(store, sweep) == ["queued", "queued"]
    job = store.queue.claim("me")
    assert job is not None and job.cell.revision.version == "9.0"
    judge_all(store)
    assert _told(store) == before
    store.close()


def test_the_list_of_revisions_is_the_folder_of_migrations() -> None:
    config = Config()
    config.set_main_option("script_location", "matrix.store:migrations")
    scripts = list(ScriptDirectory.from_config(config).walk_revisions())
    assert tuple(script.revision for script in reversed(scripts)) == migrate.REVISIONS


def test_a_migration_that_fails_half_way_leaves_nothing(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    upgrade = migrate.upgrade

    def fail_after(conn: object, revision: str = "head") -> None:
        upgrade(conn, revision)  # type: ignore[arg-type]
        conn.exec_driver_sql("SELECT broken FROM nowhere")  # type: ignore[attr-defined]

    monkeypatch.setattr(migrate, "upgrade", fail_after)
    with pytest.raises(MatrixError, match="no such table: nowhere"):
        open_store(sqlite_url)
    engine = make_engine(parse_url(sqlite_url))
    assert inspect(engine).get_table_names() == []
    monkeypatch.setattr(migrate, "upgrade", upgrade)
    open_store(sqlite_url)
    assert _differences(engine) == []


def test_the_migrations_lie_in_the_package() -> None:
    folder = Path(migrate.__file__).parent / "migrations" / "versions"
    assert len(list(folder.glob("v*.py"))) == len(migrate.REVISIONS)


def _told(store: Store) -> tuple[list[object], ...]:
    """Verdicts, what is known of falls, and squares."""
    with store._db.read() as conn:
        verdicts = conn.execute(text("SELECT run_id, metric, state, reason FROM verdicts ORDER BY run_id, metric"))
        falls = metadata.tables["falls"]
        known = conn.execute(select(falls).order_by(*falls.primary_key.columns))
        shown = conn.execute(select(squares).order_by(*squares.primary_key.columns))
        return [*map(tuple, verdicts)], [*map(tuple, known)], [*map(tuple, shown)]


def _down_to(store: Store, revision: str) -> None:
    config = Config()
    config.set_main_option("script_location", "matrix.store:migrations")
    with store._db.write() as conn:
        config.attributes["connection"] = conn
        command.downgrade(config, revision)


def _differences(engine: Engine) -> list[object]:
    with engine.connect() as conn:
        options = {"compare_type": True, "compare_server_default": True, "version_table": migrate.VERSION_TABLE}
        return list(compare_metadata(MigrationContext.configure(conn, opts=options), metadata))
