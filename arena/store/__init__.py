"""What is kept: the folder of a run, and its database."""
