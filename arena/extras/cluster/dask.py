"""Plays fixtures on a Dask cluster, through ``dask.distributed`` and its ``concurrent.futures`` interface.

The other modules of the folder, and the library, are imported when a pool is opened: the library takes half a second to import, and
is an extra. ``CLUSTER.md`` is the manual.
"""

from collections.abc import Callable
from concurrent import futures
from typing import Annotated

from msgspec import Meta

from arena import distribution
from arena.errors import InputError
from arena.tournament.executors import Executor, tell_nobody

MOST = 512  # fixtures in play at once, unless --workers says otherwise; workers may join at any time


class Dask(Executor, frozen=True, kw_only=True, tag="dask"):
    """The workers of a Dask cluster, as many as there are at any time; each thread of a worker plays one match.

    Its workers need this package and nothing else. TLS is configured as Dask has it: ``distributed.comm.tls`` in its configuration.
    """

    scheduler: str = ""  # as tcp://host:8786, or tls://host:8786
    patience: Annotated[float, Meta(gt=0, le=1_000_000)] = 60.0  # seconds without a worker that can play, before a run fails

    def __post_init__(self) -> None:
        """Raise ValueError without the address of a scheduler."""
        if not self.scheduler:
            raise ValueError("found no scheduler; expected one with its address, as {name: dask, scheduler: tcp://host:8786}")
        if "://" not in self.scheduler:
            raise ValueError(f"found scheduler {self.scheduler!r}; expected an address, as tcp://host:8786")

    def workers(self, asked: int | None, cores: int) -> int:  # noqa: ARG002 - this machine's cores play nothing
        """Return the largest number of matches in play at once."""
        return asked or MOST

    def where(self) -> str:
        """Return where the matches are played, for the user."""
        return f"on the cluster of {self.scheduler}"

    def open(self, workers: int, prepare: Callable[[], None], warn: Callable[[str], None] = tell_nobody) -> futures.Executor:  # noqa: ARG002 - players log here
        """Return a pool that is connected to the cluster. Raises: InputError, ClusterError."""
        try:
            from arena.extras.cluster.pool import ClusterPool  # noqa: PLC0415 - an extra, and slow to import
        except ModuleNotFoundError as error:
            raise InputError(f"{error.name} is not installed; {distribution.install('dask')} brings it") from None
        return ClusterPool(self.scheduler, workers, self.patience, warn)
