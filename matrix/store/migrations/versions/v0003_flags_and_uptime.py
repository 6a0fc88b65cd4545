"""What a run shows as a whole: its flags, and its accept length early and late in the server's life."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

Json = sa.JSON(none_as_null=True)


def upgrade() -> None:
    with op.batch_alter_table("runs") as table:
        table.add_column(sa.Column("flags", Json))
        table.add_column(sa.Column("uptime", Json))


def downgrade() -> None:
    with op.batch_alter_table("runs") as table:
        table.drop_column("uptime")
        table.drop_column("flags")
