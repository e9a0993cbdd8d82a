"""Scores of evaluations: read from logs of evaluation tools and from tables."""
