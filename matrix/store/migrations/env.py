"""Alembic's entry: runs the migrations on the connection that `matrix.store.migrate` hands over."""

from alembic import context

from matrix.store.migrate import VERSION_TABLE
from matrix.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    # SQLite cannot alter most things in place; batch mode rebuilds the table.
    render_as_batch=True,
    transactional_ddl=True,
)
context.run_migrations()
