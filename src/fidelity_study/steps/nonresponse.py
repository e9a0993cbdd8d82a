"""How many answers each source was asked for and did not give, and why.

Tables:
    NONRESPONSE: how many answers each `source` was `asked` for and `answered` in each scenario; as
        CSV a row per source: `scenarios` in which it was asked, `others` of the study, `asked`,
        `answered`, `nonresponse` (share), the counts by reason, and where it was highest:
        `worst_nonresponse`, `worst_scenario`; of a model's next-token probabilities the mean that
        went to no option's letter, `elsewhere`; where models were asked for a population's shares,
        the share of usable answers that did not sum to 100, `rescaled`
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fidelity_study.ask.collect import read_asked
from fidelity_study.reading.ingest.parse import is_rescaled
from fidelity_study.steps.arrays import codes, numbers, only
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.ingest import HUMAN, MISSING, OUTCOMES, REASONS, SCENARIOS, STATED
from fidelity_study.tables.read_write import read, read_all, write_csv, write_rows

COLUMNS = [
    *("source", "scenarios", "others", "asked", "answered", "nonresponse"),
    *REASONS,
    *("worst_nonresponse", "worst_scenario", "elsewhere"),
]

NONRESPONSE = pa.schema(
    [*columns(LABEL, "scenario", "source"), *columns(pa.float64(), "asked", "answered")]
)


def answered_and_lost(
    source: str, names: list[str], outcomes: pa.Table, stated: pa.Table, missing: pa.Table
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return in each scenario one source's answers, (m,), and its missing ones by reason.

    Answers are those that were chosen, and statements of the shares of all options.
    """
    answered, statements = counted(only(outcomes, source=source), names), np.zeros(len(names))
    known = only(stated, source=source).drop_null()
    places = codes(known["scenario"], names)
    statements[places] = numbers(known["statements"])  # the same of all options
    lost = only(missing, source=source)
    by_reason = {reason: counted(only(lost, reason=reason), names) for reason in REASONS}
    return answered + statements, by_reason


def scenario_rows(source: str, names: list[str], answered: np.ndarray, reasons: dict) -> list:
    """Return a row for each scenario in which a source was asked."""
    asked = answered + sum(reasons.values())
    return [
        {"scenario": names[j], "source": source, "asked": asked[j], "answered": answered[j]}
        for j in np.flatnonzero(asked)
    ]


def row(
    source: str, names: list[str], answered: np.ndarray, reasons: dict, prompts: pa.Table | None
) -> dict:
    """Return the row of one source; scenarios in which it was not asked don't count."""
    asked = answered + sum(reasons.values())
    share = np.divide(asked - answered, asked, out=np.zeros(len(names)), where=asked > 0)
    worst = int(np.argmax(share))
    return {
        "source": source,
        "scenarios": int((asked > 0).sum()),
        "others": int((asked == 0).sum()),
        "asked": asked.sum(),
        "answered": answered.sum(),
        "nonresponse": 1 - answered.sum() / asked.sum() if asked.any() else 0.0,
        **{reason: count.sum() for reason, count in reasons.items()},
        "worst_nonresponse": share[worst],
        "worst_scenario": names[worst] if share[worst] else "",
        "elsewhere": None if prompts is None else elsewhere(prompts),
        "rescaled": None if prompts is None else rescaled(prompts),
    }


def elsewhere(asked) -> float | None:
    """Return the mean next-token probability outside the options' letters; None for answers."""
    return pc.mean(asked["elsewhere"]).as_py()


def rescaled(asked) -> float | None:
    """Return the share of usable answers whose stated shares don't sum to 100; None without any."""
    totals = asked["total"].drop_null().to_pylist()
    return sum(map(is_rescaled, totals)) / len(totals) if totals else None


def counted(rows, names: list[str]) -> np.ndarray:
    """Return the sum of the counts in each scenario, (m,)."""
    return np.bincount(codes(rows["scenario"], names), numbers(rows["count"]), len(names))


def main(snakemake):
    """Count the answers that each source was asked for and did not give."""
    step, files = snakemake.params.step, snakemake.input
    names = read(files.scenarios, SCENARIOS)["scenario"].to_pylist()
    outcomes, stated = read_all(files.outcomes, OUTCOMES), read_all(files.stated, STATED)
    missing = read_all(files.missing, MISSING)
    asked = read_asked(step["asked"], files.get("asked", []))
    rows, by_scenario = [], []
    for source in [HUMAN, *step["simulators"]]:
        prompts = asked.get(source)
        answered = answered_and_lost(source, names, outcomes, stated, missing)
        rows.append(row(source, names, *answered, prompts))
        by_scenario += scenario_rows(source, names, *answered)
    is_rescaled = any(line["rescaled"] is not None for line in rows)
    columns = [*COLUMNS, "rescaled"] if is_rescaled else COLUMNS
    asked_of = [{key: line[key] for key in columns} for line in rows if line["asked"]]
    write_csv(snakemake.output.nonresponse_csv, asked_of, columns)
    write_rows(snakemake.output.nonresponse, by_scenario, NONRESPONSE, step)
