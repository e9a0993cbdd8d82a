"""Exact extrema over balls of distributions: the solvers below the discrepancies."""
