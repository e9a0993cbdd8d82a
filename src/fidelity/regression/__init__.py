"""Regressions: would a model fitted to simulated persons say what one fitted to people says?

One formula is fitted to both sides: a question's score on facts about persons. Its slopes are
compared with one covariance, so that persons with several answers, the same persons on both sides,
and designs count as they must.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
