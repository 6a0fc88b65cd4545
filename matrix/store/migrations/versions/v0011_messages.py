"""Messages to people outside of the dashboard: one row each, so that none is told twice and none is lost.

A migration is history: it spells the columns out and never imports the tables of the present.
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "messages",
        sa.Column("id", Id, nullable=False),
        sa.Column("config", sa.String(255), nullable=False),
        sa.Column("notifier", sa.String(64), nullable=False),
        sa.Column("key", sa.String(255), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("body", sa.JSON, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("next_at", sa.Double),
        sa.Column("error", sa.Text, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("sent_at", sa.Double),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_messages")),
        sa.UniqueConstraint("config", "notifier", "key", name=op.f("uq_messages_config_notifier_key")),
    )
    op.create_index(op.f("ix_messages_status_next_at"), "messages", ["status", "next_at"])


def downgrade() -> None:
    op.drop_table("messages")
