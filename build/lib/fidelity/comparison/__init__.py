"""Comparing simulators: error bars, ranks, certified shares, equivalent sample sizes."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
