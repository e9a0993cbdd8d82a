"""Tick boxes and several options in one cell with a survey design: as columns of 1 and 0."""

import numpy as np
import pandas as pd
import pytest
from tabular_step import read

OPTIONS, N = {"media_1": "tv", "media_2": "web", "media_3": "radio"}, 300
DESIGNS = {
    "psus": {"strata": "stratum", "psu": "psu"},
    "strata": {"strata": "stratum"},
    "replicates": {"replicate_weights": ["rep*"], "method": "bootstrap"},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write the same answers in three forms."""
    folder = tmp_path_factory.mktemp("ticked")
    generator = np.random.default_rng(1)
    psu = np.repeat(range(30), 10)
    people = pd.DataFrame({"psu": psu, "stratum": psu // 6, "w": generator.uniform(0.5, 2, N)})
    for r in range(8):
        people[f"rep{r}"] = people["w"] * generator.uniform(0.5, 1.5, N)
    share = np.clip(generator.normal(0.4, 0.2, 30), 0.05, 0.95)[psu]
    for name, size in (("human", N), ("simulated", 200)):
        p = share if name == "human" else 0.5
        ticks = pd.DataFrame({column: generator.random(size) < p for column in OPTIONS})
        rest = people if name == "human" else pd.DataFrame(index=range(size))
        rest = rest.assign(q=generator.choice(["a", "b"], size))
        rest.join(ticks.astype(int)).to_csv(folder / f"{name}_columns.csv", index=False)
        boxes = ticks.astype(object).where(ticks).replace(True, "x")
        rest.join(boxes).to_csv(folder / f"{name}_boxes.csv", index=False)
        chosen = [[OPTIONS[n] for n in OPTIONS if row[n]] for _, row in ticks.iterrows()]
        cells = [";".join(some) or "neither" for some in chosen]
        rest.assign(media=cells).to_csv(folder / f"{name}_cell.csv", index=False)
    return folder


@pytest.mark.sampled
@pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)
def test_ticks_are_worth_what_columns_of_1_and_0_are(folder, monkeypatch, design):
    monkeypatch.chdir(folder)
    columns = ["psu", "stratum", *(f"rep{r}" for r in range(8))]
    used = {"psu": ["psu", "stratum"], "strata": ["stratum"]}
    read_columns = used.get(list(design)[-1], columns[2:])

    def sizes(form):
        found = read(
            human=f"human_{form}.csv",
            simulated={"model": f"simulated_{form}.csv"},
            design=design,
            columns={"weight": "w"},
            ignore=[name for name in columns if name not in read_columns],
            **({"multiple": ["media"]} if form == "cell" else {}),
        )
        names = {f"media: {option}": column for column, option in OPTIONS.items()}
        table = found.scenarios.assign(scenario=found.scenarios["scenario"].replace(names))
        human = found.outcomes[found.outcomes["source"] == "human"]
        human = human.assign(scenario=human["scenario"].replace(names))
        counts = human.groupby(["scenario", "value"])["count"].sum()
        return table.set_index("scenario")[["n_effective", "df"]], counts

    table, counts = sizes("columns")
    for form in ("boxes", "cell"):
        found, numbers = sizes(form)
        pd.testing.assert_frame_equal(found.loc[table.index], table)
        pd.testing.assert_series_equal(numbers[counts.index], counts)
