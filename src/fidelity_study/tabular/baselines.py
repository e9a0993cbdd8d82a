"""The baselines ``uniform`` and ``pooled``, where the config asks for them and no file has them."""

import pandas as pd

from fidelity import simulator
from fidelity_study.responses import stated_rows
from fidelity_study.tabular.options import Options

BASELINES = {"uniform", "pooled"}


def fitted(
    step: dict,
    scenarios: pd.DataFrame,
    people: pd.DataFrame,
    known: dict[str, Options],
    there: set[str],
) -> pd.DataFrame:
    """Return what the baselines state.

    Args:
        step: the ingest's params.
        scenarios: columns ``scenario, cluster``.
        people: their answers, columns ``scenario, value, count``.
        known: the options of each scenario.
        there: the simulators that the files have.

    Returns:
        Columns ``scenario, source, value, probability``. ``pooled`` gives the shares of all other
        scenarios of the cluster with the same options; where there are none, it has no answer.
    """
    wanted = {**step, "simulators": [name for name in step["simulators"] if name not in there]}
    rows = [stated_rows(wanted, scenarios["scenario"].iloc[:0], [], {})]
    if BASELINES.isdisjoint(wanted["simulators"]):
        return rows[0]
    count = people.set_index(["scenario", "value"])["count"]
    same = scenarios.groupby(scenarios["scenario"].map(lambda name: tuple(known[name].labels)))
    for _, group in same:
        values = known[group["scenario"].iloc[0]].values
        index = pd.MultiIndex.from_product([group["scenario"], values])
        counts = count.reindex(index, fill_value=0.0).to_numpy(float).reshape(len(group), -1)
        simulators = {
            "uniform": lambda counts=counts: simulator.uniform(counts),
            "pooled": lambda counts=counts, group=group: simulator.pooled(
                counts, group["cluster"].to_numpy(str)
            ),
        }
        rows.append(stated_rows(wanted, group["scenario"], values, simulators))
    return pd.concat(rows, ignore_index=True)
