"""Logs of records, and who may write them."""
