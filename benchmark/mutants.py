"""Mutants: small changes of the code in a copy of it, and whether a quick test fails for each.

python benchmark/mutants.py FOLDER 300 copies the last commit into FOLDER and runs what ``make
test`` runs there once, to learn which test reaches which of 300 places. Then it makes the 300
mutants one after another, and runs the tests that reach its place until one fails.
FOLDER/mutants.tsv says what was changed and which test failed. A mutant's place in the order is a
hash of its statement: the list stays as it is where the code does, and its first N are a random
sample of the statements that can be changed. For another number take another FOLDER.
"""

import ast
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd  # noqa: F401 imported once for the forks that run tests
import pytest
import scipy.stats  # noqa: F401

ROOMS = ["src/fidelity", "src/fidelity_study/steps", "src/fidelity_study/reading"]
QUICK = ["-q", "-p", "no:cacheprovider", "--hypothesis-profile", "quick"]
MARKED = ["-m", "not slow and not minutes and not release"]
AT_FIRST, AT_MOST = 3, 300.0  # files of tests before the others; seconds of a mutant's tests
PROBE = """
import json, os

seen = set()

def reach(*places):
    test = os.environ.get("MUTANT_FIXTURE") or os.environ.get("PYTEST_CURRENT_TEST", "")
    for place in places:
        if (place, test) not in seen:
            seen.add((place, test))
            with open(os.environ["MUTANT_REACHED"], "a") as file:
                file.write(json.dumps([place, test]) + "\\n")
"""
SWAPS = [
    {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt},
    {ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.Eq: ast.NotEq},
    {ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is},
    {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult},
    {ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd},
    {ast.And: ast.Or, ast.Or: ast.And},
]


def _swapped(operator: ast.AST) -> list[ast.AST]:
    return [swap[type(operator)]() for swap in SWAPS if type(operator) in swap]


def changes(node: ast.AST) -> list[ast.AST]:
    """Return what may stand in a node's place."""
    match node:
        case ast.Compare(left, [operator], right):
            return [ast.Compare(left, [other], right) for other in _swapped(operator)]
        case ast.BinOp(left, operator, right):
            return [ast.BinOp(left, other, right) for other in _swapped(operator)]
        case ast.AugAssign(target, operator, value):
            return [ast.AugAssign(target, other, value) for other in _swapped(operator)]
        case ast.BoolOp(operator, values):
            return [*(ast.BoolOp(other, values) for other in _swapped(operator)), *values]
        case ast.UnaryOp(ast.Not() | ast.USub() | ast.Invert(), operand):
            return [operand]
        case ast.Constant(bool(value)):
            return [ast.Constant(not value)]
        case ast.Constant(int(value) | float(value)):
            return [ast.Constant(value + 1), ast.Constant(value - 1)]
        case ast.IfExp(test, body, orelse):
            return [ast.IfExp(test, orelse, body)]
        case ast.Return(ast.expr() as value) if not (
            isinstance(value, ast.Constant) and value.value is None
        ):
            return [ast.Return(ast.Constant(None))]
        case ast.Raise() | ast.Expr(ast.Call()):
            return [ast.Pass()]
        case ast.Continue():
            return [ast.Break()]
    return []


