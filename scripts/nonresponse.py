"""How many answers each source was asked for and did not give, and why."""

from fidelity_study.run.script import run
from fidelity_study.steps.nonresponse import answered_and_lost, row, scenario_rows
from fidelity_study.tables.ingest import HUMAN, MISSING, OUTCOMES, REASONS, SCENARIOS
from fidelity_study.tables.nonresponse import NONRESPONSE
from fidelity_study.tables.read_write import read, read_all, write_csv, write_rows
from fidelity_study.tables.simulate import ASKED

COLUMNS = [
    *("source", "scenarios", "asked", "answered", "nonresponse"),
    *REASONS,
    *("worst_nonresponse", "worst_scenario", "elsewhere"),
]


def main(snakemake):
    step, files = snakemake.params.step, snakemake.input
    names = read(files.scenarios, SCENARIOS)["scenario"].to_pylist()
    outcomes = read_all(files.outcomes, OUTCOMES)
    missing = read_all(files.missing, MISSING)
    asked = {
        simulator: read(path, ASKED)
        for simulator, path in zip(step["asked"], files.get("asked", []), strict=True)
    }
    rows, by_scenario = [], []
    for source in [HUMAN, *step["simulators"]]:
        prompts = asked.get(source)
        found = answered_and_lost(source, names, outcomes, missing, prompts)
        rows.append(row(source, names, *found, prompts))
        by_scenario += scenario_rows(source, names, *found)
    told = any(each["rescaled"] is not None for each in rows)
    columns = [*COLUMNS, "rescaled"] if told else COLUMNS
    asked_of = [{key: each[key] for key in columns} for each in rows if each["asked"]]
    write_csv(snakemake.output.csv, asked_of, columns)
    write_rows(snakemake.output.table, by_scenario, NONRESPONSE, step)


run(main, snakemake)
