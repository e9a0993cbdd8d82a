"""The command check: what holds, what does not, and what cannot be told."""

import json
import re
from dataclasses import fields

import jsonschema
import pytest
from small_study import REPOSITORY
from verdicts import evaluation, left, simulator, verdict

from fidelity_study.__main__ import main
from fidelity_study.app.run.check import (
    FAILS,
    HOLDS,
    OPEN,
    Conditions,
    _refuse_other_unit,
    check,
    status_of,
)
from fidelity_study.errors import DataError
from fidelity_study.verdict_file import UseOnEval, Verdict, schema

MODEL = simulator()
GUIDE = (REPOSITORY / "docs/howto/gates.md").read_text("utf-8")


def statuses(*simulators, **conditions):
    return [finding.status for finding in check(verdict(*simulators), Conditions(**conditions))]


@pytest.mark.parametrize(
    ("bound", "status"),
    [(0.09, HOLDS), (0.0899, OPEN), (0.065, OPEN), (0.03, OPEN), (0.0299, FAILS)],
)
def test_the_ends_of_the_interval_for_all_at_once_decide_on_a_mean(bound, status):
    assert statuses(MODEL, mean_at_most=bound) == [status]


def test_a_mean_without_an_interval_cannot_be_told():
    unknown = simulator(familywise_upper=None)
    assert statuses(unknown, mean_at_most=0.5) == [OPEN]


@pytest.mark.parametrize(
    ("share", "status"), [(0.8, HOLDS), (0.81, OPEN), (0.9, OPEN), (0.95, FAILS)]
)
def test_the_lists_decide_on_a_share(share, status):
    assert statuses(MODEL, within=share) == [status]


def test_without_tested_questions_no_share_can_be_told():
    assert statuses(simulator(within=None, beyond=None), within=0.5) == [OPEN]


@pytest.mark.parametrize(
    ("pair", "status", "ends"),
    [
        (("model", "uniform", -0.2, -0.1, "model"), HOLDS, "-0.200 to -0.100"),
        (("uniform", "model", -0.2, -0.1, "uniform"), FAILS, "+0.100 to +0.200"),
        (("model", "uniform", -0.2, 0.1, None), OPEN, "-0.200 to +0.100"),
    ],
)
def test_a_settled_difference_decides_who_is_closer(pair, status, ends):
    (finding,) = check(verdict(MODEL, pairs=[pair]), Conditions(closer_than="uniform"))
    assert finding.status == status
    assert ends in finding.text


def test_who_was_not_compared_cannot_be_told_to_be_closer():
    assert statuses(MODEL, closer_than="uniform") == [OPEN]


def test_every_simulator_under_test_has_to_pass_and_a_failure_comes_first():
    far = simulator("other", 0.4, 0.5)
    findings = check(verdict(MODEL, far), Conditions(mean_at_most=0.1, within=0.9))
    assert [finding.status for finding in findings] == [HOLDS, OPEN, FAILS, OPEN]
    assert status_of(findings) == 1
    assert status_of(findings[:2]) == 2
    assert status_of(findings[:1]) == 0
    assert statuses(MODEL, far, mean_at_most=0.1, simulator="model") == [HOLDS]
    assert statuses(MODEL, mean_at_most=0.1, simulator="uniform") == [FAILS]


@pytest.mark.parametrize(
    ("conditions", "told"),
    [
        ({"simulator": "modell"}, "no modell; did you mean model"),
        ({"dataset": "town"}, "no town"),
        ({"discrepancy": "kl"}, r"tv \(0.1\)"),
        ({"tolerance": 0.2}, r"tv \(0.1\)"),
        ({"closer_than": "nobody"}, "no nobody"),
    ],
)
def test_who_is_not_there_is_named(conditions, told):
    with pytest.raises(DataError, match=told):
        statuses(MODEL, mean_at_most=0.1, **conditions)


def test_baselines_alone_are_not_checked():
    with pytest.raises(DataError, match="baselines only"):
        statuses(mean_at_most=0.1)


@pytest.mark.parametrize(
    ("options", "status", "told"),
    [
        (["--mean-at-most", ".1", "--within", "80%"], 0, "Exit status 0: all 2 conditions hold."),
        (["--mean-at-most", ".02"], 1, "Exit status 1: the condition does not hold."),
        (["--mean-at-most", ".05", "--within", "0.8"], 2, "1 of 2 conditions cannot be told."),
        ([], 2, "name a condition"),
        (["--within", "80"], 2, "80 is no share; write 80% or 0.8"),
        (["--within", "many"], 2, "many is no share"),
        (["--mean-at-most", ".1", "--simulator", "x"], 2, "See docs/howto/gates.md"),
    ],
)
def test_the_command_ends_with_a_status_and_a_line_that_says_why(
    tmp_path, capsys, options, status, told
):
    assert main(["check", str(left(tmp_path)), *options]) == status
    printed = capsys.readouterr()
    assert told in printed.out + printed.err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "is missing; name the folder"),
        ("{}", "schema_version: Field required"),
        ("no JSON", "Invalid JSON"),
        (
            verdict(MODEL).text().replace('"schema_version": 2', '"schema_version": 3'),
            "should be 2",
        ),
    ],
)
def test_a_file_that_is_not_this_version_s_is_refused(tmp_path, text, told):
    path = tmp_path / "verdict.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=told):
        Verdict.read(tmp_path)


