"""What was played: read again, verified, reported, reviewed."""
