"""Pickles from the internet: tables come back as they were, programs are refused and never run."""

import io
import os
import pickle
import struct

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal, assert_series_equal

from fidelity_study.errors import DataError
from fidelity_study.ingest.unpickle import load, load_array, load_mapping

PROTOCOLS = [2, 3, 4, 5]


def texts(*names):
    """Column names as they were before pandas 3, whose own are backed by pyarrow."""
    return pd.Index(names, dtype=object)


def table():
    frame = pd.DataFrame(
        {
            "IsCorrect": [0, 1, 1],
            "RESPONSE_NUMERIC": [-1.0, 1 / 3, np.nan],
            "answer": pd.Series(["a lot", None, "ü"], dtype=object),
            "when": pd.to_datetime(["2020-01-01", None, "2021-05-05"]),
            "group": pd.Categorical(texts("x", "y", "x")),
            "paid": [True, False, True],
            "moment": pd.Series([pd.Timestamp("2020"), pd.NaT, 3], dtype=object),
        }
    )
    frame.columns = texts(*frame.columns)
    return frame


def saved(path, thing, protocol=4):
    path.write_bytes(pickle.dumps(thing, protocol))
    return path


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_tables_and_arrays_come_back(tmp_path, protocol):
    series = pd.Series([1.0, -1 / 3, np.nan], index=pd.Index([68070001, 5, 7]), name="Q1")
    data = {
        "Q1": series,
        0: table(),
        np.int64(2): [0, 1, 1],
        "array": np.array([[0.5, 1.0], [2.0, 3.0]]),
        "columns": np.asfortranarray(np.arange(6).reshape(2, 3)),
        "other byte order": np.array([1.5, -2.0], dtype=">f8"),
        "objects": np.array(["a", None, 3], dtype=object),
        "texts": np.array(["GAP21Q28_W82", "x"]),
        "scalars": [np.float64(0.5), np.int64(7), np.bool_(True)],
        "empty": np.empty((0, 3)),
    }
    found = load_mapping(saved(tmp_path / "data.pkl", data, protocol))
    assert_series_equal(found["Q1"], series)
    assert_frame_equal(found[0], table())
    assert found[2] == [0, 1, 1]
    for name in ["array", "columns", "other byte order", "objects", "texts", "scalars", "empty"]:
        np.testing.assert_array_equal(found[name], data[name])


def test_old_module_paths_are_known(tmp_path):
    content = pickle.dumps({"q": np.arange(3), "s": np.float64(2)}, 2)
    assert b"numpy._core.multiarray" in content
    (tmp_path / "old.pkl").write_bytes(content.replace(b"numpy._core", b"numpy.core"))
    found = load(tmp_path / "old.pkl")
    np.testing.assert_array_equal(found["q"], [0, 1, 2])
    assert found["s"] == 2
    content = pickle.dumps(pd.Series([1.0, 2.0], name="q"), 2)
    for new, old in [
        (b"cpandas\nSeries\n", b"cpandas.core.series\nSeries\n"),
        (b"cpandas\nRangeIndex\n", b"cpandas.core.indexes.range\nRangeIndex\n"),
    ]:
        assert new in content
        content = content.replace(new, old)
    (tmp_path / "old.pkl").write_bytes(content.replace(b"numpy._core", b"numpy.core"))
    assert_series_equal(load(tmp_path / "old.pkl"), pd.Series([1.0, 2.0], name="q"))


@pytest.mark.parametrize(
    "array", [np.array([0, 2, 947]), np.array(["A_W1", "B_W22"]), np.array(["A", "B"], object)]
)
def test_npy_files_come_back(tmp_path, array):
    np.save(tmp_path / "a.npy", array, allow_pickle=True)
    np.testing.assert_array_equal(load_array(tmp_path / "a.npy"), array)


def call(function, *arguments):
    """A thing that pickles as a call of ``function``."""
    return type("Call", (), {"__reduce__": lambda self: (function, arguments)})()


def called(name, *arguments, protocol=4):
    """A pickle that calls ``module:name`` with plain arguments."""
    module, name = name.split(":")
    return (
        pickle.PROTO
        + bytes([protocol])
        + pickle.GLOBAL
        + f"{module}\n{name}\n".encode()
        + b"".join([pickle.MARK, *(pickled(each) for each in arguments), pickle.TUPLE])
        + pickle.REDUCE
        + pickle.STOP
    )


