"""Where the compiled modules of the kernel are: a folder that is named by the digest of the source from which they were made.

``arena.train`` looks for its modules there first. Where the source was changed since it was compiled, the folder of its digest does
not exist, and Python imports the source. The build backend, ``.packaging/arena_build.py``, runs this file to name the folder.
"""

from hashlib import sha256
from pathlib import Path


def folder_of(package: Path) -> Path:
    """Return the folder of the modules that are compiled from the current source; ``package`` is the folder of ``arena.train``."""
    declarations = sorted(package.glob("*.pxd"))
    texts = (path.read_bytes() for declared in declarations for path in (declared, declared.with_suffix(".py")))
    return package / f"compiled_{sha256(b''.join(texts)).hexdigest()[:12]}"
