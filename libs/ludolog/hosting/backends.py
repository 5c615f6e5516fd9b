"""Which log and which cache: by the mode."""

from __future__ import annotations

from typing import Any

from ludolog.eventlog.port import EventLog
from ludolog.hosting.settings import Settings
from ludolog.sessions.port import SessionCache


async def open_log(settings: Settings) -> EventLog:
    """SQLite in the data folder, or Kafka. A process loads the client of one log only."""
    if settings.embedded:
        from ludolog.eventlog.sqlite import SqliteLog  # noqa: PLC0415

        return SqliteLog(settings.data)
    from ludolog.eventlog.kafka import KafkaLog, KafkaSettings  # noqa: PLC0415

    replicas = settings.kafka_replication
    kafka = KafkaSettings(
        replication_factor=replicas,
        min_insync_replicas=max(1, replicas - 1),
        single_broker=replicas == 1,
        session_timeout_ms=int(settings.kafka_session_s * 1000),
        security=kafka_security(settings),
    )
    return KafkaLog(",".join(settings.kafka_bootstrap), kafka)


def kafka_security(settings: Settings) -> dict[str, Any]:
    """kafka-python's options for how brokers are reached. OSError where a file can't be read."""
    options: dict[str, Any] = {"security_protocol": settings.kafka_security}
    if settings.kafka_security.endswith("SSL"):
        files = {
            "cafile": settings.kafka_ca_file,
            "certfile": settings.kafka_cert_file,
            "keyfile": settings.kafka_key_file,
        }
        options |= {f"ssl_{name}": str(path) for name, path in files.items() if path is not None}
    if settings.kafka_security.startswith("SASL") and settings.kafka_password_file is not None:
        options["sasl_mechanism"] = settings.kafka_mechanism
        options["sasl_plain_username"] = settings.kafka_user
        options["sasl_plain_password"] = settings.kafka_password_file.read_text().strip()
    return options


async def open_cache(settings: Settings) -> SessionCache:
    """In memory, or Redis."""
    if settings.embedded:
        from ludolog.sessions.memory import MemoryCache  # noqa: PLC0415

        return MemoryCache()
    from ludolog.sessions.redis import RedisCache  # noqa: PLC0415

    return RedisCache(settings.redis_url)
