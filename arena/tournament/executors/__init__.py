"""Where fixtures are played, one file an executor."""
