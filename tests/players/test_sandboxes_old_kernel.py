import subprocess
import sys

import pytest

from arena.players.sandboxes import prove

OLD_KERNEL = """
from arena.confinement import kernel, seccomp as bpf
from arena.confinement.kernel import LANDLOCK_CREATE_RULESET, MOUNT_SETATTR
from arena.players.sandboxes import prove

missing = (LANDLOCK_CREATE_RULESET, MOUNT_SETATTR)
refused = tuple(one for number in missing for one in bpf.if_equal(number, bpf.return_block(bpf.ERRNO | 38)))
kernel.refuse_new_privileges()
bpf.install(bpf.assemble((*bpf.load(bpf.NUMBER), *refused, *bpf.return_block(bpf.ALLOW))), 0)
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
