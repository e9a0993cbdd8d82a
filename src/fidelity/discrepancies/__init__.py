"""Discrepancies between what people answer and what a simulator answers."""
