"""Fixtures on the workers of a Dask cluster. Only ``executors/dask.py`` imports from here, and only when it is used."""
