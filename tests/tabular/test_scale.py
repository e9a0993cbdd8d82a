"""Big and hostile files: memory follows their size, and nothing depends on where rows are cut."""

import csv
import io
import json
import os
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tabular_step import answers, read

from fidelity_study.errors import DataError
from fidelity_study.reading.tabular import answers as adding_up
from fidelity_study.reading.tabular import columns, opening, plain, respondents
from fidelity_study.reading.tabular.text import Text

SIMULATED = "scenario,simulator,value\ns1,model,yes\n"
MEASURED = """
import json, re, sys
from pathlib import Path
from tabular_step import read
from fidelity_study.errors import DataError
try:
    told = len(read(**json.loads(sys.argv[1])).outcomes)
except DataError as error:
    told = str(error)
peak = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())
print(json.dumps([told, int(peak[1]) / 1024]))
"""
MOST_MB, MOST_MB_OF_HOSTILE = 600, 1500


def in_own_process(**own):
    """Return what a process tells that reads files, or how many counts it has, and its MB."""
    if not Path("/proc/self/status").exists():
        pytest.skip("this system does not say what a process has in memory")
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, json.dumps(own)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout)


def is_open(text: str) -> bool:
    """Return whether a quote is open at the end of rows of cells, sign by sign."""
    is_quoted, may_begin = False, True
    for sign in text:
        if sign == '"' and (is_quoted or may_begin):
            is_quoted, may_begin = not is_quoted, is_quoted
        else:
            may_begin = not is_quoted and sign in ",\n"
    return is_quoted


@given(st.text('a,"\n', max_size=30))
def test_an_open_quote_is_found(some):
    expected = some.count('"') % 2 == 1 or is_open(some)
    assert plain._has_open_quote(some.encode(), ",") == expected


@given(st.lists(st.text('ab,"\n', max_size=6), min_size=4, max_size=30))
def test_cells_are_those_of_the_file(tmp_path_factory, cells):
    table = io.StringIO()
    rows = [[cell or "x" for cell in cells[i : i + 2]] for i in range(0, len(cells) // 2 * 2, 2)]
    csv.writer(table, lineterminator="\n").writerows([["one", "two"], *rows])
    path = tmp_path_factory.mktemp("text") / "file.csv"
    path.write_text(table.getvalue(), encoding="utf-8")
    found = Text.of(str(path), ",", ",").columns([0, 1])
    assert [*zip(*(column.to_pylist() for column in found), strict=True)] == [*map(tuple, rows)]


def test_a_file_is_read_again_only_if_it_has_changed(monkeypatch):
    opened, path = [], Path("people.csv")
    of = Text.of
    monkeypatch.setattr(Text, "of", lambda *given: opened.append(1) or of(*given))
    path.write_text("a,b\n1,2\n")
    assert [opening.opened("people.csv").columns for _ in range(2)] == [["a", "b"]] * 2
    assert len(opened) == 2  # it may change again within the same tick of the clock
    os.utime(path, (1e9, 1e9))
    monkeypatch.setattr(opening, "SECOND", -1)
    assert [opening.opened("people.csv").columns for _ in range(2)] == [["a", "b"]] * 2
    assert len(opened) == 3
    path.write_text("c,d\n1,2\n")
    assert opening.opened("people.csv").columns == ["c", "d"]
    os.utime(path, (1e9, 1e9))
    path.write_text("e,f\n1,2\n")
    os.utime(path, (1e9, 1e9))
    assert opening.opened("people.csv").columns == ["e", "f"]


def test_quotes_within_text_mean_nothing():
    pipes = "".join(f'p{i}\ts{i % 2}\t{3 + i % 2}" pipe\n' for i in range(200))
    Path("human.tsv").write_text("id\tscenario\tvalue\n" + pipes, encoding="utf-8")
    Path("simulated.tsv").write_text('scenario\tsimulator\tvalue\ns0\tmodel\t3" pipe\n'
                                     's1\tmodel\t4" pipe\n', encoding="utf-8")  # fmt: skip
    own = {"human": "human.tsv", "simulated": "simulated.tsv"}
    found = read(**own, outcome={"kind": "categorical", "levels": ['3" pipe', '4" pipe']})
    assert answers(found, "human") == {"s0": {'3" pipe': 100}, "s1": {'4" pipe': 100}}


NUMBERS = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True).map(repr),
    st.from_regex(r"[+-]?[0-9]{0,20}\.?[0-9]{0,22}([eE][+-]?[0-9]{1,3})?", fullmatch=True),
    st.text(" .,-+e0123\u00a0\u0663", max_size=5),
)


