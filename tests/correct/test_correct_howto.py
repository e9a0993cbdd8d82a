"""The study of docs/howto/correct.md, as it shows it: the simulator that knows something gains."""

import re
import shlex

import numpy as np
import pandas as pd
import pytest
import yaml
from small_study import REPOSITORY
from surveyed_people import survey, too_certain

from fidelity_study.__main__ import main

HOWTO = (REPOSITORY / "docs" / "howto" / "correct.md").read_text(encoding="utf-8")
(COMMAND,) = re.findall(r"^    \.venv/bin/fidelity-curves (run .*)$", HOWTO, re.MULTILINE)
(CONFIG,) = re.findall(r"^```yaml\n(.*?)^```", HOWTO, re.MULTILINE | re.DOTALL)
TOPICS = np.repeat(["taxes", "schools", "roads", "parks", "police", "water"], 4)
OPTIONS = np.array(["agree", "neither", "disagree"])


def write_files():
    """Write the three files of the guide; return people's true shares."""
    generator = np.random.default_rng(20)
    p = generator.dirichlet([2.0, 2.0, 2.0], len(TOPICS))
    town = survey(generator, p, 300, TOPICS)
    pd.DataFrame(OPTIONS[town.chosen], columns=town.names).to_csv("people.csv", index=False)
    stated = {"certain": too_certain(p), "random": generator.dirichlet([1.0] * 3, len(TOPICS))}
    rows = [
        (name, who, option, share)
        for who, q in stated.items()
        for name, own in zip(town.names, q.tolist(), strict=True)
        for option, share in zip(OPTIONS, own, strict=True)
    ]
    columns = ["scenario", "simulator", "value", "probability"]
    pd.DataFrame(rows, columns=columns).to_csv("model.csv", index=False)
    texts = [
        f"Should the town spend more on {topic}, as plan {j} says?"
        for j, topic in enumerate(TOPICS)
    ]
    described = {"scenario": town.names, "question": texts, "topic": TOPICS}
    pd.DataFrame(described).to_csv("questions.csv", index=False)
    return p


@pytest.mark.minutes
def test_the_study_of_the_guide_says_which_correction_gains(here):
    p = write_files()
    config = yaml.safe_load(CONFIG)
    config["datasets"]["town"]["figures"] = []
    (here / "town.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    assert main([*shlex.split(COMMAND), "--cores", "2"]) == 0
    results = here / "results" / "town" / "town"
    found = pd.read_csv(results / "comparison" / "corrections.csv")
    assert set(found["split"]) == {"persons"}
    asked = found.query("target == 'asked' and correction == 'tempered'")
    tempered = asked.set_index("simulator")
    assert tempered["verdict"].to_dict() == {"certain": "gain", "random": "no gain"}
    assert tempered.loc["certain", "temperature"] == pytest.approx(1 / 3, abs=0.07)
    assert tempered.loc["random", "over_simulator_ci_upper"] < 0
    stated = pd.read_parquet(results / "correct" / "stated.parquet").query(
        "simulator == 'certain' and correction == 'tempered'"
    )
    table = stated.pivot(index="scenario", columns="value", values="probability").to_numpy()
    assert np.abs(table - p).sum(1).mean() / 2 < 0.05
    findings = (results / "findings.md").read_text(encoding="utf-8")
    (said,) = re.findall(
        r"Corrected by people's answers to other clusters \(by topic\), .*", findings
    )
    assert re.search(r"is 0\.\d+ to 0\.\d+ closer to people on these questions than", said)
    page = (here / "results" / "town" / "report.html").read_text(encoding="utf-8")
    assert "Would correcting help?" in page
