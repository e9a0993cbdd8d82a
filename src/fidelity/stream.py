"""Random streams keyed by their purpose, not by the order in which they are used."""

import hashlib
import json

import numpy as np


def stream(*key: str | int) -> np.random.Generator:
    """Return the generator that belongs to ``key``.

    The same key gives the same stream in any study and on any number of cores: adding a scenario or
    a simulator does not change another one's draws. The key is hashed (BLAKE2b) into the 128-bit
    key of a counter-based Philox generator, so that streams do not overlap.
    """
    digest = hashlib.blake2b(json.dumps(key).encode(), digest_size=16).digest()
    return np.random.Generator(np.random.Philox(key=np.frombuffer(digest, np.uint64)))
