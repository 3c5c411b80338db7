"""Players as the referee uses them: processes, functions, and the sandboxes around processes."""
