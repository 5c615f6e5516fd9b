"""Promises seeds, gives blocks to engines, reveals seeds after the end. Stores nothing that can be lost."""
