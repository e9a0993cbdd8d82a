"""Words name the confidence that a statement has: that of the config, wherever one is named."""

import re
from copy import deepcopy

import pytest
from small_study import STUDY

from fidelity_study.config.params import statement_step
from fidelity_study.report import paper_tables
from fidelity_study.report.figures import curve, source, style
from fidelity_study.report.page.dataset import Dataset
from fidelity_study.report.page.provenance import provenance
from fidelity_study.report.page.render import Study, findings, page, statement
from fidelity_study.report.page.statement import Statement

NAMED = re.compile(
    r"(?<![\d.])(0\.95(?!\d)|95(?:[\s\u202f]|&nbsp;)?%)"
    r"|(?<![\d.])(0\.9(?!\d)|90(?:[\s\u202f]|&nbsp;)?%)"
)


def with_eta(config, eta, **comparison):
    config = deepcopy(config)
    config["grid"]["eta"] = eta
    config.setdefault("comparison", {}).update(comparison)
    return config


def words_of(project, config):
    """Return all words of a study by what they are in: page, findings, statement, tables."""
    datasets = [Dataset(name, project.results(config, name)) for name in config["datasets"]]
    for dataset in datasets:
        dataset.results.step.update(statement_step(project.study(config), dataset.name))
    html = page(Study("default", datasets, provenance({}, {}, "results")))
    html = re.sub(r"<(script|style)\b.*?</\1>", "", html, flags=re.DOTALL)
    words = {"page": re.sub(r'style="[^"]*"', "", html)}
    for dataset in datasets:
        words[f"{dataset.name} findings"] = findings(dataset)
        words[f"{dataset.name} statement"] = statement(Statement(dataset, {}, ""))
        first = dataset.results.simulators[0]
        for kind in ("ranking", "questions"):
            table = paper_tables.made(dataset, kind, first)
            words[f"{dataset.name} {kind}"] = f"{list(table.intervals)} {table.caption}"
        drawn = source.Source(dataset, style.WIDE)
        words[f"{dataset.name} curve"] = " ".join(curve.draw(drawn)[1])
    return words


def named(words):
    """Return how often 95 and 90 are named as a confidence or a share."""
    hits = [match.lastindex for match in NAMED.finditer(words)]
    return hits.count(1), hits.count(2)


@pytest.mark.slow
def test_no_statement_names_another_confidence_than_that_of_the_config(small_study):
    usual = words_of(small_study, STUDY)
    assert named(usual["page"])[0] > 20
    for name, words in words_of(small_study, with_eta(STUDY, 0.1)).items():
        assert named(words)[0] == 0, name
        assert named(words)[1] >= sum(named(usual[name])), name


@pytest.mark.slow
def test_bounds_name_eta_and_means_name_alpha(small_study):
    config = with_eta(STUDY, 0.1, alpha=0.02)
    words = words_of(small_study, config)
    assert named(" ".join(words.values()))[0] == 0
    assert "98 % intervals" in words["page"].replace("&nbsp;", " ")
    dataset = Dataset("survey", small_study.results(config, "survey"))
    assert dataset.results.bound_level == "90 %"
    assert dataset.results.level == "98 %"
