"""Pickles from the internet: tables come back as they were, programs are refused and never run."""

import base64
import hashlib
import importlib
import itertools
import os
import pickle
import zlib

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal, assert_series_equal
from paper_pickles import ALLOWED, load
from paper_release import read_answers

from fidelity_study.errors import DataError

# what expected() is, pickled by pandas 1.5.3 with numpy 1.26.4; zlib, then Base85
OLD = (
    "c-"
    "oa!L2nyH6!xyYu@jO8Qql$*RUj3~z8E43;(!#jPLR?i+v2o{1JP*Ko_JPS?{0TyNh~$A9FitwZW%881bzV^B#`(QoO<E"
    "TksEz8vyRuPBVZ+aW@p~K_vU-w`}RrYyZg10ehy?^OeG{vLL$XNf}<{G%}$(>CL?J;m=sf6W^yVU-$-"
    "R%LH%AT#r2|b5OI=5IAqN}j&P5paByKOh<YKp9mbvAO|xp8)VHNr8b947`-C-"
    "p%pi*y6p=l&q1M1&T$^MWWqru11I8N>|M2F}Sf|&;980kXCdt5@>SrMjaGK(Q6tgHLoj77V%{pB9ceJ4tRfwWZPNiEql"
    "r77bPi0%yUCS*WO1dPRE*~UB9kGLt<jJwwEeq>o>3QCrf8f!7Zi!3(q_y<$hf5U&v15=fRr688wx~q7Po$R}ffKwf=~e"
    "osib|J@G2a&UP9YL~XJQ=V^{-"
    "VkKL6E>e?L}nl<RrA0JzZCC&#$)FPYLtp5y^g;l1X{&E|@M8ABZ;ofT8QDln7VdU@(A9A;|cT~Py?AlL&c)ch=f5=1a{"
    "SQvDO2H7pUmP#eV8Pk{`02rbSnKzC4gkxP!xJCmD2XhY0QkkHg5cl--Dh|VVkD+dsfM?7J3b9W@CXX3y2>Y`YnfY#2yj"
    "G;qPO8us(`(@S6FncYn^tK}%%0<HU0lgeqcHH<i0x9$qby2-"
    "&TdGM#sREf#u<=4GDzpZmaKE5M*35L#4?b$w)&@?i+sI5s(W7V=c~oKgD=aq|C=vh+1)WdKRU<fRmHPyK*7Opg)x_&uz"
    "&wW5);NAR&f|cTpq(p_Y?rNj8HPzAED)~-"
    "BLTZac7rwRZ}e&3uI0;q4tCaeMN@3wS0anZ_+zIe)(X|(=p)&o1+_4Ug{I5Ys&`m=_^}Y9%+a!hU5P`)8%;f(+A)GxtL"
    "e<NvZVPAE)-CD{32P>Y$yJJd_@Ls$na;m2=hkc3e?&1QelrF-RQ_rFf-"
    "Pcq<|x-Y6c`I>quqidPG#)^Z8UrF>@SUUlp|ofA$$Nhc|W4KH77E?E0gSOdd?Tp~m@PP-(9a-L-Vg^Cue6cp|8Bt<JjT"
    "Nu;~Ru$JNV#PrX>X7Zv7v$)i<v6{;T5$?`&jE$@`qsU>-"
    "qt$u9&E0+H(DSfIAVLy;G(ieNdzV8rE!*wU5U<*Lp%Kbq&VuSPgPruMa&u=C>+Nr2YnM2#^XdnOTmP|#L_;Ac6?7vD`h"
    "iEMB5;6_YWlf9DZLMv&<JxKkkxHUDYkoMG!@(9#&#RZ?tM>vZ4J6$MlH0^7XOi<ID_do8x{0Y`8pX!Lwy0anEW)0(+i2"
    "!&N!2P4X3i1}hGUO9;XI%p3Ud4plZ;^9AqaA@2"
)


def expected():
    """What the release holds: a column, a table, lists, arrays, and times among other objects."""
    table = pd.DataFrame(
        {
            "IsCorrect": [0, 1, 1],
            "RESPONSE_NUMERIC": [-1.0, 0.5, np.nan],
            "answer": pd.Series(["a lot", None, "ü"], dtype=object),
            "when": np.array(["2020-01-01", "NaT", "2021-05-05"], "M8[ns]"),
            "group": pd.Categorical(pd.Index(["x", "y", "x"], dtype=object)),
        }
    )
    table.columns = table.columns.astype(object)  # as before pandas 3
    people = pd.Series([1.0, -0.5, np.nan], index=pd.Index([68070001, 5, 7]), name="Q1")
    times = [pd.Timestamp("2020-01-01"), pd.NaT]
    return {"people": people, 7: table, "model": [0, np.int64(1)], "times": times}


def loaded(path, content):
    path.write_bytes(content)
    return load(path, hashlib.sha256(content).hexdigest())


def assert_expected(found):
    assert_series_equal(found["people"], expected()["people"])
    assert_frame_equal(found[7], expected()[7])
    assert (found["model"], found["times"]) == (expected()["model"], expected()["times"])


