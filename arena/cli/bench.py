"""``arena bench``."""


def bench() -> None:
    """Measure."""
