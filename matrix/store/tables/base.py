"""What all tables share: the metadata with its naming rules, and the two types that need care.

Only portable types are used; what SQLite and PostgreSQL do differently stands in `matrix.store.database` and in `Id`.
Times are Unix seconds (UTC), durations are seconds.
"""

from typing import Any

from sqlalchemy import JSON, BigInteger, Column, Integer, MetaData

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# SQLite numbers rows by itself only where the key's type is spelled INTEGER.
Id = BigInteger().with_variant(Integer(), "sqlite")

# None is SQL's NULL, not the JSON text `null`: a missing value must be findable by IS NULL.
Json = JSON(none_as_null=True)


def counter_columns() -> list[Column[Any]]:
    """Columns of `matrix.core.counters.Counters`; NULL where the engine did not tell."""
    names = ("steps", "proposed", "accepted", "decode_steps", "completion_tokens")
    columns: list[Column[Any]] = [Column(name, BigInteger) for name in names]
    return [*columns, Column("per_position", Json), Column("requests", BigInteger, nullable=False)]