def pickled(thing):
    """What stands for a thing inside a pickle; bytes stand for themselves."""
    if isinstance(thing, bytes):
        return thing
    content = pickle.dumps(thing, 2)
    return content[2:-1]


def known(module, name):
    return pickle.GLOBAL + f"{module}\n{name}\n".encode()


def stacked(module, name, *rest):
    """The same by STACK_GLOBAL, whose names may have dots."""
    parts = b"".join(
        pickle.SHORT_BINUNICODE + bytes([len(each)]) + each.encode() for each in (module, name)
    )
    return b"\x80\x04" + parts + pickle.STACK_GLOBAL + b"".join(rest)


def run(marker):
    return f"touch {marker}"


ARRAY = known("numpy", "ndarray")
FLOAT = b"".join([known("numpy", "dtype"), pickled(("f8",)), pickle.REDUCE])
OBJECTS = b"".join([known("numpy", "dtype"), pickled(("O8",)), pickle.REDUCE])
BYTE = b"".join([known("numpy", "dtype"), pickled(("i1",)), pickle.REDUCE])
INTEGER = b"".join([known("numpy", "dtype"), pickled(("i4",)), pickle.REDUCE])
LONG = 10**13


def made(module, name, *parts):
    """Inside a pickle, a call with parts that are pickled, or stand for themselves as bytes."""
    arguments = b"".join(pickled(each) for each in parts)
    return known(module, name) + pickle.MARK + arguments + pickle.TUPLE + pickle.REDUCE


def gathered(*parts):
    """Inside a pickle, a list."""
    content = b"".join(pickled(each) for each in parts)
    return pickle.EMPTY_LIST + pickle.MARK + content + pickle.APPENDS


def entries(**parts):
    """Inside a pickle, a dict."""
    content = b"".join(pickled(key) + pickled(each) for key, each in parts.items())
    return pickle.EMPTY_DICT + pickle.MARK + content + pickle.SETITEMS


def together(*parts):
    """Inside a pickle, a tuple."""
    return pickle.MARK + b"".join(pickled(each) for each in parts) + pickle.TUPLE


def state(*parts):
    """Inside a pickle, a state for what stands before it."""
    return together(*parts) + pickle.BUILD


def filled(shape, dtype, content):
    """Inside a pickle, an array; the empty one is in memo 100."""
    empty = made("numpy.core.multiarray", "_reconstruct", ARRAY, (0,), b"C\x01b")
    return empty + b"qd" + state(1, shape, dtype, False, content)


def rows(many):
    return made(
        "pandas.core.indexes.base",
        "_new_Index",
        known("pandas", "RangeIndex"),
        {"start": 0, "stop": many, "step": 1, "name": None},
    )


def index(**parts):
    kind = known("pandas", "Index")
    return made("pandas.core.indexes.base", "_new_Index", kind, entries(**parts))


def grouping(names):
    """Inside a pickle, the type of a column of categories."""
    kind = known("pandas", "CategoricalDtype") + b")\x81"
    return kind + entries(categories=names, ordered=False) + b"b"


def categories(code):
    """A column of one code and one category."""
    names = index(data=filled((1,), OBJECTS, gathered("x")))
    codes = filled((1,), INTEGER, b"C\x04" + struct.pack("<i", code))
    column = known("pandas", "Categorical")
    empty = made("pandas._libs.arrays", "__pyx_unpickle_NDArrayBacked", column, 0x4F1061F, None)
    return b"\x80\x04" + empty + state(grouping(names), codes, b"}") + b"."


def series(many):
    """A column of one number, and an index of ``many``."""
    block = {"values": filled((1,), FLOAT, b"C\x08" + bytes(8)), "mgr_locs": slice(0, 1, 1)}
    parts = {"axes": gathered(rows(many)), "blocks": gathered(entries(**block))}
    manager = known("pandas.core.internals.managers", "SingleBlockManager")
    content = manager + b")\x81" + state([], [], [], entries(**{"0.14.1": entries(**parts)}))
    return (
        b"\x80\x04"
        + (known("pandas", "Series") + b")\x81")
        + entries(_mgr=content, _typ="series", _metadata=["_name"], attrs={}, _name="q")
        + b"b."
    )


