"""Tables for papers and programs: no cell is run by a spreadsheet, and numbers stay numbers."""

import csv
from pathlib import Path

import pytest
from verdicts import evaluation, verdict

from fidelity_study.__main__ import main
from fidelity_study.report.paper_tables import PaperTable, write

ATTACKS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "'=1"]


@pytest.mark.parametrize("text", ATTACKS)
def test_texts_of_a_paper_s_table_are_no_formulas(tmp_path, text):
    rows = [{"simulator": text, "distance": -0.25, "questions": 3}]
    write(PaperTable(rows, {}, str, "Caption"), tmp_path / "table.csv")
    with open(tmp_path / "table.csv", encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row == {"simulator": f"'{text}", "distance": "-0.25", "questions": "3"}


@pytest.mark.slow
def test_a_label_of_megabytes_is_not_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    label = "x y" * 700_000
    for name, who in (("human.csv", ""), ("simulated.csv", "model,")):
        header = f"question,{'simulator,' if who else ''}value\n"
        rows = [f"q{i},{who}{value}\n" for i in range(3) for value in ("yes", "no", label)]
        Path(name).write_text(header + "".join(rows), encoding="utf-8")
    main(["start", "human.csv", "simulated.csv"])
    printed = capsys.readouterr()
    assert len(printed.out + printed.err) < 100_000
    assert f"{label[:100]}" in printed.out


def test_scores_of_models_are_tables_and_figures_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = evaluation(scores=[("good", 0.7), ("bad", 0.5)], settled=[("good", "bad")])
    ends = {"lower": 0.1, "upper": 0.3}
    differences = [row.model_copy(update=ends) for row in made.differences]
    made = made.model_copy(update={"differences": differences})
    only = verdict().model_copy(update={"datasets": [], "evaluations": [made]})
    Path("verdict.json").write_text(only.text(), encoding="utf-8")
    for kind, column in (("ranking", "score"), ("pairs", "difference")):
        assert main(["table", ".", kind, "--output", f"{kind}.csv"]) == 0
        with open(f"{kind}.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert {"eval", "model", column, "lower", "upper"} <= {*rows[0]}
    assert [row["model"] for row in rows] == [row.model for row in differences]
    assert float(rows[0]["upper"]) == 0.3 and rows[0]["settled"] == "yes"
    assert main(["figure", ".", "pairs", "--output", "pairs.svg"]) == 0
    assert "allowing for all pairs" in Path("pairs.txt").read_text(encoding="utf-8")
    assert main(["figure", ".", "curve"]) == 1
    assert main(["figure", ".", "ranking", "--output", "ranking.png"]) == 0
