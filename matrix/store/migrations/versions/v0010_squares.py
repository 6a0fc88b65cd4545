"""Each series, and its newest run at each revision: what pages and answers read. Opening the store fills both.

A migration is history: it spells the columns out and never imports the tables of the present.
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "series",
        sa.Column("series_key", sa.String(16), nullable=False),
        sa.Column("baseline_key", sa.String(16), nullable=False),
        sa.Column("engine", sa.Text, nullable=False),
        sa.Column("target", sa.Text, nullable=False),
        sa.Column("target_content", sa.Text),
        sa.Column("draft", sa.Text),
        sa.Column("draft_content", sa.Text),
        sa.Column("method", sa.String(32), nullable=False),
        sa.Column("spec", sa.Text, nullable=False),
        sa.Column("k", sa.Integer),
        sa.Column("launch", sa.Text, nullable=False),
        sa.Column("workload", sa.Text, nullable=False),
        sa.Column("hardware", sa.Text, nullable=False),
        sa.Column("executor", sa.Text, nullable=False),
        sa.Column("runs", sa.BigInteger, nullable=False),
        sa.Column("mark", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("series_key", name=op.f("pk_series")),
    )
    op.create_index(op.f("ix_series_baseline_key"), "series", ["baseline_key"])
    op.create_index(op.f("ix_series_target"), "series", ["target"])
    op.create_table(
        "squares",
        sa.Column("series_key", sa.String(16), nullable=False),
        sa.Column("revision", sa.Text, nullable=False),
        sa.Column("run_id", sa.String(64), nullable=False),
        sa.Column("boot", sa.Integer, nullable=False),
        sa.Column("outcome", sa.String(32), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("finished_at", sa.Double, nullable=False),
        sa.Column("accept_length", sa.Double),
        sa.Column("low", sa.Double),
        sa.Column("high", sa.Double),
        sa.Column("tok_s", sa.Double),
        sa.Column("tok_s_low", sa.Double),
        sa.Column("tok_s_high", sa.Double),
        sa.Column("baseline_tok_s", sa.Double),
        sa.Column("state", sa.String(32), nullable=False),
        sa.Column("why", sa.Text, nullable=False),
        sa.Column("noise", sa.Double),
        sa.PrimaryKeyConstraint("series_key", "revision", name=op.f("pk_squares")),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("squares")
    op.drop_table("series")
