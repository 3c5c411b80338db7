"""What can be added, and how it is found."""
