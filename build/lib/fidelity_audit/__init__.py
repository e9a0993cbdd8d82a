"""The library held against the truth: populations, wrong formulas, size and power of tests."""
