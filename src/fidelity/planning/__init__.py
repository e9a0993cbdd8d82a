"""Planning the next study: how many scenarios, people and draws, their precision and their cost."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
