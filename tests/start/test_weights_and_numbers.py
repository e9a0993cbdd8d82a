"""Numbers without a range where people have weights: intervals need a range, or no weights."""

from test_codebook import started, what_is_read, write

from fidelity_study.app.start.cells import UNDECIDED

PEOPLE = "weight,heat\n" + "".join(f"{0.5 + i % 3 / 4},{i * 7 % 100}\n" for i in range(60))
MODEL = "heat\n" + "".join(f"{i * 11 % 100}\n" for i in range(40))


def test_the_range_of_weighted_numbers_is_asked(here, capsys):
    write({"p.csv": PEOPLE, "m.csv": MODEL})
    started(["p.csv", "m.csv", "--kind", "real"], UNDECIDED)
    told = capsys.readouterr().err
    assert "people have weights, and answers are numbers without a known range" in told
    assert "questions.csv: * kind: bounded?" in told
    started(["p.csv", "m.csv", "--kind", "real", "--accept"])
    assert what_is_read().scenarios["upper"].tolist() == [99.0]


def test_one_without_weights_is_not_asked(here):
    write({"p.csv": PEOPLE, "m.csv": MODEL})
    started(["p.csv", "m.csv", "--kind", "real", "--ignore", "weight"])
