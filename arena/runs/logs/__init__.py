"""The log files of a run, and how records reach them from every process."""
