"""Write one table of a finished study for a paper."""

from pathlib import Path

from fidelity_study.app.run.finished import evaluated, finished
from fidelity_study.errors import DataError
from fidelity_study.report import model_scores, paper_tables
from fidelity_study.tables.read_write import refuse_others

BEGINS = {".tex": "% needs", ".html": "<!DOCTYPE html>\n<html>\n<head>", ".docx": "PK"}


def main(
    results: Path, kind: str, suffix: str, output: Path | None, simulator: str | None = None
) -> int:
    """Write a table, say where it is and what its caption is; return the exit status.

    Args:
        results: the folder of a study, or of one of its datasets; of scores that of the study.
        kind: ranking, pairs or questions.
        suffix: of the format, without a dot.
        output: the file; None for one in this folder.
        simulator: whose questions; None for the closest.

    Raises:
        DataError: the dataset has no such table, or the file cannot be written.
    """
    scores = evaluated(results)
    if scores is not None:
        name, table = scores.study, model_scores.table(scores.evaluations, kind)
    else:
        there = finished(results)
        name, table = there.name, paper_tables.made(there.dataset, kind, simulator)
    output = output or Path(f"{name}_{kind}.{suffix}")
    columns = dict.fromkeys(name for row in table.rows for name in row)
    refuse_others(output, BEGINS.get(output.suffix) or ",".join(columns))
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        paper_tables.write(table, output)
    except OSError as error:
        raise DataError(f"--output: {output} cannot be written ({error}); name another") from None
    print(output, table.caption, sep="\n")
    return 0
