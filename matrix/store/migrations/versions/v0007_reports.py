"""Reports of others.

A migration is history: it spells the columns out and never imports the tables of the present.
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "reports",
        sa.Column("id", Id, nullable=False),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("target", sa.Text, nullable=False),
        sa.Column("engine", sa.Text, nullable=False),
        sa.Column("state", sa.String(32), nullable=False),
        sa.Column("link", sa.Text, nullable=False),
        sa.Column("date", sa.String(10), nullable=False),
        sa.Column("draft", sa.Text, nullable=False),
        sa.Column("method", sa.String(32), nullable=False),
        sa.Column("versions", sa.Text, nullable=False),
        sa.Column("hardware", sa.Text, nullable=False),
        sa.Column("value", sa.Double),
        sa.Column("bonus", sa.String(16), nullable=False),
        sa.Column("k", sa.Integer),
        sa.Column("topk", sa.Integer),
        sa.Column("draft_tokens", sa.Integer),
        sa.Column("workload", sa.Text, nullable=False),
        sa.Column("tok_s", sa.Double),
        sa.Column("speedup", sa.Double),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("imported_at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reports")),
        sa.UniqueConstraint("key", name=op.f("uq_reports_key")),
    )
    op.create_index(op.f("ix_reports_target"), "reports", ["target"])


def downgrade() -> None:
    op.drop_table("reports")
