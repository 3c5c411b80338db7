"""``python -m rogues.talk NAME SCENE``: one end of a channel, led by the referee bit by bit over standard input and output.

A line is a command and an index: ``meet PID``, ``prepare 3``, ``send 3``, ``receive 3``. Each is answered by a line: ``done``, the
bit, or ``stopped: REASON``.
"""

import sys

from msgspec.json import decode
from rogues.channel import CovertChannel, every_channel
from rogues.rogue import Scene


def main(end: CovertChannel) -> None:
    """Follow the referee's commands until it closes the pipe."""
    for line in iter(sys.stdin.readline, ""):
        command, _, number = line.strip().partition(" ")
        _answer(end, command, int(number))
        if command == "send":
            _after_send(end, int(number))


def _answer(end: CovertChannel, command: str, number: int) -> None:
    try:
        answer = _execute(end, command, number)
    except Exception as error:  # noqa: BLE001 - any error means that no bit was passed
        answer = f"stopped: {type(error).__name__}: {error}"
    sys.stdout.write(f"{answer}\n")
    sys.stdout.flush()


def _execute(end: CovertChannel, command: str, number: int) -> str:
    """Execute a command and return the answer."""
    if command == "receive":
        return str(int(end.receive(number)))
    if command == "meet":
        end.other = number
    elif command == "prepare":
        end.prepare(number)
    else:
        end.send(number, int(end.scene.bits[number]))
    return "done"


def _after_send(end: CovertChannel, number: int) -> None:
    try:
        end.after_send(number, int(end.scene.bits[number]))
    except OSError:  # no bit was passed
        return


if __name__ == "__main__":
    main(every_channel()[sys.argv[1]].maker(decode(sys.argv[2], type=Scene)))