def block(values, many):
    return made("pandas._libs.internals", "_unpickle_block", values, slice(0, many, 1), 2)


def nested(depth):
    """Arrays in each other."""
    inner = None
    for _ in range(depth):
        outer = np.empty(1, dtype=object)
        outer[0] = inner
        inner = outer
    return inner


MANY = 10**6
PROGRAMS = {
    "os.system": lambda m: pickle.dumps(call(os.system, run(m))),
    "os.system by name": lambda m: called("os:system", run(m)),
    "posix.system": lambda m: called("posix:system", run(m)),
    "in a dict of answers": lambda m: pickle.dumps({"Q1": call(os.system, run(m))}),
    "in an array of objects": lambda m: pickle.dumps(
        {"Q1": np.array([call(os.system, run(m)), None], dtype=object)}
    ),
    "in a table": lambda m: pickle.dumps(
        pd.DataFrame([[call(os.system, run(m))]], columns=texts("IsCorrect"))
    ),
    "eval": lambda m: pickle.dumps(call(eval, f"open({str(m)!r}, 'w')")),
    "exec": lambda m: pickle.dumps(call(exec, f"open({str(m)!r}, 'w')")),
    "open": lambda m: called("io:open", str(m), "w"),
    "import": lambda m: called("builtins:__import__", "this"),
    "getattr": lambda m: called("builtins:getattr", known("os", "path"), "os"),
    "partial": lambda m: called("functools:partial", known("os", "system"), run(m)),
    "attrgetter": lambda m: called("operator:attrgetter", "system"),
    "methodcaller": lambda m: called("operator:methodcaller", "system", run(m)),
    "map": lambda m: called("builtins:map", known("os", "system"), [run(m)]),
    "subprocess": lambda m: called("subprocess:check_call", ["touch", str(m)]),
    "runpy": lambda m: called("runpy:run_path", str(m)),
    "pickle itself": lambda m: called("pickle:loads", pickled(b"x")),
    "pandas.read_pickle": lambda m: called("pandas:read_pickle", str(m)),
    "pandas.eval": lambda m: called("pandas:eval", "1+1"),
    "DataFrame.to_csv": lambda m: stacked("pandas", "DataFrame.to_csv", pickle.STOP),
    "numpy.load": lambda m: called("numpy:load", str(m)),
    "numpy runstring": lambda m: called("numpy.testing._private.utils:runstring", "1", {}),
    "numpy fromfile": lambda m: called("numpy:fromfile", "/etc/hostname"),
    "numpy memmap": lambda m: called("numpy:memmap", str(m)),
    "tofile": lambda m: stacked("numpy", "ndarray.tofile", pickle.STOP),
    "dotted names": lambda m: stacked("os", "path.os.system", pickled((run(m),)), b"R."),
    "dots from a known class": lambda m: stacked("pandas", "Series.__init__.__globals__", b"."),
    "copyreg._reconstructor": lambda m: called(
        "copyreg:_reconstructor", known("pandas", "Series"), known("builtins", "object"), None
    ),
    "copyreg.add_extension": lambda m: called("copyreg:add_extension", "os", "system", 5),
    "copyreg.__newobj__": lambda m: called("copyreg:__newobj__", known("pandas", "Series")),
    "extension code": lambda m: b"\x80\x02" + pickle.EXT1 + b"\x05.",
    "persistent id": lambda m: b"\x80\x02" + pickled("x") + pickle.BINPERSID + b".",
    "INST": lambda m: b"(S'" + run(m).encode() + b"'\nios\nsystem\n.",
    "INST of a known class": lambda m: b"(ipandas\nSeries\n.",
    "OBJ": lambda m: b"(" + known("os", "system") + pickled(run(m)) + b"o.",
    "class called": lambda m: called("pandas:DataFrame", [1, 2]),
    "ndarray called": lambda m: called("numpy:ndarray", (LONG,)),
    "NEWOBJ of ndarray": lambda m: b"\x80\x02" + ARRAY + pickled(((LONG,),)) + b"\x81.",
    "ndarray as an index": lambda m: called(
        "pandas.core.indexes.base:_new_Index", ARRAY, {"shape": (LONG,)}
    ),
    "ndarray as a column": lambda m: called(
        "pandas._libs.arrays:__pyx_unpickle_NDArrayBacked", ARRAY, 0, None
    ),
    "append to a class": lambda m: b"\x80\x02" + known("pandas", "Index") + pickled(1) + b"a.",
    "state for a class": lambda m: (
        b"\x80\x02" + known("pandas", "Series") + pickled((None, {"__len__": 1})) + b"b."
    ),
    "state for a function": lambda m: (
        b"\x80\x02" + known("_codecs", "encode") + pickled((None, {"__doc__": "x"})) + b"b."
    ),
    "a result called": lambda m: b"\x80\x02" + FLOAT + pickled(()) + b"R.",
    "record type": lambda m: called("numpy:dtype", [("a", "O")]),
    "record type by name": lambda m: called("numpy:dtype", "O,i8"),
    "void type": lambda m: called("numpy:dtype", "V8"),
    "fields for a type": lambda m: (
        b"\x80\x02"
        + FLOAT
        + pickled((3, "|", None, ("a",), {"a": (np.dtype("f8"), 0)}, 8, 1, 0))
        + b"b."
    ),
    "flags for a type": lambda m: (
        b"\x80\x02" + OBJECTS + pickled((3, "|", None, None, None, -1, -1, 0)) + b"b."
    ),
    "codec": lambda m: called("_codecs:encode", "x" * 9, "zlib"),
    "endless hash": lambda m: (
        b"\x80\x02}" + pickled(()) + b"".join(b"2\x86" for _ in range(60)) + b"Ns."
    ),
    "set": lambda m: pickle.dumps({1, 2}),
    "endless hash of a name": lambda m: (
        b"\x80\x04" + index(data=filled((0,), OBJECTS, []), name=b")" + b"2\x86" * 60) + b"."
    ),
    "deep hash": lambda m: b"\x80\x02" + index(data=[], name=b")" + b"\x85" * 10**6) + b".",
    "slice of anything": lambda m: called("builtins:slice", "a", "b"),
    "an array filled again": lambda m: (
        b"\x80\x04"
        + filled((1,), OBJECTS, gathered("x"))
        + index(data=b"hd", copy=False)
        + b"0hd"
        + state(1, (1,), OBJECTS, False, gathered("y"))
        + b"."
    ),
    "a buffer filled": lambda m: (
        b"\x80\x04"
        + made("numpy.core.numeric", "_frombuffer", b"C\x08" + bytes(8), FLOAT, (1,), "C")
        + state(1, (1,), FLOAT, False, b"C\x08" + bytes(8))
        + b"."
    ),
    "byte order for objects": lambda m: (
        b"\x80\x02" + OBJECTS + pickled((3, ">", None, None, None, -1, -1, 63)) + b"b."
    ),
    "codes outside the categories": lambda m: categories(10**6),
    "an index longer than its column": lambda m: series(10**6),
    "index of an index": lambda m: b"\x80\x04" + index(data=rows(9), dtype="object") + b".",
    "huge index": lambda m: b"\x80\x04" + rows(10**9) + b".",
    "huge key": lambda m: b"\x80\x04}" + pickled(2 ** (8 * 10**5)) + b"Ns.",
    "long text as a key": lambda m: pickle.dumps({np.str_("x" * 10**5): 1}),
    "keys of one hash": lambda m: pickle.dumps({k * (2**61 - 1): None for k in range(9)}),
    "arrays in arrays": lambda m: pickle.dumps(nested(3)),
    "texts of no length": lambda m: called("numpy:dtype", "U0"),
    "index of fixed texts": lambda m: b"\x80\x04" + index(data=pickled(np.array(["a"]))) + b".",
    "column of fixed texts": lambda m: (
        b"\x80\x04" + block(pickled(np.array([["a"]])), many=1) + b"."
    ),
    "dicts again and again": lambda m: b"\x80\x04(" + b"}" * 10**5 + b"l.",
    "lists again and again": lambda m: b"\x80\x04(" + b"]" * 10**5 + b"l.",
    "marks again and again": lambda m: b"\x80\x04" + b"(" * 10**5 + b".",
    "tables again and again": lambda m: (
        b"\x80\x02" + known("pandas", "DataFrame") + b"q\x000]" + b"h\x00)\x81a" * 10**5 + b"."
    ),
    "wide tables again and again": lambda m: (
        b"\x80\x04"
        + known("pandas.core.internals.managers", "BlockManager")
        + b"q\xc80"
        + together(
            together(block(filled((MANY, 0), FLOAT, b"C\x00"), many=MANY)),
            gathered(rows(MANY), rows(0)),
        )
        + b"q\xc90]"
        + b"h\xc8h\xc9Ra" * 20
        + b"."
    ),
    "complex keys": lambda m: pickle.dumps({np.complex128(1j): 1}),
    "lists in lists": lambda m: pickle.dumps([[1.0]]),
    "tuples in lists": lambda m: pickle.dumps([(1.0, 2.0)]),
    "a list in itself": lambda m: b"\x80\x02]q\x00h\x00a.",
    "a table without content": lambda m: b"\x80\x02" + known("pandas", "DataFrame") + b")\x81.",
    "a column without content": lambda m: (
        b"\x80\x02"
        + known("pandas", "Series")
        + b")\x81"
        + entries(_mgr=[1], _typ="series", _metadata=[], attrs={})
        + b"b."
    ),
    "categories that are a list": lambda m: (
        b"\x80\x04"
        + (known("pandas", "CategoricalDtype") + b")\x81")
        + entries(categories=["x"], ordered=False)
        + b"b."
    ),
    "columns of the same codes": lambda m: (
        b"\x80\x04"
        + filled((10**6,), BYTE, b"B" + struct.pack("<i", 10**6) + bytes(10**6))
        + (b"q\xc80" + known("pandas._libs.arrays", "__pyx_unpickle_NDArrayBacked") + b"q\xc20")
        + (together(known("pandas", "Categorical"), 0x4F1061F, None) + b"q\xc30")
        + index(data=filled((1,), OBJECTS, gathered("x")))
        + b"q\xc40"
        + together(grouping(b"h\xc4"), b"h\xc8")
        + b"q\xc50]"
        + b"h\xc2h\xc3Rh\xc5ba" * 20
        + b"."
    ),
    "items of an array": lambda m: pickle.dumps(np.arange(3), 2)[:-1] + pickled(0) * 2 + b"s.",
}
BOMBS = {
    "huge array": lambda m: called("numpy.core.multiarray:_reconstruct", ARRAY, (LONG,), b"C\x01b"),
    "huge buffer": lambda m: called(
        "numpy.core.numeric:_frombuffer", pickle.dumps(b"", 4)[2:-1], FLOAT, (LONG,), "C"
    ),
    "array of negative shape": lambda m: called(
        "numpy.core.numeric:_frombuffer", pickle.dumps(b"", 4)[2:-1], FLOAT, (-1,), "C"
    ),
    "huge bytes": lambda m: called("builtins:bytes", LONG),
    "huge bytearray": lambda m: called("builtins:bytearray", LONG),
    "BINBYTES8": lambda m: b"\x80\x04\x8e" + struct.pack("<Q", LONG) + b"x.",
    "BYTEARRAY8": lambda m: b"\x80\x05\x96" + struct.pack("<Q", LONG) + b"x.",
    "FRAME": lambda m: b"\x80\x04\x95" + struct.pack("<Q", LONG) + b"N.",
    "encoded again and again": lambda m: (
        b"\x80\x02"
        + known("_codecs", "encode")
        + b"q\xc80"
        + pickled(("x" * 200_000,))
        + b"q\xc90]"
        + b"h\xc8h\xc9Ra" * 2_000
        + b"."
    ),
}


