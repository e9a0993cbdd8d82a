"""How many answers each source was asked for and did not give, and why."""

from fidelity_study.run.script import run
from fidelity_study.steps.arrays import Scenarios, among
from fidelity_study.steps.nonresponse import answered_prompts, counted, elsewhere, row
from fidelity_study.tables.ingest import HUMAN, MISSING, OUTCOMES, REASONS, SCENARIOS
from fidelity_study.tables.read_write import read, read_all, write_csv
from fidelity_study.tables.simulate import ASKED

COLUMNS = [
    *("source", "scenarios", "asked", "answered", "nonresponse"),
    *REASONS,
    *("worst_nonresponse", "worst_scenario", "elsewhere"),
]


def main(snakemake):
    step, files = snakemake.params.step, snakemake.input
    names = Scenarios.from_table(read(files.scenarios, SCENARIOS)).names
    outcomes = read_all(files.outcomes, OUTCOMES)
    missing = read_all(files.missing, MISSING)
    asked = {
        simulator: read(path, ASKED)
        for simulator, path in zip(step["asked"], files.get("asked", []), strict=True)
    }
    rows = []
    for source in [HUMAN, *step["simulators"]]:
        given, lost = (
            table.filter(among(table["source"], [source])) for table in (outcomes, missing)
        )
        answered = (
            answered_prompts(asked[source], names) if source in asked else counted(given, names)
        )
        reasons = {
            reason: counted(lost.filter(among(lost["reason"], [reason])), names)
            for reason in REASONS
        }
        rows.append(
            row(source, names, answered, reasons)
            | {"elsewhere": elsewhere(asked[source]) if source in asked else None}
        )
    write_csv(snakemake.output[0], [each for each in rows if each["asked"]], COLUMNS)


run(main, snakemake)
