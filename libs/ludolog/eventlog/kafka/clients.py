"""Clients of kafka-python as we use them: their options, their threads, and their errors in the words of the port."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer
from kafka.errors import (
    KafkaError,
    KafkaTimeoutError,
    LogTruncationError,
    OffsetOutOfRangeError,
    UnknownTopicOrPartitionError,
)
from kafka.net.compat import KafkaNetClient

from ludolog.eventlog.kafka.settings import KafkaSettings
from ludolog.eventlog.port import LogError, LogUnavailable, NoSuchTopic, OutOfRange

T = TypeVar("T")

RECONNECT_BACKOFF_MAX_MS = 1000
MAX_REQUEST_BYTES = 1_048_576
_FETCH_BYTES = 4 * 1024 * 1024
_numbers = itertools.count(1)


@contextlib.contextmanager
def translated(doing: str) -> Iterator[None]:
    """Turn kafka-python's errors into the port's. `doing` opens the message."""
    try:
        yield
    except LogError:
        raise
    except (OffsetOutOfRangeError, LogTruncationError) as error:
        raise OutOfRange(f"{doing}: {error}") from error
    except UnknownTopicOrPartitionError as error:
        raise NoSuchTopic(f"{doing}: {error}") from error
    except (KafkaError, OSError, RuntimeError) as error:
        # RuntimeError: what a client raises whose network thread has ended.
        raise LogUnavailable(f"{doing}: {type(error).__name__}: {error}") from error


class Clients:
    """Makes clients of one cluster. Making one blocks until it is connected: call it on a thread."""

    def __init__(self, bootstrap: str, settings: KafkaSettings, name: str) -> None:
        """`bootstrap`: host:port, several separated by commas. `name`: shows in the broker's log."""
        self._bootstrap = bootstrap.split(",")
        self._settings = settings
        self._name = name

    def named(self, name: str) -> Clients:
        """The same under another name."""
        return Clients(",".join(self._bootstrap), self._settings, name)

    def consumer(self, **options: Any) -> KafkaConsumer:
        """A consumer that reads everything, resets nothing and commits nothing."""
        common = {
            "isolation_level": "read_uncommitted",
            "auto_offset_reset": "none",
            "enable_auto_commit": False,
            "fetch_max_bytes": _FETCH_BYTES,
            "max_partition_fetch_bytes": MAX_REQUEST_BYTES,
            "allow_auto_create_topics": False,
            "metrics_enabled": False,
        }
        return _made(KafkaConsumer, **self._common(), **{**common, **options})

    def producer(self) -> KafkaProducer:
        """An idempotent producer that waits for all in-sync replicas."""
        return _made(
            KafkaProducer,
            **self._common(),
            enable_idempotence=True,
            acks="all",
            max_in_flight_requests_per_connection=5,
            linger_ms=0,
            delivery_timeout_ms=self._settings.delivery_timeout_ms,
            max_block_ms=self._settings.request_timeout_ms,
            max_request_size=MAX_REQUEST_BYTES,
            allow_auto_create_topics=False,
            metrics_enabled=False,
        )

    def admin(self) -> KafkaAdminClient:
        """A client to make and describe topics with."""
        return _made(KafkaAdminClient, **self._common())

    def _common(self) -> dict[str, Any]:
        return {
            "bootstrap_servers": self._bootstrap,
            "client_id": f"{self._name}-{next(_numbers)}",
            "request_timeout_ms": self._settings.request_timeout_ms,
            "bootstrap_timeout_ms": self._settings.connect_timeout_ms,
            "reconnect_backoff_max_ms": RECONNECT_BACKOFF_MAX_MS,
            **self._settings.security,
        }


def _made(kind: Callable[..., T], **options: Any) -> T:
    """Make a client. One that doesn't connect is ended: kafka-python 3.0.12 leaves its thread and sockets behind."""
    networks: list[KafkaNetClient] = []

    def network(*arguments: Any, **settings: Any) -> KafkaNetClient:
        networks.append(KafkaNetClient(*arguments, **settings))
        return networks[-1]

    try:
        return kind(kafka_client=network, **options)
    except BaseException:
        for half_made in networks:
            half_made.close()
        raise


class ConsumerThread:
    """A consumer with a thread of its own: it isn't thread-safe, and its calls block."""

    def __init__(self, name: str, make: Callable[[], KafkaConsumer]) -> None:
        """The consumer is made when it is first needed, and anew after an error that it may not survive."""
        self._name = name
        self._make = make
        self._consumer: KafkaConsumer | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"kafka-{name}")

    async def run(self, work: Callable[[KafkaConsumer], T]) -> T:
        """Have the thread do something with the consumer, after what was asked before. Raises LogErrors only."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, self._run, work)
        except RuntimeError as error:  # the thread was shut down
            raise LogUnavailable(f"{self._name}: {error}") from error

    async def close(self) -> None:
        """Let go, when what is under way has ended."""
        with contextlib.suppress(RuntimeError):
            await asyncio.get_running_loop().run_in_executor(self._thread, self._drop)
        self._thread.shutdown(wait=False)

    def _run(self, work: Callable[[KafkaConsumer], T]) -> T:
        with translated(self._name):
            if self._consumer is None:
                self._consumer = self._make()
            try:
                return work(self._consumer)
            except (KafkaTimeoutError, LogUnavailable):
                # It may be stuck with an old idea of who leads what: a new one asks.
                self._drop()
                raise
            except KafkaError:
                raise
            except RuntimeError:
                self._drop()
                raise

    def _drop(self) -> None:
        if self._consumer is not None:
            with contextlib.suppress(KafkaError, OSError, RuntimeError):
                self._consumer.close(autocommit=False)
            self._consumer = None
