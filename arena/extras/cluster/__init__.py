"""Fixtures on the workers of a Dask cluster. ``dask.py`` imports the other modules when a pool is opened."""
