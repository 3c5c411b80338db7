"""The commands of arena's own processes: they run in this interpreter and import no module of the current folder.

``python -m`` and ``python -c`` put the current folder first on the path of imports, so anyone who can write there (an author whose
bot is fetched into it, say) could run code without a sandbox as ``./arena/`` or ``./json.py``. Option ``-P`` prevents that.
The other settings of imports, such as ``PYTHONPATH``, are inherited from the command that the user started; bots inherit none
(``roster/finder.py``). ``PYTHONSTARTUP`` concerns only interactive interpreters.

An interpreter that was called by a path such as ``../venv/bin/python`` keeps this path in ``sys.executable``. A sandbox has no
folder from which ``..`` leads back, so here the folder is resolved once. The last link is kept: it makes the virtual environment.
"""

import os
import site
import sys

EXECUTABLE = os.path.join(os.path.realpath(os.path.dirname(sys.executable)), os.path.basename(sys.executable))  # noqa: PTH118, PTH119, PTH120 - a bot's start imports this module; pathlib would cost 6 ms
SANDBOXED = (EXECUTABLE, "-s", "-P", "-m")  # the start of a sandboxed command: it imports no package of the user's home either


def python(*arguments: str) -> tuple[str, ...]:
    """Return the command of a process in this interpreter."""
    return (EXECUTABLE, "-P", *arguments)


def arena(*words: str) -> tuple[str, ...]:
    """Return the command line of an arena command."""
    return python("-m", "arena", *words)


def home_packages() -> tuple[str, ...]:
    """Return the folder of packages in the user's home, as ``pip install --user`` fills it, if this interpreter imports from it."""
    return (site.getusersitepackages(),) if site.ENABLE_USER_SITE else ()
