"""The application layer: what every command, the served pages and the pytest plugin do with a run."""
