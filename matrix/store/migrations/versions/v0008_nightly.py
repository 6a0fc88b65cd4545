"""Sweeps that several workers share, their order and retries, and the ticks that start them.

A migration is history: it spells the columns out and never imports the tables of the present.
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("jobs", sa.Column("priority", sa.Integer, nullable=False, server_default="0"))
    op.add_column("jobs", sa.Column("shared", sa.Integer, nullable=False, server_default="0"))
    op.add_column("jobs", sa.Column("gpus", sa.Integer, nullable=False, server_default="0"))
    op.add_column("jobs", sa.Column("executor", sa.Text, nullable=False, server_default=sa.text("''")))
    op.add_column("jobs", sa.Column("hardware", sa.Text, nullable=False, server_default=sa.text("''")))
    op.add_column("jobs", sa.Column("not_before", sa.Double))
    op.create_index(op.f("ix_jobs_status_priority_id"), "jobs", ["status", "priority", "id"])
    op.create_table(
        "ticks",
        sa.Column("id", Id, nullable=False),
        sa.Column("schedule", sa.String(255), nullable=False),
        sa.Column("slot", sa.Double, nullable=False),
        sa.Column("why", sa.Text, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("sweep_id", Id),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("begun_at", sa.Double, nullable=False),
        sa.Column("finished_at", sa.Double),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ticks")),
        sa.UniqueConstraint("schedule", "slot", name=op.f("uq_ticks_schedule_slot")),
    )


def downgrade() -> None:
    op.drop_table("ticks")
    op.drop_index(op.f("ix_jobs_status_priority_id"), "jobs")
    for column in ("not_before", "hardware", "executor", "gpus", "shared", "priority"):
        op.drop_column("jobs", column)
