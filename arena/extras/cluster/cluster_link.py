"""The connection to a Dask scheduler.

Every call is bound to one worker (``workers=``, ``allow_other_workers=False``), and is not repeated (``retries=0``). So Dask
never moves or repeats a match: this pool plays a call again if its worker has vanished.
"""

import logging
from concurrent.futures import Executor

import dask.config
from distributed import Client
from distributed.security import Security

from arena.errors import ClusterError

ANSWER = 10  # seconds for a scheduler to answer
LARGEST = "1 GiB"  # size of a call without a warning: the state of each bot of a match may have 64 MB
LOGGERS = ("distributed", "distributed.client", "tornado", "tornado.application")  # the library makes them print to stderr


class ClusterLink:
    """A client of a scheduler."""

    def __init__(self, address: str) -> None:
        """Connect. Raises: ClusterError."""
        for name in LOGGERS:
            logger = logging.getLogger(name)
            logger.handlers[:] = [logging.NullHandler()]
            logger.propagate = True
        dask.config.set({"distributed.admin.large-graph-warning-threshold": LARGEST})
        try:
            if address.startswith("tls://") and not Security().get_connection_args("client").get("ssl_context"):
                raise ClusterError(f"{address}: Dask's configuration names no certificates; `arena docs cluster` says how")
            self._client = Client(address, timeout=ANSWER, name="arena", set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise ClusterError(f"{address}: no scheduler answers: {_one_line(error)}") from None

    def workers(self) -> dict[str, int]:
        """Return the number of threads of each running worker, by its address. Raises: ClusterError, if the connection is lost."""
        try:
            if self._client.status != "running":
                raise ClusterError(f"the connection is {self._client.status}")
            found = self._client.sync(self._client.scheduler.identity, n_workers=-1, callback_timeout=ANSWER)
        except (OSError, AttributeError) as error:  # without a connection there is no scheduler to ask
            raise ClusterError(f"the scheduler does not answer: {_one_line(error)}") from None
        return {
            str(address): int(worker["nthreads"]) for address, worker in found["workers"].items() if worker["status"] == "running"
        }

    def executor(self, address: str) -> Executor:
        """Return the executor of one worker."""
        executor: Executor = self._client.get_executor(workers=[address], allow_other_workers=False, pure=False, retries=0)
        return executor

    def close(self) -> None:
        """Disconnect; workers abort what they play for this client."""
        self._client.close(timeout=ANSWER)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
