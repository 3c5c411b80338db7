"""``arena tune`` and ``arena exploit``: better values of the parameters that a bot declares, and an opponent tuned against it."""
