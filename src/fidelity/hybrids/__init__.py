"""A few people and a simulator together: how strongly to trust it, and how much it saves."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
