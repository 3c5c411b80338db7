"""A busy machine is no failing test: hypothesis measures no time here."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
