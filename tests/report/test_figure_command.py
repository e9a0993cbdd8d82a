"""Figures and tables of a finished study, by a command each."""

import re
import shutil
from html import unescape
from types import SimpleNamespace

import pandas as pd
import pytest
import yaml
from docx import Document
from PIL import Image
from small_study import STUDY

from fidelity_study.__main__ import main
from fidelity_study.app.run.finished import finished
from fidelity_study.config import project as study_project
from fidelity_study.errors import DataError
from fidelity_study.report import paper_tables
from fidelity_study.report.figures import style
from fidelity_study.report.figures.source import MOST_WORDS
from fidelity_study.report.paper_tables import PaperTable
from fidelity_study.report.units import Unit


def run(*arguments, status=0):
    """Run the command, and check its exit status."""
    assert main([str(each) for each in arguments]) == status


@pytest.fixture
def results(small_study, monkeypatch):
    """The results of the small study, whose rooms are there."""
    monkeypatch.setattr(study_project, "ROOMS", small_study.root / "workflow" / "datasets")
    return small_study.folder / "results" / "default"


@pytest.mark.slow
@pytest.mark.parametrize("width", [89, 183])
def test_a_figure_is_as_wide_as_a_column_with_its_caption_beside_it(results, tmp_path, width):
    out = tmp_path / "new" / "ranking.png"
    run("figure", results / "survey", "ranking", "--width", width, "--output", out)
    picture = Image.open(out)
    assert abs(picture.width - width / 25.4 * style.PRINT) <= 1
    assert f"seed {STUDY['seed']}" in picture.text["Description"]
    caption = out.with_suffix(".txt").read_text("utf-8")
    assert caption.startswith("Simulators by their distance from people. ")
    assert len(caption.split()) <= MOST_WORDS


@pytest.mark.slow
def test_each_format_is_written_and_no_title_is_inside(results, here):
    for suffix in ("pdf", "svg"):
        run("figure", results / "survey", "scatter", "--format", suffix)
    assert (here / "survey_scatter.pdf").read_bytes().startswith(b"%PDF")
    svg = (here / "survey_scatter.svg").read_text("utf-8")
    assert "share of people" in svg and "People's shares" not in unescape(svg)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dataset", "kind", "words"),
    [
        ("survey", "rankings", "'rankings' is unknown; did you mean ranking?"),
        ("survey", "reliability", "reliability needs the key datasets.survey.calibration"),
        ("ratings", "reliability", "for outcomes that are options, and those of ratings are"),
    ],
)
def test_what_cannot_be_drawn_is_refused(results, dataset, kind, words, capsys):
    run("figure", results / dataset, kind, status=1)
    assert words in capsys.readouterr().err


@pytest.mark.slow
def test_missing_tables_are_told_with_the_command_that_makes_them(results, tmp_path):
    shutil.copytree(results, tmp_path / "default")
    (tmp_path / "default/survey/comparison/by_cluster.parquet").unlink()
    there = finished(tmp_path / "default" / "survey")
    with pytest.raises(DataError, match=r"by_cluster.parquet: is missing; run the study: "):
        _ = there.dataset


@pytest.mark.slow
def test_a_table_has_the_numbers_of_the_study(results, tmp_path):
    out = tmp_path / "ranking.csv"
    run("table", results / "survey", "ranking", "--output", out)
    drawn = pd.read_csv(out).set_index("simulator")
    for one in finished(results / "survey").dataset.views[0].of.every:
        ends = drawn.loc[one.label, ["lower", "upper"]] / 100
        assert ends.tolist() == pytest.approx(list(one.interval), abs=1e-6)


def test_a_study_without_distances_names_all_its_tables_of_scores(tmp_path):
    names = {name: ["none.parquet"] for name in paper_tables.OF_SCORES}
    names |= {name: [f"{tmp_path}/{name}.parquet"] for name in ("proper_scores", "intervals")}
    for name in ("proper_scores", "intervals"):
        (tmp_path / f"{name}.csv").touch()
    forecasts = SimpleNamespace(name="events", views=[], results=SimpleNamespace(files=names))
    with pytest.raises(DataError, match=r"/proper_scores.csv, .*/intervals.csv$"):
        paper_tables.made(forecasts, "ranking")


@pytest.mark.slow
def test_the_table_of_questions_is_of_any_simulator(results, tmp_path, capsys):
    view = finished(results / "survey").dataset.views[0]
    farthest = view.of.every[-1]
    out = tmp_path / "questions.csv"
    run("table", results / "survey", "questions", "--simulator", farthest.name, "--output", out)
    assert farthest.label in capsys.readouterr().out
    assert len(pd.read_csv(out)) == len(view.screen.cards(farthest.name))
    run("table", results / "survey", "questions", "--simulator", "zzz", status=1)
    assert "--simulator: there are: " in capsys.readouterr().err