@pytest.mark.parametrize("name", [*PROGRAMS, *BOMBS])
def test_a_program_is_refused_and_not_run(tmp_path, name):
    marker, file = tmp_path / "marker", tmp_path / "people.pkl"
    file.write_bytes((PROGRAMS | BOMBS)[name](marker))
    with pytest.raises(DataError, match=r"people\.pkl") as refusal:
        load(file)
    assert not marker.exists()
    if name in PROGRAMS:
        assert "Nothing in it was executed" in str(refusal.value)


@pytest.mark.parametrize("name", ["os.system", "os.system by name", "eval", "INST"])
def test_python_itself_would_run_these(tmp_path, name):
    marker = tmp_path / "marker"
    pickle.loads(PROGRAMS[name](marker))
    assert marker.exists()


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("os.system", "posix.system"), ("dotted names", "os.path.os.system"), ("eval", "eval")],
)
def test_the_refusal_names_what_was_wanted(tmp_path, name, wanted):
    file = tmp_path / "people.pkl"
    file.write_bytes(PROGRAMS[name](tmp_path / "marker"))
    with pytest.raises(DataError, match=f"asks for .*{wanted}"):
        load(file)


def test_known_classes_stay_as_they_are(tmp_path):
    before = pd.Series.__len__
    for name in PROGRAMS:
        file = tmp_path / "people.pkl"
        file.write_bytes(PROGRAMS[name](tmp_path / "marker"))
        with pytest.raises(DataError):
            load(file)
    assert pd.Series.__len__ is before
    assert np.dtype("f8") == np.float64 and np.dtype("f8").isnative


