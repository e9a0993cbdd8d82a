"""Comparing simulators: error bars, ranks, certified shares, equivalent sample sizes."""
