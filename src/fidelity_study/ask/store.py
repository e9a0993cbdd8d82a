"""Every raw answer, kept as it comes: a folder of small Parquet files, which outlives its job.

The folder is nobody's output, so that Snakemake does not delete it when a job fails. Answers are
found again by the hash of all that determines them.
"""

import uuid
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from fidelity_study.ask.budget import tokens_of
from fidelity_study.errors import DataError
from fidelity_study.tables.read_write import complete, read

ANSWER = pa.schema(
    [
        ("key", pa.string()),
        ("request", pa.string()),
        ("text", pa.string()),
        ("refused", pa.bool_()),
        ("finish_reason", pa.string()),
        ("tokens", pa.list_(pa.string())),
        ("logprobs", pa.list_(pa.float64())),
        ("prompt_tokens", pa.int64()),
        ("completion_tokens", pa.int64()),
        ("model", pa.string()),
    ]
)
LONGEST_SAMPLE = 100
"""Letters of an answer that a message quotes."""
MOST_PARTS = 200
PARTS = "part-*.parquet"
KEPT = Path("asked")


def kept(folder: Path, schema: pa.Schema = ANSWER) -> tuple[list[Path], dict[str, dict]]:
    """Return the files that hold a folder's answers, and the answers by key.

    Read once more if another run has put files into one meanwhile.
    """
    parts = sorted(folder.glob(PARTS))
    answers: dict[str, dict] = {}
    for path in parts:
        try:
            answers |= {row["key"]: row for row in read(path, schema).to_pylist()}
        except DataError:
            if not path.exists():
                return kept(folder, schema)
            raise DataError(
                f"{path}: cannot be read; it holds answers of a model. Bring it back from a "
                "copy, or move it away to ask again what it held"
            ) from None
    return parts, answers


def is_kept(folder: Path) -> bool:
    """Return whether a folder holds any answers."""
    return any(folder.glob(PARTS))


class Store:
    """The answers in a folder, by key.

    Attributes:
        answers: key -> row of the schema.
        schema: of the rows.
        parts: the files that hold them.
    """

    def __init__(self, folder: Path, schema: pa.Schema = ANSWER):
        """Read the kept answers; one file replaces the parts."""
        self.folder, self.schema = Path(folder), schema
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataError(f"answers cannot be kept in {self.folder} ({error})") from None
        self.parts, self.answers = kept(self.folder, schema)
        self._compact()

    def add(self, rows: list[dict]) -> None:
        """Keep answers: when this returns, they are on disk."""
        self._write(rows)
        self.answers |= {row["key"]: row for row in rows}
        if len(self.parts) >= MOST_PARTS:
            self._compact()

    def used(self) -> tuple[int, int]:
        """Return the tokens of all prompts, and of all answers."""
        return tokens_of(self.answers.values())

    def _compact(self) -> None:
        """Put all answers into one file. A kill in between leaves answers twice, never none.

        Only the parts whose answers are known here are removed: another run may add its own.
        """
        if len(self.parts) > 1:
            old, self.parts = self.parts, []
            self._write(list(self.answers.values()))
            for path in old:
                path.unlink(missing_ok=True)

    def _write(self, rows: list[dict]) -> None:
        part = self.folder / f"part-{uuid.uuid4().hex}.parquet"
        with complete(part) as partial:
            pq.write_table(pa.Table.from_pylist(rows, self.schema), partial, compression="zstd")
        self.parts.append(part)