def test_the_published_schema_is_that_of_the_file():
    published = (REPOSITORY / "docs/reference/verdict.schema.json").read_text("utf-8")
    assert published == schema()
    made = json.loads(verdict(MODEL).text())
    checker = jsonschema.Draft202012Validator(json.loads(published))
    checker.validate(made)
    del made["datasets"][0]["views"][0]["pairs"]
    assert not checker.is_valid(made)
    assert Verdict.model_validate_json(verdict(MODEL).text()) == verdict(MODEL)


def test_the_guide_s_command_names_options_that_there_are(tmp_path):
    command, _ = re.findall(r"^    \.venv/bin/fidelity-curves (check .*)$", GUIDE, re.MULTILINE)
    assert main(command.replace("results/example", str(left(tmp_path))).split()) == 0


@pytest.mark.parametrize(
    ("discrepancy", "most", "remedy"),
    [
        ("squared", 0.25, "--mean-at-most 0.0625 --discrepancy squared"),
        ("tv", 10.0, "--mean-at-most 0.1"),
    ],
)
def test_a_limit_in_the_unit_of_the_page_is_refused(discrepancy, most, remedy):
    with pytest.raises(DataError) as error:
        _refuse_other_unit(discrepancy, Conditions(mean_at_most=most))
    assert str(error.value).endswith(remedy)
    _refuse_other_unit(discrepancy, Conditions(mean_at_most=0.0625, discrepancy=discrepancy))


def of_scores(*rows, name="maths"):
    """Return the verdict of a study of an evaluation; rows are (model, eval, verdict, upper)."""
    uses = [
        UseOnEval(
            **dict.fromkeys(column.name for column in fields(UseOnEval))
            | {"simulator": model, "use": "scores", "eval": of, "verdict": judged, "alone": judged}
            | {"error": 0.0, "lower": 0.0, "upper": upper, "limit": 0.05}
            | {"unit": "", "needs": "", "counts": True}
        )
        for model, of, judged, upper in rows
    ]
    made = evaluation(name, uses=uses)
    return verdict().model_copy(update={"datasets": [], "evaluations": [made]})


@pytest.mark.parametrize(
    ("rows", "status"),
    [
        ([("A", "x", "within", 0.02), ("A", "y", "within", 0.03)], HOLDS),
        ([("A", "x", "within", 0.02), ("A", "y", "beyond", 0.3)], FAILS),
        ([("A", "x", "within", 0.02), ("A", "y", "open", None)], OPEN),
    ],
)
def test_a_model_has_to_score_as_well_as_the_best_on_every_eval(rows, status):
    made = of_scores(*rows, ("B", "x", "beyond", 0.2))
    findings = check(made, Conditions(use=("scores",), simulator="A"))
    assert [finding.about for finding in findings] == ["maths, x, A", "maths, y, A"]
    assert status_of(findings) == status
    assert len(check(made, Conditions(use=("scores",), dataset="maths"))) == 3


def test_what_evaluations_have_not_is_refused():
    made = of_scores(("A", "x", "within", 0.02))
    for conditions, told in (
        ({"use": ("shares",)}, "--use: there is no shares; did you mean scores"),
        ({"use": ("scores",), "simulator": "C"}, "--simulator of maths: there is no C"),
        ({"use": ("scores",), "dataset": "town"}, "--dataset: there is no town"),
        ({"use": ("scores",), "discrepancy": "tv"}, "a use has its own limit; leave them out"),
        ({"mean_at_most": 0.1}, "no dataset with curves, .* of scores of evaluations --use scores"),
    ):
        with pytest.raises(DataError, match=told):
            check(made, Conditions(**conditions))


def test_a_study_of_surveys_and_scores_is_checked_by_either(tmp_path):
    both = verdict(MODEL).model_copy(
        update={"evaluations": of_scores(("A", "x", "open", None)).evaluations}
    )
    assert main(["check", str(left(tmp_path, both)), "--mean-at-most", ".1"]) == 0
    out = str(tmp_path / "comment.md")
    asked = ["check", str(tmp_path), "--use", "scores", "--dataset", "maths", "--out", out]
    assert main(asked) == 2
    assert "its own 95 % interval is unknown" in (tmp_path / "comment.md").read_text("utf-8")


def test_the_comment_has_one_interval_of_a_mean_that_which_decides(tmp_path):
    out = str(tmp_path / "comment.md")
    main(["check", str(left(tmp_path / "town")), "--mean-at-most", "0.1", "--out", out])
    told = (tmp_path / "comment.md").read_text(encoding="utf-8")
    assert told.count("0.030 to 0.090") == 2, "in the condition and in the table"
    assert "0.040 to 0.080" not in told


@pytest.mark.parametrize(
    "asked",
    [
        *(
            ["check", ".", option, number]
            for option in ("--mean-at-most", "--tolerance", "--within")
            for number in ("nan", "inf")
        ),
        ["start", "human.csv", "--tolerance", "nan"],
        ["start", "human.csv", "--bounds", "0", "inf"],
        ["embed", "a.csv", "--model", "m", "--url", "u", "--cost", "nan"],
    ],
)
def test_no_option_takes_what_is_no_number(asked, capsys):
    assert main(asked) == 2
    told = capsys.readouterr().err
    assert next(part for part in asked if part.startswith("--")) in told or asked[0] == "embed"
    assert "is no number" in told or "is no share" in told
