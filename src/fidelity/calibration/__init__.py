"""Whether stated probabilities and intervals hold: proper scores, reliability, tests."""
