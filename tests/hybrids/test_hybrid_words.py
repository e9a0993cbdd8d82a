"""What the page says of interviews saved, from rows of the table."""

from types import SimpleNamespace

from fidelity_study.report.page.hybrids import hybrids

CELL = {"k": "stated", "discrepancy": "tv", "source": "hybrid", "kappa": 7.0, "most": 200}
ABOUT = {"m": 60, "left_out": 0, "splits": 10, "method": "persons split"}


def row(name, target, n0, saved, beyond, verdict):
    ends = zip(("", "_lower", "_upper"), saved, strict=True)
    own = {f"saved{end}": value for end, value in ends}
    own |= {f"beyond{e}": v for e, v in zip(("", "_lower", "_upper"), beyond, strict=True)}
    cell = CELL | ABOUT | {"simulator": name, "target": target, "n0": n0, "verdict": verdict}
    return cell | own


def page(rows):
    every = [
        SimpleNamespace(
            name=name,
            label=name,
            cell={"simulator": name, "k": "stated"},
            is_baseline=name == "uniform",
        )
        for name in dict.fromkeys(each["simulator"] for each in rows)
    ]
    results = SimpleNamespace(hybrids=rows, noun="question", nouns="questions")
    return hybrids(SimpleNamespace(every=every, results=results, discrepancy="tv"))


def said(name, saved, beyond, verdict):
    """Return what is said first of a simulator, of these questions and of new ones alike."""
    rows = [row(name, target, 5, saved, beyond, verdict) for target in ("asked", "new")]
    return page(rows).said[0]


def test_a_gain_is_told_with_what_is_saved_beyond_a_uniform_guess():
    (first,) = said("model", (6.1, 4.2, 9.0), (2.3, 1.0, 3.9), "gain")
    assert first.endswith(
        "saves 6.1 (4.2 to 9.0) interviews, 2.3 (1.0 to 3.9) of them beyond a uniform guess."
    )


def test_a_uniform_guess_saves_interviews_and_gains_nothing():
    (first,) = said("uniform", (3.2, 2.1, 4.0), (0.0, -1.0, 0.5), "no gain")
    assert first.endswith("which knows nothing of people, saves 3.2 (2.1 to 4.0) interviews.")


def test_a_simulator_without_gain_is_not_told_to_save_interviews():
    found = said("shuffled", (2.7, 1.1, 3.0), (-0.5, -2.0, 0.9), "no gain")
    assert not any("saves" in each for each in found)
