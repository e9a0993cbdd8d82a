"""The audit's results as tables, sentences and figures for the report."""
