"""A log on Kafka, by kafka-python (3.0.12 or later)."""

from ludolog.eventlog.kafka.log import KafkaLog
from ludolog.eventlog.kafka.settings import KafkaSettings

__all__ = ["KafkaLog", "KafkaSettings"]