@pytest.mark.slow
@given(st.lists(NUMBERS, max_size=3))
def test_numbers_are_the_same_one_by_one_and_together(texts):
    one_by_one = [columns.as_number(each.strip()) for each in texts]
    together = columns._parsed(pa.array(texts, pa.string()))
    np.testing.assert_array_equal(together, np.array(one_by_one, float))


def people(number: int, m: int = 2) -> str:
    rows = "".join(f"s{i % m + 1},{['yes', 'no'][i % 3 % 2]},p{i}\n" for i in range(number))
    return "scenario,value,respondent\n" + rows


def test_a_respondent_twice_in_a_wide_file():
    Path("human.csv").write_text("id,s1,s2\n1,yes,no\n2,no,yes\n 1,yes,yes\n")
    Path("simulated.csv").write_text(SIMULATED)
    with pytest.raises(DataError, match=r"row 4, column 'id': respondent '1' is there"):
        read(human="human.csv", simulated="simulated.csv", columns={"respondent": "id"})


@pytest.mark.parametrize(("more", "repeat"), [("", False), ("s1,yes,p1\n", True)])
def test_respondents_with_the_same_key_by_chance_are_not_the_same(monkeypatch, more, repeat):
    monkeypatch.setattr(respondents, "SPREAD", np.uint64(0))
    Path("human.csv").write_text(people(40) + more)
    Path("simulated.csv").write_text(SIMULATED)
    found = read(human="human.csv", simulated="simulated.csv")
    assert found.scenarios["respondents_repeat"].tolist() == [repeat] * 2