@pytest.mark.slow
def test_the_table_of_curves_is_the_envelope_of_each_simulator(results, tmp_path):
    view = finished(results / "survey").dataset.views[0]
    out = tmp_path / "curve.csv"
    run("table", results / "survey", "curve", "--output", out)
    drawn = pd.read_csv(out)
    envelope = pd.read_parquet(results / "survey/envelope/curves.parquet")
    chosen = view.results.headline_set(view.of.discrepancy)
    envelope = envelope[envelope["cluster"].isna() & (envelope["confidence_set"] == chosen)]
    envelope = envelope[envelope["discrepancy"] == view.of.discrepancy]
    assert set(drawn["simulator"]) == {one.label for one in view.of.every}
    for one in view.of.every:
        points = drawn[drawn["simulator"] == one.label]
        rows = envelope[(envelope["simulator"] == one.name) & (envelope["k"] == one.form)]
        assert points["percent"].tolist() == [*range(101)]
        assert points["distance"].tolist() == pytest.approx(100 * rows["upper"], abs=1e-4)
        bound = rows["familywise_upper"].replace(float("inf"), float("nan")).tolist()
        assert (points["bound"] / 100).tolist() == pytest.approx(bound, abs=1e-6, nan_ok=True)


TWO = {"a": {}, "b": {}}


@pytest.mark.parametrize(
    ("datasets", "name", "said"),
    [
        (TWO, "", "has several datasets; name one: .*/a, .*/b"),
        (TWO, "c", "is no dataset of this study; there are: a, b"),
        (TWO, "none/such", "has no config.yaml, so it is no finished study"),
        ({}, "", "has evaluations only"),
    ],
)
def test_a_dataset_is_named_by_its_folder(tmp_path, monkeypatch, datasets, name, said):
    (tmp_path / "config.yaml").write_text(yaml.safe_dump({"datasets": datasets}))
    study = SimpleNamespace(datasets=datasets)
    monkeypatch.setattr("fidelity_study.app.run.finished.study_of", lambda path: study)
    with pytest.raises(DataError, match=said):
        finished(tmp_path / name)
    if datasets:
        assert finished(tmp_path / "b").name == "b"


ROWS = [
    {"simulator": "a_b & <c> 5 %", "distance": 12.34, "lower": 10.0, "upper": 14.6, "questions": 8},
    {"simulator": "none", "distance": None, "lower": None, "upper": None, "questions": 8},
]
UNIT = Unit("answers", "tv", 100.0, 0, (0.0, 1.0))
TABLE = PaperTable(ROWS, {"95 % interval": ("lower", "upper")}, UNIT, "By 100 %.")


@pytest.mark.parametrize("suffix", ["tex", "html", "docx", "csv"])
def test_a_table_is_the_same_in_every_format(tmp_path, suffix):
    path = tmp_path / f"table.{suffix}"
    paper_tables.write(TABLE, path)
    if suffix == "csv":
        frame = pd.read_csv(path)
        assert frame["lower"].iloc[0] == 10.0 and frame["questions"].tolist() == [8, 8]
        return
    if suffix == "docx":
        document = Document(path)
        cells = [[cell.text for cell in row.cells] for row in document.tables[0].rows][1:]
        assert document.paragraphs[0].text == "By 100 %."
    elif suffix == "html":
        found = re.findall(r"<td[^>]*>(.*?)</td>", path.read_text("utf-8"))
        cells = [[*map(unescape, found[:4])], [*map(unescape, found[4:])]]
    else:
        text = path.read_text("utf-8")
        assert r"\caption{By 100 \%.}" in text and r"95 \% interval" in text
        rows = re.findall(r"^(.* & .* & .* & .*) \\\\$", text, re.MULTILINE)[1:]
        plain = [re.sub(r"\\([_&%])", r"\1", row.replace(r"\&", "AND")) for row in rows]
        cells = [[cell.replace("AND", "&") for cell in row.split(" & ")] for row in plain]
    assert cells == [["a_b & <c> 5 %", "12", "10–15", "8"], ["none", "–", "–", "8"]]


def test_a_difference_has_signs_and_no_interval_loses_its_length():
    table = TABLE._replace(is_signed=True)
    (cell, _) = paper_tables.shown(table)["95 % interval"]
    assert cell == "+10 to +15"
    rows = [{"lower": 39.6, "upper": 40.4}, {"lower": 40.0, "upper": 40.0}]
    cells = paper_tables.shown(TABLE._replace(rows=rows)).iloc[:, 0]
    assert cells.tolist() == ["39.6–40.4", "40.0"]


def test_an_unknown_format_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"names no format; end it in \.csv"):
        paper_tables.write(TABLE, tmp_path / "table.xlsx")
