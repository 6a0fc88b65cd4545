"""Where the rooms meet: planning at the edge, the run of one cell, sweeps, judging."""