def test_columns_built_by_hand_come_back_if_their_parts_fit(tmp_path):
    file = tmp_path / "people.pkl"
    file.write_bytes(categories(0))
    assert list(load(file)) == ["x"]
    file.write_bytes(series(1))
    assert_series_equal(load(file), pd.Series([0.0], name="q"))


def test_programs_in_npy_files_are_refused(tmp_path):
    marker, file = tmp_path / "marker", tmp_path / "questions.npy"
    np.save(file, np.array([call(os.system, run(marker))], dtype=object), allow_pickle=True)
    with pytest.raises(DataError, match=r"questions\.npy: it asks for posix\.system"):
        load_array(file)
    assert not marker.exists()
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "|O", "fortran_order": False, "shape": (1,)}
    )
    file.write_bytes(header.getvalue() + pickle.dumps(call(os.system, run(marker))))
    with pytest.raises(DataError, match="asks for"):
        load_array(file)
    assert not marker.exists()


@pytest.mark.parametrize(
    "header", [{"descr": "<f8", "shape": (LONG,)}, {"descr": [("a", "|O")], "shape": (1,)}]
)
def test_npy_files_of_another_size_are_refused(tmp_path, header):
    content = io.BytesIO()
    np.lib.format.write_array_header_1_0(content, {"fortran_order": False, **header})
    (tmp_path / "questions.npy").write_bytes(content.getvalue() + b"12345678")
    with pytest.raises(DataError, match="damaged, truncated"):
        load_array(tmp_path / "questions.npy")


