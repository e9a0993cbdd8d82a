"""The study around the statistics: config, tables, figures and report of the workflow.

:func:`compare` is all of it in one call, for notebooks. It is imported when first used (SPEC 1).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
