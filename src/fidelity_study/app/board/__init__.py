"""A board: who is closest to people over studies, with intervals, and what is not settled."""
