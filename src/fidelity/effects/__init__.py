"""Effects of experiments: do simulated effects replicate among people?

An effect is the mean answer in a condition less that in the control. Levels may be wrong and
effects right, or the reverse.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
