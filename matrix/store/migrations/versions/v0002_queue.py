"""The queue and what the judge says: jobs, verdicts, flips.

A migration is history: it spells the columns out and never imports the tables of the present.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
Json = sa.JSON(none_as_null=True)


def upgrade() -> None:
    _jobs()
    _verdicts()
    _flips()


def downgrade() -> None:
    for table in ("flips", "verdicts", "jobs"):
        op.drop_table(table)


def _jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", Id, nullable=False),
        sa.Column("sweep_id", Id, nullable=False),
        sa.Column("content_key", sa.String(64), nullable=False),
        sa.Column("series_key", sa.String(16), nullable=False),
        sa.Column("engine", sa.Text, nullable=False),
        sa.Column("revision", sa.Text, nullable=False),
        sa.Column("boot", sa.Integer, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("cell", Json, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("owner", sa.Text),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("lost", sa.Integer, nullable=False),
        sa.Column("claimed_at", sa.Double),
        sa.Column("heartbeat_at", sa.Double),
        sa.Column("phase", sa.Text),
        sa.Column("phase_detail", sa.Text, nullable=False),
        sa.Column("phase_at", sa.Double),
        sa.Column("run_id", sa.String(64)),
        sa.Column("note", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name=op.f("fk_jobs_run_id")),
        sa.ForeignKeyConstraint(["sweep_id"], ["sweeps.id"], name=op.f("fk_jobs_sweep_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
        sa.UniqueConstraint("sweep_id", "content_key", name=op.f("uq_jobs_sweep_id_content_key")),
    )
    op.create_index(op.f("ix_jobs_series_key_revision"), "jobs", ["series_key", "revision"])
    op.create_index(op.f("ix_jobs_status_id"), "jobs", ["status", "id"])


def _verdicts() -> None:
    op.create_table(
        "verdicts",
        sa.Column("series_key", sa.String(16), nullable=False),
        sa.Column("run_id", sa.String(64), nullable=False),
        sa.Column("metric", sa.String(32), nullable=False),
        sa.Column("revision", sa.Text, nullable=False),
        sa.Column("state", sa.String(32), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("numbers", Json, nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name=op.f("fk_verdicts_run_id")),
        sa.PrimaryKeyConstraint("series_key", "run_id", "metric", name=op.f("pk_verdicts")),
    )


def _flips() -> None:
    op.create_table(
        "flips",
        sa.Column("id", Id, nullable=False),
        sa.Column("series_key", sa.String(16), nullable=False),
        sa.Column("metric", sa.String(32), nullable=False),
        sa.Column("change", sa.String(32), nullable=False),
        sa.Column("from_revision", sa.Text, nullable=False),
        sa.Column("to_revision", sa.Text, nullable=False),
        sa.Column("before", sa.String(32), nullable=False),
        sa.Column("after", sa.String(32), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("from_run", sa.String(64)),
        sa.Column("to_run", sa.String(64)),
        sa.Column("standing", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_flips")),
        sa.UniqueConstraint(
            "series_key",
            "metric",
            "change",
            "from_revision",
            "to_revision",
            name=op.f("uq_flips_series_key_metric_change_from_revision_to_revision"),
        ),
    )
    op.create_index(op.f("ix_flips_standing"), "flips", ["standing"])