def test_a_truncated_file_is_told(tmp_path):
    content = pickle.dumps({"Q1": pd.Series(np.arange(99.0))}, 4)
    for length in [1, 30, len(content) // 2, len(content) - 1]:
        (tmp_path / "people.pkl").write_bytes(content[:length])
        with pytest.raises(DataError, match=r"people\.pkl: is damaged, truncated"):
            load(tmp_path / "people.pkl")


@pytest.mark.parametrize("content", [b"<html>not found</html>", b"PK\x03\x04rest", b"\x00" * 50])
def test_what_is_no_pickle_is_told(tmp_path, content):
    (tmp_path / "people.pkl").write_bytes(content)
    with pytest.raises(DataError, match="delete it"):
        load(tmp_path / "people.pkl")


def test_a_git_lfs_pointer_is_told(tmp_path):
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 3\n"
    (tmp_path / "people.pkl").write_text(pointer)
    for read in (load, load_array):
        with pytest.raises(DataError, match=r"Git LFS pointer.*git lfs pull"):
            read(tmp_path / "people.pkl")


def test_an_empty_file_is_told(tmp_path):
    (tmp_path / "people.pkl").touch()
    with pytest.raises(DataError, match="is empty"):
        load(tmp_path / "people.pkl")


def test_another_thing_than_a_dict_is_told(tmp_path):
    with pytest.raises(DataError, match="holds a list, expected a dict"):
        load_mapping(saved(tmp_path / "people.pkl", [1]))
