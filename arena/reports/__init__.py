"""Reports on runs: the values that they show, and one module for each renderer."""
