"""How answers to different questions go together, by persons: associations, scales, twins.

Margins that are right say nothing of it. Each person's own answers to all questions must be known.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
