"""Predictions of people's answers to a question that nobody was asked, from their other answers.

1. :func:`conformal_bound` or :func:`localised_bound` turns the upper pseudo-discrepancies of the
   questions asked into a bound V on the discrepancy of one that was not.
2. :func:`prediction_intervals` turns V and the simulator's answer into a range for every option.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
