"""The entry point of ``python -m arena`` and of the command ``arena``."""

import sys

try:
    import arena.signals as signals  # noqa: PLR0402 - ``from arena`` asks for an attribute first, which imports much to say no
except KeyboardInterrupt:  # before a handler can be set
    sys.stderr.write("arena: stopped\n")
    sys.exit(130)

RESUMED = {  # commands of the core that continue what they have stored, or begin it; plugins describe theirs
    *("run", "match", "duel", "regress", "race"),
    *("league run", "league cup", "league practice"),
}


def main() -> None:
    """Run a command. Exit codes: as in ``arena.cli.app.main``; of one that was stopped, as in ``signals``."""
    try:
        try:
            if is_resumed(sys.argv[1:]):
                signals.set_stop_code(signals.RESUMABLE)
            signals.install()  # inside, because a signal may arrive as soon as the first handler is set
            signals.stop_with_input()
            from arena.cli.app import main as command  # noqa: PLC0415 - slow, so only once signals are handled

            command()
        finally:
            signals.ignore_signals()
    except BaseException as error:
        signals.ignore_signals()  # again, because a signal may have interrupted the call above
        if not signals.stop_requested():
            raise
        sys.exit(_stop_code(error))


def is_resumed(arguments: list[str]) -> bool:
    """Tell whether these arguments continue what a stopped command has stored; not for git, to which 3 would be a verdict."""
    words = [word for word in arguments if not word.startswith("-")]
    return bool({" ".join(words[:1]), " ".join(words[:2])} & RESUMED) and "--bisect" not in arguments


def _stop_code(error: BaseException) -> int:
    """Return the exit code of a command that a signal has stopped; print a line unless the command has printed its own."""
    code = error.code if isinstance(error, SystemExit) else signals.STOPPED
    if code == signals.STOPPED:  # which is also what Typer makes of an interrupt
        code = signals.stop_code()
        again = "; the same command continues from what is stored" if code == signals.RESUMABLE else ""
        sys.stderr.write(f"arena: stopped{again}\n")
    signals.end_soon(int(code or 0))
    return int(code or 0)


if __name__ == "__main__":
    main()
