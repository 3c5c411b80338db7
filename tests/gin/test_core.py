from arena.gin import melds
from arena.runs.installed import CORE


def test_the_core_is_named_after_the_file_that_it_was_loaded_from() -> None:
    assert ("python" if melds.__file__.endswith(".py") else "compiled") == CORE
