"""The process of an embedded model: serves until its standard input ends, as when its parent dies.

``python -m fidelity_study.ask.serve FILE THREADS`` prints the server's address when it is ready. A
process of its own, which ends without the server's farewell: that can wait for ever.
"""

import os
import sys
from pathlib import Path

CONTEXT = 4096


def main(file: str, threads: int) -> None:
    """Serve the model in ``file``: one slot, so that an answer depends on its request alone."""
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = file
    settings.model_alias = {Path(file).stem}
    settings.n_parallel = 1
    settings.n_ctx = CONTEXT
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads
    settings.verbosity = -1
    try:
        running = xllamacpp.Server(settings)
    except RuntimeError as error:
        sys.exit(f"{file}: {error}")
    print(running.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