def parts(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a statement and its expressions: no other statement, annotation or words of errors."""
    yield node
    if isinstance(node, ast.Raise | ast.JoinedStr):
        return
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.stmt):
                yield from parts(child)


class Mutant(NamedTuple):
    """A change of a file's bytes, and the function around it: None at the level of a module."""

    key: str
    path: str
    statement: ast.stmt
    node: ast.AST
    change: ast.AST
    function: ast.FunctionDef | None

    def edit(self, source: bytes) -> tuple[int, int, bytes]:
        """Return from where to where bytes are replaced, and by what."""
        starts = [0, *(i + 1 for i, byte in enumerate(source) if byte == 10)]
        first = starts[self.node.lineno - 1] + self.node.col_offset
        last = starts[self.node.end_lineno - 1] + self.node.end_col_offset
        text = ast.unparse(ast.fix_missing_locations(self.change))
        return first, last, (f"({text})" if isinstance(self.change, ast.expr) else text).encode()


def statements(
    body: ast.AST, function: ast.FunctionDef | None = None
) -> Iterator[tuple[ast.stmt, ast.FunctionDef | None]]:
    """Yield statements, with the function in which they stand."""
    for child in ast.iter_child_nodes(body):
        if getattr(child, "name", "") in ("__repr__", "__str__"):
            continue
        if isinstance(child, ast.stmt) and not isinstance(child, ast.Import | ast.ImportFrom):
            yield child, function
        yield from statements(child, child if isinstance(child, ast.FunctionDef) else function)


def mutants(root: Path) -> list[Mutant]:
    """Return one mutant of each statement that can be changed, in the order of hashes."""
    listed = []
    for path in sorted(path for room in ROOMS for path in (root / room).rglob("*.py")):
        times, name = Counter[str](), str(path.relative_to(root))
        for statement, function in statements(ast.parse(path.read_bytes())):
            possible = [(node, change) for node in parts(statement) for change in changes(node)]
            if possible:
                code = ast.unparse(statement)
                times[code] += 1
                key = hashlib.sha256(f"{name} {code} {times[code]}".encode()).hexdigest()
                node, change = possible[int(key, 16) % len(possible)]
                listed.append(Mutant(key, name, statement, node, change, function))
    return sorted(listed, key=lambda mutant: mutant.key)


def probed(source: bytes, places: dict[int, Mutant]) -> bytes:
    """Return a module that tells when a place is reached; what imports run, by its functions."""
    starts = [0, *(i + 1 for i, byte in enumerate(source) if byte == 10)]
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    inserted = defaultdict(list)
    for place, mutant in places.items():
        if mutant.function and isinstance(mutant.node, ast.expr):
            first, last, _ = mutant.edit(source)
            inserted[first].append((1, f"(__import__('mutant_probe').reach({place}) or ("))
            inserted[last].append((0, "))"))
            continue
        bodies = [function.body for function in functions]
        if mutant.function:
            bodies = [[mutant.statement]]
        elif isinstance(mutant.statement, ast.FunctionDef):
            bodies = [mutant.statement.body]
        for body in bodies:
            is_words = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
            node = body[1 if is_words and len(body) > 1 else 0]
            line = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
            at, space = starts[line - 1] + node.col_offset, " " * node.col_offset
            is_first = not source[starts[line - 1] : at].strip()
            end = "\n" + space if is_first else "; "
            inserted[at].append((2, f"__import__('mutant_probe').reach({place}){end}"))
    for at in sorted(inserted, reverse=True):
        text = "".join(text for _, text in sorted(inserted[at], key=lambda pair: -pair[0] % 3))
        source = source[:at] + text.encode() + source[at:]
    return source


class _Chosen:
    """A plugin of pytest: runs the tests that are chosen, in their order, and keeps what failed."""

    def __init__(self, chosen: list[str]) -> None:
        self.rank, self.failed = {test: i for i, test in enumerate(chosen)}, ""

    def pytest_collection_modifyitems(self, items: list) -> None:
        items[:] = [item for item in items if item.nodeid in self.rank]
        items.sort(key=lambda item: self.rank[item.nodeid])

    def pytest_runtest_logreport(self, report) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid

    def pytest_collectreport(self, report) -> None:
        self.pytest_runtest_logreport(report)


def run(tests: list[str], seconds: float, folder: Path) -> str:
    """Run tests in a fork that has imported nothing of the project; return which failed, or ""."""
    report = folder / "failed.txt"
    report.write_text("")
    child = os.fork()
    if not child:
        os.setsid()
        log = os.open(folder / "log.txt", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
        os.dup2(log, 1), os.dup2(log, 2)
        chosen = _Chosen(tests)
        files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
        status = pytest.main([*QUICK, "-x", f"--basetemp={folder}/temporary", *files], [chosen])
        failed = chosen.failed or ("" if status in (0, 5) else f"exit status {status}")
        report.write_text(failed)
        os._exit(0)
    end, done = time.monotonic() + seconds, 0
    try:
        while not done and time.monotonic() < end:
            done, status = os.waitpid(child, os.WNOHANG)
            time.sleep(0.05)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        if not done:
            os.waitpid(child, 0)
    return report.read_text() or ("" if done and status == 0 else "hangs or dies")


class _Learner:
    """A plugin of pytest: notes what tests take, which fixtures they use, and which are made."""

    def __init__(self) -> None:
        self.tests: dict[str, tuple[float, list[str]]] = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item):
        started = time.monotonic()
        yield
        self.tests[item.nodeid] = time.monotonic() - started, item.fixturenames

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        if fixturedef.scope != "function":
            os.environ["MUTANT_FIXTURE"] = f"{fixturedef.baseid}|{fixturedef.argname}"
        yield
        os.environ.pop("MUTANT_FIXTURE", None)


def learn(folder: Path, chosen: list[Mutant]) -> None:
    """Run the quick tests once on modules with probes."""
    by_path = defaultdict(dict)
    for place, mutant in enumerate(chosen):
        by_path[mutant.path][place] = mutant
    before = {path: Path(path).read_bytes() for path in by_path}
    Path("src/mutant_probe.py").write_text(PROBE)
    os.environ["MUTANT_REACHED"] = f"{folder}/reached.jsonl"
    try:
        for path, places in by_path.items():
            Path(path).write_bytes(probed(before[path], places))
        learner = _Learner()
        pytest.main([*QUICK, *MARKED, f"--basetemp={folder}/temporary"], [learner])
        (folder / "tests.json").write_text(json.dumps(learner.tests), encoding="utf-8")
    finally:
        Path("src/mutant_probe.py").unlink()
        for path, source in before.items():
            Path(path).write_bytes(source)


def tests_of(folder: Path, chosen: list[Mutant]) -> list[dict[str, float]]:
    """Return the tests that reach each place: those of files named like its module first."""
    tests = json.loads((folder / "tests.json").read_text())
    reached = [set[str]() for _ in chosen]
    for place, test in map(json.loads, (folder / "reached.jsonl").read_text().splitlines()):
        base, bar, fixture = test.partition("|")
        if bar and fixture in {name for _, names in tests.values() for name in names}:
            users = {name for name, (_, names) in tests.items() if fixture in names}
            reached[place] |= {name for name in users if name.startswith(base)}
        else:
            reached[place] |= {test.rpartition(" (")[0]} & tests.keys()
    ordered = []
    for mutant, names in zip(chosen, reached, strict=True):
        by_file = defaultdict(list)
        for name in sorted(names, key=lambda name: tests[name][0]):
            by_file[name.partition("::")[0]].append(name)
        far = {file: Path(mutant.path).stem not in file for file in by_file}
        mean = {file: np.mean([tests[name][0] for name in by_file[file]]) for file in by_file}
        files = sorted(by_file, key=lambda file: (far[file], mean[file]))
        ordered.append({name: tests[name][0] for file in files for name in by_file[file]})
    return ordered


def first_failure(mutant: Mutant, tests: dict[str, float], folder: Path) -> str:
    """Return the first test that fails when the file is changed; the file is then as before."""
    files = list(dict.fromkeys(name.partition("::")[0] for name in tests))
    near = [name for name in tests if name.partition("::")[0] in files[:AT_FIRST]]
    far, spent = [], 0.0
    for name in list(tests)[len(near) :]:
        if spent + tests[name] < AT_MOST:
            far.append(name)
            spent += tests[name]
    path = Path(mutant.path)
    source, times = path.read_bytes(), path.stat().st_mtime
    first, last, text = mutant.edit(source)
    try:
        path.write_bytes(source[:first] + text + source[last:])
        os.utime(path, (0, 0))  # else byte code of the file as it was might be taken for it
        for names in (near, far):
            seconds = 60 + 5 * sum(tests[name] for name in names)
            if names and (failed := run(names, seconds, folder)):
                return failed
    finally:
        path.write_bytes(source)
        os.utime(path, (times, times))
    return "SURVIVED" if tests else "NOT REACHED"


def main(folder: Path, count: int) -> None:
    """Learn, unless that is done, and make the mutants that are not yet in the table."""
    root, tree, table = Path(__file__).resolve().parents[1], folder / "tree", folder / "mutants.tsv"
    if not tree.exists():
        subprocess.run(["git", "clone", "--quiet", root, tree], check=True)
        (tree / ".venv").symlink_to(root / ".venv")
    os.chdir(tree)
    subprocess.run(["git", "checkout", "--quiet", "."], check=True)  # if killed at a mutant
    sys.dont_write_bytecode = True
    os.environ |= {"PYTHONPATH": f"{tree}/src", "PYTHONDONTWRITEBYTECODE": "1"}
    sys.path.insert(0, f"{tree}/src")
    chosen = mutants(tree)[:count]
    if not (folder / "tests.json").exists():
        child = os.fork()  # this process imports nothing of the project
        if not child:
            learn(folder, chosen)
            os._exit(0)
        os.waitpid(child, 0)
    tests = tests_of(folder, chosen)
    done = table.read_text().count("\n") if table.exists() else 0
    for place in range(done, count):
        mutant, started = chosen[place], time.monotonic()
        before = ast.unparse(mutant.node)
        failed = first_failure(mutant, tests[place], folder)
        change = f"{before} -> {ast.unparse(mutant.change)}".replace("\n", " ")
        took = f"{len(tests[place])} tests, {time.monotonic() - started:.0f} s"
        line = f"{mutant.path}:{mutant.node.lineno}\t{change}\t{failed}\t{took}"
        with open(table, "a", encoding="utf-8") as file:
            print(line, file=file)
        print(place, line, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), int(sys.argv[2]))
