"""Which fixtures a tournament plays, one file a format."""
