"""Schema migrations, run by `matrix.store.migrate`; one file a revision in `versions/`."""
