"""What a browser shows while things happen: the live page over a folder of runs, and a table to play at."""
