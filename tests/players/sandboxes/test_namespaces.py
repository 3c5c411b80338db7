import subprocess
import sys

import pytest

from arena.players.sandboxes.probe import tried

OLD_KERNEL = """
from arena.players.sandboxes import bpf, capabilities
from arena.players.sandboxes.kernel import LANDLOCK_CREATE_RULESET, MOUNT_SETATTR
from arena.players.sandboxes.probe import tried

missing = (LANDLOCK_CREATE_RULESET, MOUNT_SETATTR)
refused = tuple(one for number in missing for one in bpf.if_equal(number, bpf.answer(bpf.ERRNO | 38)))
capabilities.refuse_new_privileges()
bpf.install(bpf.assemble((*bpf.load(bpf.NUMBER), *refused, *bpf.answer(bpf.ALLOW))), 0)
for profile in ("A", "B", "C"):
    print(tried(profile).state, tried(profile).reason)
"""


def test_an_older_kernel_without_landlock_and_mount_setattr_proves_namespaces_and_filter() -> None:
    if tried("B").state != "PROVED":
        pytest.skip(f"profile B is {tried('B').state} here: {tried('B').reason}")

    told = subprocess.run([sys.executable, "-c", OLD_KERNEL], capture_output=True, text=True, check=True).stdout.splitlines()

    assert told[0].startswith("REFUSED landlock: [Errno 38]")
    assert told[1].strip() == "PROVED"
    assert told[2].startswith("REFUSED")
