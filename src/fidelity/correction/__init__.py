"""Simulators corrected by people's answers to other scenarios, cross-fitted.

Scenarios are in folds. The correction of a scenario is fitted without the people of its whole fold.
A corrected simulator is therefore one more simulator, measured like any other. A scenario with no
answers is corrected, too. A bound for it (:mod:`fidelity.prediction`) is exact if correction and
bound come from different scenarios, and approximate if they come from the same ones.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
