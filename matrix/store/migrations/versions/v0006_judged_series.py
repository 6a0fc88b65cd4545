"""What is kept of a series for its judge: the thresholds that its last config gave it, and the noise it showed.

A migration is history: it spells the columns out and never imports the tables of the present.
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "judged_series",
        sa.Column("series_key", sa.String(16), nullable=False),
        sa.Column("engine", sa.Text, nullable=False),
        sa.Column("hardware", sa.Text, nullable=False),
        sa.Column("thresholds", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("noise", sa.JSON(none_as_null=True)),
        sa.PrimaryKeyConstraint("series_key", name=op.f("pk_judged_series")),
    )
    op.create_index(op.f("ix_judged_series_engine_hardware"), "judged_series", ["engine", "hardware"])


def downgrade() -> None:
    op.drop_table("judged_series")
