"""What a simulator may be used for: each use with its own error and limit, and all on one card.

A verdict on shares says nothing of relations, effects or single persons. So each use has an error
of its own, and a limit that is fixed before looking; it is ``within``, ``beyond`` or ``open``. A
reader of many uses may choose the kindest, so :func:`card` judges all of them at one error rate.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