def bomb(path: str, start: bytes, unit: bytes, megabytes: int) -> None:
    packer = zlib.compressobj(9, wbits=31)
    with Path(path).open("wb") as file:
        file.write(packer.compress(start))
        for _ in range(megabytes):
            file.write(packer.compress(unit * ((1 << 20) // len(unit))))
        file.write(packer.flush())


@pytest.mark.slow
def test_a_bomb_of_rows_is_refused_and_a_file_that_packs_well_is_not(monkeypatch):
    Path("simulated.csv").write_text(SIMULATED)
    monkeypatch.setattr(plain, "MOST_UNPACKED", 1 << 22)
    monkeypatch.setattr(plain, "MOST_TIMES_PACKED", 20)
    bomb("bomb.csv.gz", b"scenario,value\n", b"s1,yes\ns1,no\n", 8)
    with pytest.raises(DataError, match=r"bomb.csv.gz: unpacks to more than 0.0 GB, 20 times"):
        read(human="bomb.csv.gz", simulated="simulated.csv")
    monkeypatch.setattr(plain, "MOST_TIMES_PACKED", 2000)
    assert read(human="bomb.csv.gz", simulated="simulated.csv").outcomes["count"].sum() > 1e6


@pytest.mark.slow
@pytest.mark.parametrize("quote", ["", '"'])
def test_a_million_columns_are_refused(quote):
    cells = ",".join(f"{quote}s{j}{quote}" for j in range(10**6))
    Path("human.csv").write_text(f"{cells}\n{cells}\n")
    told, peak = in_own_process(human="human.csv", simulated={"model": "human.csv"})
    assert told == (
        "human.csv: has 1,000,000 columns, more than 200,000; write the answers as a long file, "
        "a row for each"
    )
    assert peak < MOST_MB


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "start", "unit", "megabytes", "words"),
    [
        ("zeros.csv.gz", b"", b"\0", 1024, ["unpacks to more than 0.3 GB"]),
        ("line.csv.gz", b"", b"x", 1024, ["unpacks to more than 0.3 GB"]),
        ("line.csv", b"scenario,value\n", b"x", 100, ["a row of more than 16 MB"]),
        ("quotes.csv", b'scenario,value\n"', b'"', 100, ["line 2", "never closed"]),
    ],
)
def test_what_is_large_when_read_is_refused_in_little_memory(path, start, unit, megabytes, words):
    Path("simulated.csv").write_text(SIMULATED)
    if path.endswith(".gz"):
        bomb(path, start, unit, megabytes)
    else:
        Path(path).write_bytes(start + unit * (megabytes << 20))
    told, peak = in_own_process(human=path, simulated="simulated.csv")
    assert all(word in told for word in [path, *words]), told
    assert "\n" not in told
    assert peak < MOST_MB_OF_HOSTILE


@pytest.mark.parametrize(
    ("module", "limit", "human", "words"),
    [
        (columns, "MOST_CODES", people(9), ["column 'respondent'", "8 different texts", "ignore"]),
        (adding_up, "MOST_SUMS", people(9), ["8 different answers", "personas"]),
    ],
)
def test_what_would_not_fit_is_refused(monkeypatch, module, limit, human, words):
    monkeypatch.setattr(module, limit, 8)
    Path("human.csv").write_text(human)
    Path("simulated.csv").write_text(SIMULATED)
    personas = ["respondent"] if "respondent" in human else []
    with pytest.raises(DataError, match=r"^human.csv") as refusal:
        read(human="human.csv", simulated="simulated.csv", personas=personas)
    assert all(word in str(refusal.value) for word in words), refusal.value


def survey(n: int, m: int, kind: str) -> None:
    """Write the answers of n people to m questions."""
    generator = np.random.default_rng(n)
    answer = generator.integers(1, 6, (n, m), dtype=np.int8)
    names = [f"Q{j + 1}" for j in range(m)]
    form, suffix = kind.split(".")
    if form == "wide":
        table = pa.table({name: answer[:, j] for j, name in enumerate(names)})
    else:
        place = pa.array(np.tile(np.arange(m, dtype=np.int32), n))
        scenario = pa.DictionaryArray.from_arrays(place, names).cast(pa.string())
        table = pa.table({"scenario": scenario, "value": answer.ravel()})
    if form == "weighted":
        weight = generator.gamma(2, 0.5, n).round(3)
        for name, column in (("respondent", np.arange(n, dtype=np.int32)), ("weight", weight)):
            table = table.append_column(name, pa.array(column.repeat(m)))
    if suffix == "parquet":
        pq.write_table(table, f"human.{suffix}")
    else:
        pa.csv.write_csv(table, f"human.{suffix}", pa.csv.WriteOptions(quoting_style="none"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["long.csv", "wide.parquet", "weighted.csv"])
def test_memory_grows_by_the_text_and_by_what_cells_take(kind):
    """Text is parsed from memory; a cell is a code of 32 bits, a few times while rows are added."""
    m, sizes, peaks, bytes_of = 50, (40_000, 120_000), [], []
    lines = [f"Q{j + 1},model,{j % 5 + 1}\n" for j in range(m)]
    Path("simulated.csv").write_text("".join(["scenario,simulator,value\n", *lines]))
    form, suffix = kind.split(".")
    for n in sizes:
        survey(n, m, kind)
        files = {"human": f"human.{suffix}", "simulated": "simulated.csv"}
        found, peak = min(in_own_process(**files) for _ in range(2))
        assert found == 6 * m
        peaks.append(peak)
        bytes_of.append(Path(f"human.{suffix}").stat().st_size)
    cells = {"wide": 1, "long": 2, "weighted": 4}[form] * m * (sizes[1] - sizes[0])
    keys = 8 * m * (sizes[1] - sizes[0]) if form == "weighted" else 0
    grown = 3 * (bytes_of[1] - bytes_of[0]) + 8 * 4 * cells + keys
    assert peaks[1] - peaks[0] < 50 + grown / 2**20
