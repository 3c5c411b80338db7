"""A sandbox that sets an environment variable for each bot: ``sandbox: my-part`` in a spec."""

from msgspec.structs import replace

from arena.confinement.profiles import Sandbox
from arena.players.sandboxes import StrictSandbox
from arena.plugins.hookspecs import hookimpl
from arena.roster.entrant import Launch


class MyPart(StrictSandbox, frozen=True, kw_only=True, tag="my-part"):
    """The sandbox ``strict``, with one thread for libraries that read OMP_NUM_THREADS.

    Another kind of sandbox overrides ``assurance`` too, which returns what is proved on this machine.
    """

    threads_of_libraries: int = 1

    def wrap(self, launch: Launch) -> Launch:
        """Return a launch that starts the same bot inside of the sandbox. Raises: SandboxError."""
        return super().wrap(self.with_variable(launch))

    def with_variable(self, launch: Launch) -> Launch:
        """Return a launch with the variable; one that the bot sets itself comes later, and counts."""
        return replace(launch, environment=(("OMP_NUM_THREADS", str(self.threads_of_libraries)), *launch.environment))


@hookimpl
def arena_sandboxes() -> list[type[Sandbox]]:
    """Return the sandbox."""
    return [MyPart]
