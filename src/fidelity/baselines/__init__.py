"""Simulators that need no model: a uniform guess, and forecasts from other people's answers."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
