"""The library checked against known truth: populations, wrong formulas, size and power of tests."""
