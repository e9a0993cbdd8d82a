"""What the page says of corrections, in each case that there is."""

from types import SimpleNamespace

import pytest

from fidelity_study.report.page.corrections import Corrections
from fidelity_study.report.page.words import MARKS
from fidelity_study.steps.corrections import TOO_FEW
from fidelity_study.steps.judges import EACH, NOBODY, PERSONS

MOST_WORDS = 35


def row(simulator, verdict, over_simulator, over_people, target="asked", split=PERSONS, **changes):
    ends = {
        "corrected": (0.1, 0.12),
        "uncorrected": (0.2, 0.22),
        "from_people": (0.15, 0.16),
        "over_simulator": over_simulator,
        "over_people": over_people,
    }
    named = {
        f"{name}_ci_{end}": each[i]
        for name, each in ends.items()
        for i, end in enumerate(("lower", "upper"))
    }
    kind = "tempered" if simulator else "stacked"
    form = {"simulator": simulator, "correction": kind, "nearest": "gpt", "discrepancy": "tv"}
    return {**form, "target": target, "split": split, "verdict": verdict, **named, **changes}


def said(*rows, clustered=True):
    results = SimpleNamespace(
        corrections=list(rows),
        named=str.upper,
        noun="question",
        nouns="questions",
        clustered=clustered,
        n_clusters=12,
        m=36,
        step={"cluster": "topic"},
        level="95 %",
    )
    found = Corrections(SimpleNamespace(results=results, discrepancy="tv"))
    return [sentence.translate(MARKS) for sentence in found.sentences]


GAIN = row("gpt", "gain", (-0.12, -0.08), (-0.06, -0.03))
NEW = {"target": "new"}
NONE = row("gpt", "no gain", (-0.12, -0.08), (-0.02, 0.01))


def test_a_gain_is_told_with_both_differences():
    found = said(NONE | {"simulator": "eliza", "corrected_ci_upper": 0.3}, GAIN, GAIN | NEW)
    assert found == [
        "Corrected by people's answers to other clusters (by topic), GPT (tempered) is 0.080 to"
        " 0.120 closer to people on these questions than as it is.",
        "It is 0.030 to 0.060 closer than a prediction from these answers without any simulator.",
        "Both statements hold with 95 % confidence, whichever of the 2 corrections is picked.",
        "For new clusters a gain is shown for GPT (tempered).",
        "Persons were split into two halves. Corrections were fitted to one half and judged by the"
        " other, then the reverse.",
    ]


def test_a_gain_that_the_choice_of_clusters_may_explain_is_called_open():
    found = said(GAIN, NONE | NEW)
    assert (
        "Whether the gain holds for new clusters is open: the choice of these 12 may explain it."
        in found
    )


def test_without_a_gain_people_alone_may_explain_that_it_is_closer():
    found = said(NONE | {"split": NOBODY}, NONE | NEW, clustered=False)
    assert found == [
        "Correcting by people's answers to other questions shows no gain on these questions.",
        "The correction is not certainly closer than both the simulator as it is and a prediction"
        " from these answers without any simulator.",
        "The closest, GPT (tempered), is 0.100 to 0.120 from people. As it is, GPT is 0.200 to"
        " 0.220 from people; that prediction is 0.150 to 0.160.",
        "So correcting brings it closer, but people's answers alone may explain that.",
        "No gain is shown for new questions.",
        "People could not be split into those whom corrections are fitted to and those who judge:"
        " this assumes that different people answered each question.",
    ]


def test_a_loss_and_corrections_of_all_together_are_named():
    loss = row(None, "loss", (0.01, 0.05), (0.02, 0.06), split=EACH)
    found = said(loss)
    assert "The closest, all simulators together (stacked), is" in found[2]
    assert "As it is, GPT is" in found[2]
    assert (
        found[3]
        == "The correction certainly takes all simulators together (stacked) farther from people."
    )
    assert found[4].startswith("The people of each question were split into two halves")


def test_a_simulator_that_is_infinitely_far_is_told_so():
    infinite = float("-inf")
    found = said(row("gpt", "gain", (infinite, infinite), (-0.06, -0.03)))
    assert "GPT (tempered) is infinitely closer to people" in found[0]


@pytest.mark.parametrize("rows", [[], [{"discrepancy": "tv", "target": None, "warning": TOO_FEW}]])
def test_without_any_judged_correction_there_is_a_reason_or_nothing(rows):
    assert said(*rows) == [f"No correction can be judged: {TOO_FEW}." for _ in rows]


@pytest.mark.parametrize("rows", [[GAIN, NONE], [NONE], [GAIN | {"split": EACH}, GAIN | NEW]])
def test_a_sentence_is_short(rows):
    assert max(len(sentence.split()) for sentence in said(*rows)) <= MOST_WORDS
