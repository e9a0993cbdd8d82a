"""What came of a comparison: its page, its tables as frames, its figures, its verdict."""

import hashlib
import re
from functools import cached_property
from html import escape
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from fidelity_study.app.notebook.drawing import Drawing, drawing
from fidelity_study.app.run.figure import MM, drawn
from fidelity_study.app.run.finished import Finished
from fidelity_study.config.params import findings_step
from fidelity_study.config.shown import report_files
from fidelity_study.config.study import Study
from fidelity_study.errors import DataError, refusal
from fidelity_study.reading.codebook.tables import TABLES, frame_of, read
from fidelity_study.report.figures.source import Source
from fidelity_study.report.page.explorer import bounds_of_questions
from fidelity_study.report.results import Results
from fidelity_study.tables.read_write import read_csv

HEIGHT = 760
PAGE = (
    '<iframe srcdoc="{page}" sandbox="allow-scripts allow-downloads allow-popups" title="{title}"'
    ' style="width:100%;height:{height}px;border:1px solid #ccc;resize:vertical"></iframe>'
)
BASE = '<head>\n<base href="about:srcdoc">'
MARKUP = re.compile(r"\\(.)|\*\*")


class Comparison:
    """A finished comparison of simulators with people.

    Jupyter shows its page. Tables have the columns that ``results/README.md`` explains.

    Attributes:
        folder: where all of it is kept.
        understood: what the tables that were given hold, one fact a line.
    """

    def __init__(self, folder: Path, study: Study, understood: list[str]):
        """Take the results from a folder."""
        self.folder, self.understood = folder, understood
        self._study = study
        self._results = folder / study.folder
        self._stamp = self._stamped()

    @property
    def name(self) -> str:
        """What it is called."""
        return self._results.name

    @property
    def page(self) -> Path:
        """The path of the page, which needs nothing else."""
        return self._there("report.html")

    @property
    def findings(self) -> str:
        """The verdict in short, as Markdown."""
        return self._there("findings.md").read_text(encoding="utf-8")

    @property
    def codebook(self) -> dict[str, pd.DataFrame]:
        """What was understood, as three tables: ``columns``, ``questions`` and ``labels``.

        Each may be changed, and given to :func:`compare` under its name.
        """
        (dataset,) = self._study.datasets.values()
        codebook = read(self.folder / dataset["options"]["codebook"])
        return {name: frame_of(name, codebook) for name in TABLES}

    @property
    def means(self) -> pd.DataFrame:
        """How far simulators are on average, as in ``comparison/mean_discrepancy``.

        A row per ``simulator``, ``k``, ``discrepancy``, ``answers``, ``target`` and ``tail``.
        """
        return self.table("comparison/mean_discrepancy")

    @property
    def clusters(self) -> pd.DataFrame:
        """The same for each ``cluster`` of questions, as in ``comparison/by_cluster``."""
        return self.table("comparison/by_cluster")

    @property
    def differences(self) -> pd.DataFrame:
        """Which of two is closer, as in ``comparison/mean_differences``.

        A row per ``simulator``, ``other``, ``k``, ``discrepancy``, ``answers`` and ``target``.
        """
        return self.table("comparison/mean_differences")

    @property
    def curves(self) -> pd.DataFrame:
        """The quantile curves, as in ``envelope/curves``.

        A row per ``cluster``, ``simulator``, ``k``, ``confidence_set``, ``discrepancy``, ``tau``.
        """
        return self.table("envelope/curves")

    @property
    def shares(self) -> pd.DataFrame:
        """How far simulators are on 90 % of questions, as in ``envelope/shares``.

        A row per ``cluster``, ``simulator``, ``k``, ``confidence_set`` and ``discrepancy``.
        """
        return self.table("envelope/shares")

    @property
    def lists(self) -> pd.DataFrame:
        """Whether simulators are within the tolerance, as in ``comparison/lists``.

        A row per ``scenario``, ``simulator``, ``k``, ``discrepancy`` and ``tolerance``; none
        for a discrepancy that has no tolerance.
        """
        return self.table("comparison/lists")

    @property
    def nonresponse(self) -> pd.DataFrame:
        """What was left unanswered, as in ``nonresponse.csv``: a row per ``source``."""
        frame = pd.DataFrame(read_csv(self._there(self._dataset, "nonresponse.csv")))
        texts = ("source", "worst_scenario")
        return frame.assign(
            **{name: pd.to_numeric(frame[name]) for name in frame if name not in texts}
        )

    @property
    def questions(self) -> pd.DataFrame:
        """How far simulators are on each question, as the page shows it.

        A row per ``scenario``, ``simulator``, ``k`` and ``discrepancy``: the columns of
        ``pseudo_discrepancy/n<n>`` of everyone's answers, the first replicate and the recommended
        ``confidence_set``, with bounds that hold with 95 % each, whatever coverages the curves
        have; and the ``cluster`` and the ``question``.
        """
        bounds = _frame(bounds_of_questions(self._shown)).drop(columns="replicate")
        about = self.table("scenarios")[["scenario", "cluster", "question"]]
        return about.merge(bounds, on="scenario")

    @property
    def answers(self) -> pd.DataFrame:
        """What people and simulators answered, stated or drawn.

        A row per ``scenario``, ``source`` (``human`` or a simulator), ``form`` (``given`` answers
        or ``stated`` probabilities) and answer: its ``value``, its ``option`` (none of numbers),
        its ``count`` (none if stated), its ``share``.
        """
        given, stated = self.table("outcomes"), self.table("stated")
        whole = given.groupby(["scenario", "source"], sort=False)["count"].transform("sum")
        parts = [given.assign(form="given", share=given["count"] / whole)]
        if len(stated):
            parts.append(stated.rename(columns={"probability": "share"}).assign(form="stated"))
        asked = self.table("scenarios")[["scenario", "value", "option"]]
        asked = asked[asked["option"].notna()].explode(["value", "option"])
        asked = asked.astype({"value": float, "option": object})
        rows = pd.concat(parts).merge(asked, how="left", on=["scenario", "value"])
        return rows[["scenario", "source", "form", "value", "option", "count", "share"]]

    def table(self, name: str) -> pd.DataFrame:
        """Return any table of the results by its path in ``results/README.md``, texts as texts.

        Raises:
            DataError: there is no such table.
        """
        path = self._there(self._dataset, f"{name.removesuffix('.parquet')}.parquet")
        if not path.is_file():
            below = self._results / self._dataset
            there = sorted(
                file.relative_to(below).with_suffix("").as_posix()
                for file in below.rglob("*.parquet")
            )
            raise DataError(
                f"{name!r} is no table of this comparison; there are: {', '.join(there)}"
            )
        return _frame(pq.read_table(path))

    def figure(self, name: str = "ranking", width: float = 183) -> Drawing:
        """Return a figure with its caption, as ``fidelity-curves figure`` draws it.

        Args:
            name: of the figure.
            width: in mm.

        Raises:
            DataError: there is no such figure; the message names those that there are.
        """
        self._there()
        there = Finished(self._study, self._dataset, self._results)
        return drawing(lambda: drawn(there, name, Source(there.dataset, width / MM)))

    def __str__(self) -> str:
        """Return what was understood, and the verdict."""
        verdict = MARKUP.sub(lambda match: match[1] or "", self.findings)
        return "\n".join([*self.understood, "", verdict.strip()])

    def __repr__(self) -> str:
        """Return its name and its page's path."""
        return f"<comparison {self.name}: {self._results / 'report.html'}>"

    def _repr_html_(self) -> str:
        page = self.page.read_text(encoding="utf-8").replace("<head>", BASE, 1)
        return PAGE.format(page=escape(page), title=escape(self.name), height=HEIGHT)

    @property
    def _dataset(self) -> str:
        return next(iter(self._study.datasets))

    @cached_property
    def _shown(self) -> Results:
        files = report_files(self._study, self._dataset, self._results)
        return Results(findings_step(self._study, self._dataset), files)

    def _there(self, *path: str) -> Path:
        """Return a path of the results; raise DataError if they are no longer this comparison's."""
        if self._stamped() != self._stamp:
            raise refusal(
                "other-results",
                "holds the results of a later comparison, or none; compare again, and give each "
                "comparison a name of its own, name='...'",
                file=self.folder,
            )
        return self._results.joinpath(*path)

    def _stamped(self) -> str:
        path = self._results / "provenance.json"
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _frame(table: pa.Table) -> pd.DataFrame:
    """Return a table as a frame, texts as texts."""
    plain = [
        pa.field(
            field.name, field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        )
        for field in table.schema
    ]
    return table.cast(pa.schema(plain)).to_pandas()
