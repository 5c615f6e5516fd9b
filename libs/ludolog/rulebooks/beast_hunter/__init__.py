"""Utopia Engine: Beast Hunter: solo, dice on an adventure sheet."""
