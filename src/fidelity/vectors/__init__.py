"""Answers that are points: embeddings of texts, features of dialogues, paths on a grid of times.

How far samples of both sides are apart, and whether a classifier can tell them apart. Every answer
is a point in R^D, a row of a table (n, D).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
