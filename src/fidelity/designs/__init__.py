"""Survey designs: variances of weighted shares, and how many independent people they are worth."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
