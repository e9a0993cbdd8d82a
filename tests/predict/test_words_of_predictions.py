"""What findings say of new questions: of every simulator under test."""

from types import SimpleNamespace

from fidelity_study.report.page.predictions import CHOSEN, Predictions
from fidelity_study.report.page.words import plain
from fidelity_study.report.results import Results


def standings(bounds, discrepancy="tv", **changes):
    """Return simulators, each with its bounds of new questions."""
    rows = [
        {
            "scenario": f"q{i}",
            "simulator": name,
            "discrepancy": discrepancy,
            "option": "yes",
            "statement": "marginal",
            "about": "questions like those asked",
            "bound": bound,
            "main": True,
            "method": None,
        }
        for name, own in bounds.items()
        for i, bound in enumerate(own)
    ]
    results = SimpleNamespace(
        predictions=rows,
        named=str.upper,
        noun="question",
        nouns="questions",
        step={"predict": {"alpha": 0.1}},
        bound_level="95 %",
        under_test=lambda names: Results.under_test(None, names),
        predictors=lambda names: [],
        **changes,
    )
    every = [SimpleNamespace(name=name) for name in bounds]
    return SimpleNamespace(every=every, results=results, discrepancy=discrepancy)


def told(*args, **changes):
    return [plain(each) for each in Predictions(standings(*args, **changes)).promise]


def test_every_simulator_under_test_is_named_with_its_bounds():
    said = told({"a": [0.3, 0.3], "b": [0.21, 0.22], "uniform": [0.5, 0.5]})
    assert (
        "A share is known to within 0.210 to 0.220 with B and 0.300 with A on either side." in said
    )
    assert CHOSEN in said
    assert not any("uniform" in each.lower() for each in said)


def test_one_simulator_is_not_called_chosen():
    said = told({"a": [0.3], "uniform": [0.2]}, "l2")
    assert "The distance from people is predicted to be at most 0.300 with A." in said
    assert "A uniform guess has a smaller bound (0.200): A predicts no better than a guess." in said
    assert CHOSEN not in said