def test_a_table_of_pandas_1_comes_back(tmp_path):
    assert_expected(loaded(tmp_path / "people.pkl", zlib.decompress(base64.b85decode(OLD))))


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_tables_and_arrays_come_back(tmp_path, protocol):
    arrays = {
        "numbers": np.array([[0.5, 1.0], [2.0, 3.0]]),
        "columns": np.asfortranarray(np.arange(6).reshape(2, 3)),
        "objects": np.array(["a", None, 3], dtype=object),
        "texts": np.array(["GAP21Q28_W82", "x"]),
        "empty": np.empty((0, 3)),
    }
    found = loaded(tmp_path / "people.pkl", pickle.dumps(expected() | arrays, protocol))
    assert_expected(found)
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array, strict=True)


def call(function, *arguments):
    """A thing that pickles as a call of ``function``."""
    return type("Call", (), {"__reduce__": lambda self: (function, arguments)})()


def run(marker):
    return call(os.system, f"touch {marker}")


PROGRAMS = {
    "a call": lambda m: pickle.dumps(run(m)),
    "an old protocol": lambda m: pickle.dumps(run(m), 0),
    "in a dict": lambda m: pickle.dumps({"Q1": run(m)}),
    "in an array": lambda m: pickle.dumps(np.array([run(m), None], dtype=object)),
    "in a table": lambda m: pickle.dumps(pd.DataFrame({0: np.array([run(m)], dtype=object)})),
    "in the name of an index": lambda m: pickle.dumps(pd.Index([1], name=(run(m),))),
    "an allowed function of it": lambda m: pickle.dumps(call(pd.Index, run(m))),
    "INST": lambda m: f"(S'touch {m}'\nios\nsystem\n.".encode(),
    "OBJ": lambda m: f"(cos\nsystem\nS'touch {m}'\no.".encode(),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_refused_and_not_run(tmp_path, name):
    marker, program = tmp_path / "marker", PROGRAMS[name](tmp_path / "marker")
    with pytest.raises(DataError, match=r"people\.pkl: it asks for (posix|os)\.system"):
        loaded(tmp_path / "people.pkl", program)
    assert not marker.exists()
    with pytest.raises(DataError, match=r"SHA-256.*it was not read"):
        load(tmp_path / "people.pkl", hashlib.sha256(b"").hexdigest())
    assert not marker.exists()
    try:
        pickle.loads(program)
    except Exception as error:  # it has run when its result does not fit
        assert not isinstance(error, pickle.UnpicklingError)
    assert marker.exists(), "Python itself would have run it"


@pytest.mark.parametrize(
    "name",
    [
        *("builtins eval", "builtins exec", "builtins getattr", "builtins open", "builtins map"),
        *("builtins __import__", "builtins bytes", "__builtin__ eval", "_codecs lookup"),
        *("functools partial", "operator attrgetter", "operator methodcaller", "runpy run_path"),
        *("copyreg _reconstructor", "copyreg add_extension", "pickle loads", "marshal loads"),
        *("numpy load", "numpy vectorize", "numpy fromfile", "numpy.core.numeric load"),
        *("numpy.core.multiarray fromfile", "pandas read_pickle", "pandas eval", "os DataFrame"),
        *("pandas.core.indexes.numeric eval", "pandas.core.internals.managers np"),
        *("pandas compat.os.system", "pandas.core.frame DataFrame.to_csv"),
        *("pandas Series.__init__.__globals__", "numpy ndarray.tofile", "builtins slice.__class__"),
        *("numpy ", "pandas .DataFrame", "pandas core.frame.DataFrame", " eval"),
    ],
)
def test_other_names_are_refused(tmp_path, name):
    parts = [bytes([len(part)]) + part.encode() for part in name.split(" ")]
    content = b"\x80\x04" + b"".join(pickle.SHORT_BINUNICODE + part for part in parts)
    with pytest.raises(DataError, match="it asks for"):
        loaded(tmp_path / "people.pkl", content + pickle.STACK_GLOBAL + pickle.STOP)


@pytest.mark.filterwarnings("ignore")
def test_no_allowed_name_calls_what_it_is_given():
    """A name that does would run whatever another one finds."""
    given = []

    def spy(*arguments, **named):
        given.append(arguments)

    things = [spy, [spy], {"a": spy}, np.array([spy]), "f8", (2,), None]
    names = [(module, name) for module in ALLOWED for name in ALLOWED[module]]
    for module, name in names:
        function = getattr(importlib.import_module(module.replace("__builtin__", "builtins")), name)
        for n in (1, 2, 3):
            for arguments in itertools.product(things, repeat=n):
                try:
                    function(*arguments)
                except Exception:
                    continue
    assert given == []


def test_only_files_of_sources_yaml_are_read(tmp_path):
    sources, people = tmp_path / "sources.yaml", tmp_path / "people.pkl"
    people.write_bytes(pickle.dumps({7: [0, 1]}))
    sha256 = hashlib.sha256(people.read_bytes()).hexdigest()
    sources.write_text(f"files: {{people.pkl: {{sha256: {sha256}}}}}")
    assert read_answers(people, sources) == {"7": [0, 1]}
    with pytest.raises(DataError, match=r"others\.pkl: is not read, as sources\.yaml has no"):
        read_answers(people.rename(tmp_path / "others.pkl"), sources)
