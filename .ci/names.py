"""Count how often a name that says nothing of its role is bound, and stop where there are too many.

`each` and the like read well once and tell nobody what they hold. Run by `make lint`.
"""

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

MOST = {"each": 23, "found": 13, "own": 8, "told": 1, "of": 5}


def bound(tree: ast.AST) -> Iterator[str]:
    """Yield every name that a file binds: variables, parameters, attributes of classes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg


def main() -> None:
    """Print the counts beside the most that are allowed; exit with 1 where there are more."""
    listed = subprocess.check_output(
        ["git", "ls-files", "src", "audit", "scripts", "workflow"], text=True
    )
    counts: Counter[str] = Counter()
    for file in listed.split():
        if file.endswith(".py"):
            counts.update(bound(ast.parse(Path(file).read_text(encoding="utf-8"))))
    for name, most in MOST.items():
        print(f"{name:>6} {counts[name]:4} of at most {most}")
    sys.exit(any(counts[name] > most for name, most in MOST.items()))


if __name__ == "__main__":
    main()
