"""Bisections and their answers; GPU leases, holds on artifacts, tokens.

A migration is history: it spells the columns out and never imports the tables of the present.
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
Json = sa.JSON(none_as_null=True)


def upgrade() -> None:
    _bisections()
    _answers()
    _holds()
    _leases()
    _tokens()


def downgrade() -> None:
    for table in ("tokens", "gpu_leases", "holds", "bisect_answers", "bisections"):
        op.drop_table(table)


def _bisections() -> None:
    op.create_table(
        "bisections",
        sa.Column("id", Id, nullable=False),
        sa.Column("parent_id", Id),
        sa.Column("engine", sa.Text, nullable=False),
        sa.Column("level", sa.String(16), nullable=False),
        sa.Column("question", sa.String(32), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("request", Json, nullable=False),
        sa.Column("config", sa.Text, nullable=False),
        sa.Column("history", Json, nullable=False),
        sa.Column("signature", sa.Text, nullable=False),
        sa.Column("report", Json),
        sa.Column("owner", sa.Text),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("finished_at", sa.Double),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bisections")),
        sa.ForeignKeyConstraint(["parent_id"], ["bisections.id"], name=op.f("fk_bisections_parent_id")),
    )
    op.create_index(op.f("ix_bisections_status"), "bisections", ["status"])


def _answers() -> None:
    op.create_table(
        "bisect_answers",
        sa.Column("id", Id, nullable=False),
        sa.Column("bisection", Id, nullable=False),
        sa.Column("point", sa.Text, nullable=False),
        sa.Column("said", sa.String(16), nullable=False),
        sa.Column("ratio", sa.Double),
        sa.Column("why", sa.Text, nullable=False),
        sa.Column("run_id", sa.String(64)),
        sa.Column("boot", sa.Integer),
        sa.Column("phase", sa.String(16), nullable=False),
        sa.Column("by_hand", sa.Integer, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("undone_at", sa.Double),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bisect_answers")),
        sa.ForeignKeyConstraint(["bisection"], ["bisections.id"], name=op.f("fk_bisect_answers_bisection")),
    )
    op.create_index(op.f("ix_bisect_answers_bisection"), "bisect_answers", ["bisection"])


def _holds() -> None:
    op.create_table(
        "holds",
        sa.Column("id", Id, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("ref", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("bisection", Id),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("released_at", sa.Double),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_holds")),
        sa.ForeignKeyConstraint(["bisection"], ["bisections.id"], name=op.f("fk_holds_bisection")),
    )
    op.create_index(op.f("ix_holds_ref"), "holds", ["ref"])


def _leases() -> None:
    op.create_table(
        "gpu_leases",
        sa.Column("id", Id, nullable=False),
        sa.Column("host", sa.String(255), nullable=False),
        sa.Column("gpu", sa.Integer, nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("purpose", sa.Text, nullable=False),
        sa.Column("taken_at", sa.Double, nullable=False),
        sa.Column("heartbeat_at", sa.Double, nullable=False),
        sa.Column("expires_at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gpu_leases")),
        sa.UniqueConstraint("host", "gpu", name=op.f("uq_gpu_leases_host_gpu")),
    )


def _tokens() -> None:
    op.create_table(
        "tokens",
        sa.Column("id", Id, nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("last_used_at", sa.Double),
        sa.Column("revoked_at", sa.Double),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tokens")),
        sa.UniqueConstraint("name", name=op.f("uq_tokens_name")),
    )
