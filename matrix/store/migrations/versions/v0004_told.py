"""Acknowledgements, published accept lengths, when a flip was announced, and ways to find a run's neighbours.

A migration is history: it spells the columns out and never imports the tables of the present.
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_NEIGHBOURS = (["engine", "revision"], ["draft_content"], ["target", "draft"])


def upgrade() -> None:
    _acks()
    _expectations()
    op.add_column("flips", sa.Column("announced_at", sa.Double))
    # What an earlier version found it has told already.
    op.execute("UPDATE flips SET announced_at = created_at")
    op.create_index(op.f("ix_flips_to_revision"), "flips", ["to_revision"])
    for columns in _NEIGHBOURS:
        op.create_index(op.f(f"ix_runs_{'_'.join(columns)}"), "runs", columns)


def downgrade() -> None:
    for columns in _NEIGHBOURS:
        op.drop_index(op.f(f"ix_runs_{'_'.join(columns)}"), "runs")
    op.drop_index(op.f("ix_flips_to_revision"), "flips")
    op.drop_column("flips", "announced_at")
    for table in ("expectations", "acks"):
        op.drop_table(table)


def _acks() -> None:
    op.create_table(
        "acks",
        sa.Column("id", Id, nullable=False),
        sa.Column("scope", sa.String(16), nullable=False),
        sa.Column("series_key", sa.String(16), nullable=False),
        sa.Column("metric", sa.String(32)),
        sa.Column("to_revision", sa.Text),
        sa.Column("state", sa.String(32), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("until", sa.Double),
        sa.Column("removed_at", sa.Double),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_acks")),
    )
    op.create_index(op.f("ix_acks_series_key"), "acks", ["series_key"])


def _expectations() -> None:
    op.create_table(
        "expectations",
        sa.Column("draft", sa.String(255), nullable=False),
        sa.Column("ordinal", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("value", sa.Double, nullable=False),
        sa.Column("bonus", sa.String(16), nullable=False),
        sa.Column("workload", sa.Text, nullable=False),
        sa.Column("k", sa.Integer),
        sa.Column("link", sa.Text, nullable=False),
        sa.Column("target", sa.Text),
        sa.Column("engine", sa.Text),
        sa.PrimaryKeyConstraint("draft", "ordinal", name=op.f("pk_expectations")),
    )
