"""The prompts that every revision is asked: ours, and those of a user's own file."""

from matrix.probes.workloads.load import by_kind, load_prompts_file, load_workload, workload_names

__all__ = ["by_kind", "load_prompts_file", "load_workload", "workload_names"]
