"""The figures of a study: each module draws one, in its function ``draw``."""
