"""The sandboxes that a spec can name, one file each. How they confine a process is in ``players/confinement``."""
