"""What is measured: workloads, locks, sweeps, runs, samples.

A migration is history: it spells the columns out and never imports the tables of the present.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
Json = sa.JSON(none_as_null=True)


def upgrade() -> None:
    _workloads()
    _locks()
    _sweeps()
    _runs()
    _samples()


def downgrade() -> None:
    for table in ("samples", "runs", "sweeps", "locks", "workloads"):
        op.drop_table(table)


def _workloads() -> None:
    op.create_table(
        "workloads",
        sa.Column("content", sa.String(64), nullable=False),
        sa.Column("body", Json, nullable=False),
        sa.PrimaryKeyConstraint("content", name=op.f("pk_workloads")),
    )


def _locks() -> None:
    op.create_table(
        "locks",
        sa.Column("ref", sa.String(64), nullable=False),
        sa.Column("lines", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("ref", name=op.f("pk_locks")),
    )


def _sweeps() -> None:
    op.create_table(
        "sweeps",
        sa.Column("id", Id, nullable=False),
        sa.Column("request", Json, nullable=False),
        sa.Column("config_text", sa.Text, nullable=False),
        sa.Column("config_hash", sa.String(64), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("tool_version", sa.Text, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("finished_at", sa.Double),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sweeps")),
    )
    op.create_index(op.f("ix_sweeps_status"), "sweeps", ["status"])


def _run_identity() -> list[sa.Column[Any]]:
    return [
        sa.Column("id", Id, nullable=False),
        sa.Column("run_id", sa.String(64), nullable=False),
        sa.Column("sweep_id", Id),
        sa.Column("series_key", sa.String(16), nullable=False),
        sa.Column("baseline_key", sa.String(16), nullable=False),
        sa.Column("content_key", sa.String(64), nullable=False),
        sa.Column("engine", sa.Text, nullable=False),
        sa.Column("revision", sa.Text, nullable=False),
        sa.Column("boot", sa.Integer, nullable=False),
        sa.Column("install", sa.Text, nullable=False),
        sa.Column("executor", sa.Text, nullable=False),
        sa.Column("target", sa.Text, nullable=False),
        sa.Column("target_source", sa.Text, nullable=False),
        sa.Column("target_content", sa.Text),
        sa.Column("draft", sa.Text),
        sa.Column("draft_source", sa.Text),
        sa.Column("draft_content", sa.Text),
        sa.Column("spec", sa.Text, nullable=False),
        sa.Column("method", sa.String(32), nullable=False),
        sa.Column("k", sa.Integer),
        sa.Column("topk", sa.Integer),
        sa.Column("draft_tokens", sa.Integer),
        sa.Column("launch", sa.Text, nullable=False),
        sa.Column("workload", sa.Text, nullable=False),
        sa.Column("workload_content", sa.String(64), nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("concurrency", sa.Integer, nullable=False),
        sa.Column("hardware", sa.Text, nullable=False),
        sa.Column("cell", Json, nullable=False),
        sa.Column("recipe_text", sa.Text, nullable=False),
        sa.Column("probe_version", sa.Text, nullable=False),
    ]


def _run_result() -> list[sa.Column[Any]]:
    return [
        sa.Column("outcome", sa.String(32), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("next_step", sa.Text, nullable=False),
        sa.Column("signature", sa.Text, nullable=False),
        sa.Column("excerpt", sa.Text, nullable=False),
        sa.Column("samples", sa.Integer, nullable=False),
        sa.Column("steps", sa.BigInteger),
        sa.Column("proposed", sa.BigInteger),
        sa.Column("accepted", sa.BigInteger),
        sa.Column("decode_steps", sa.BigInteger),
        sa.Column("completion_tokens", sa.BigInteger),
        sa.Column("per_position", Json),
        sa.Column("requests", sa.BigInteger, nullable=False),
        sa.Column("single_tokens", sa.BigInteger),
        sa.Column("single_seconds", sa.Double),
        sa.Column("noise", Json, nullable=False),
        sa.Column("phases", Json, nullable=False),
        sa.Column("resolved", Json, nullable=False),
        sa.Column("command", Json, nullable=False),
        sa.Column("artifact_kind", sa.Text),
        sa.Column("artifact_ref", sa.Text),
        sa.Column("artifact_digest", sa.Text),
        sa.Column("artifact_reused", sa.Boolean),
        sa.Column("artifact_notes", Json, nullable=False),
        sa.Column("lock_ref", sa.String(64)),
        sa.Column("log_ref", sa.String(64)),
        sa.Column("log_bytes", sa.BigInteger),
        sa.Column("evidence", sa.String(16), nullable=False),
        sa.Column("started_at", sa.Double, nullable=False),
        sa.Column("finished_at", sa.Double, nullable=False),
        sa.Column("tool_version", sa.Text, nullable=False),
    ]


def _runs() -> None:
    op.create_table(
        "runs",
        *_run_identity(),
        *_run_result(),
        sa.ForeignKeyConstraint(["lock_ref"], ["locks.ref"], name=op.f("fk_runs_lock_ref")),
        sa.ForeignKeyConstraint(["sweep_id"], ["sweeps.id"], name=op.f("fk_runs_sweep_id")),
        sa.ForeignKeyConstraint(["workload_content"], ["workloads.content"], name=op.f("fk_runs_workload_content")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
        sa.UniqueConstraint("run_id", name=op.f("uq_runs_run_id")),
    )
    op.create_index(op.f("ix_runs_content_key"), "runs", ["content_key"])
    op.create_index(op.f("ix_runs_finished_at_id"), "runs", ["finished_at", "id"])
    op.create_index(
        op.f("ix_runs_series_key_revision_outcome_finished_at"),
        "runs",
        ["series_key", "revision", "outcome", "finished_at"],
    )
    op.create_index(op.f("ix_runs_sweep_id"), "runs", ["sweep_id"])


def _samples() -> None:
    op.create_table(
        "samples",
        sa.Column("run", Id, autoincrement=False, nullable=False),
        sa.Column("ordinal", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("prompt_id", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("repetition", sa.Integer, nullable=False),
        sa.Column("concurrency", sa.Integer, nullable=False),
        sa.Column("steps", sa.BigInteger),
        sa.Column("proposed", sa.BigInteger),
        sa.Column("accepted", sa.BigInteger),
        sa.Column("decode_steps", sa.BigInteger),
        sa.Column("completion_tokens", sa.BigInteger),
        sa.Column("per_position", Json),
        sa.Column("requests", sa.BigInteger, nullable=False),
        sa.Column("cross_check", Json),
        sa.Column("seconds", sa.Double, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("text_hash", sa.Text, nullable=False),
        sa.Column("flags", Json, nullable=False),
        sa.Column("diverged_at", sa.Integer),
        sa.Column("gap", sa.Double),
        sa.Column("gap_at_least", sa.Boolean),
        sa.Column("alternatives", Json),
        sa.ForeignKeyConstraint(["run"], ["runs.id"], name=op.f("fk_samples_run")),
        sa.PrimaryKeyConstraint("run", "ordinal", name=op.f("pk_samples")),
    )
