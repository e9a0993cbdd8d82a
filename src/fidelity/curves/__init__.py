"""Quantile curves over scenarios, what holds of them, clusters and target populations."""
