"""Fixtures on the workers of a Dask cluster: a plugin. Only ``cluster/dask.py`` imports from here, and only when it is used."""
