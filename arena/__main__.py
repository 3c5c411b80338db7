"""``python -m arena`` and the command ``arena``."""

from arena.cli.app import main

if __name__ == "__main__":
    main()
