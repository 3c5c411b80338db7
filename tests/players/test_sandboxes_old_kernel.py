import subprocess
import sys

import pytest

from arena.players.proofs import prove

OLD_KERNEL = """
from arena.confinement import assembler
from arena.confinement import privileges
from arena.confinement import libc, seccomp as bpf
from arena.confinement.landlock import LANDLOCK_CREATE_RULESET
from arena.confinement.namespaces import MOUNT_SETATTR
from arena.players.proofs import prove

missing = (LANDLOCK_CREATE_RULESET, MOUNT_SETATTR)
refused = tuple(one for number in missing for one in assembler.if_equal(number, assembler.return_block(assembler.ERRNO | 38)))
privileges.refuse_new_privileges()
assembler.install(assembler.assemble((*assembler.load(assembler.NUMBER), *refused, *assembler.return_block(assembler.ALLOW))), 0)
for profile in ("A", "B", "C"):
    print(prove(profile).state, prove(profile).reason)
"""


@pytest.mark.process
def test_an_older_kernel_without_landlock_and_mount_setattr_proves_namespaces_and_filter() -> None:
    if prove("B").state != "PROVED":
        pytest.skip(f"profile B is {prove('B').state} here: {prove('B').reason}")

    lines = subprocess.run([sys.executable, "-c", OLD_KERNEL], capture_output=True, text=True, check=True).stdout.splitlines()

    assert lines[0].startswith("REFUSED landlock: [Errno 38]")
    assert lines[1].strip() == "PROVED"
    assert lines[2].startswith("REFUSED")
