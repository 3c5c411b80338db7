"""The entry point of ``python -m arena`` and of the command ``arena``."""

import sys

from arena import signals


def main() -> None:
    """Run a command. Exit codes: as in ``arena.cli.app.main``, and 130 for a command that was stopped and stored nothing."""
    try:
        try:
            signals.install()  # inside, because a signal may arrive as soon as the first handler is set
            from arena.cli.app import main as command  # noqa: PLC0415 - slow, so only once signals are handled

            command()
        finally:
            signals.ignore_signals()
    except BaseException as error:
        signals.ignore_signals()  # again, because a signal may have interrupted the call above
        if not signals.stop_requested():
            raise
        sys.exit(_stop_code(error))


def _stop_code(error: BaseException) -> int:
    """Return the exit code of a command that a signal has stopped; print a line unless the command has printed its own."""
    code = error.code if isinstance(error, SystemExit) else signals.STOPPED
    if code == signals.STOPPED:
        sys.stderr.write("arena: stopped\n")
    signals.end_soon(int(code or 0))
    return int(code or 0)


if __name__ == "__main__":
    main()
