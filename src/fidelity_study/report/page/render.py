"""The page as HTML, and its short form as Markdown, from templates that escape all names."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from jinja2 import BytecodeCache, Environment, PackageLoader, StrictUndefined, select_autoescape
from jinja2.bccache import Bucket
from markupsafe import Markup

from fidelity_study import user_cache
from fidelity_study.report import formats
from fidelity_study.report.formats import with_sign
from fidelity_study.report.page import charts, words
from fidelity_study.report.page.dataset import Dataset
from fidelity_study.report.page.evaluation import Evaluation
from fidelity_study.report.page.files import SCRIPTS, asset
from fidelity_study.report.page.provenance import Provenance
from fidelity_study.report.page.statement import MOST_WORDS, Statement
from fidelity_study.report.summaries import MOST_UNANSWERED

TITLE = "What may these simulators be used for?"
TITLE_OF_FORECASTS = "Who forecasts best, and who is calibrated?"
TITLE_OF_TELLING = "Can people's answers be told from simulators'?"
TITLE_OF_SCORES = "Which model scores better?"


class Study(NamedTuple):
    """The parts of the page.

    Attributes:
        name: of the study.
        datasets: in the order of the config.
        provenance: config, seed, code, packages and files.
        evaluations: in the order of the config.
    """

    name: str
    datasets: Sequence[Dataset]
    provenance: Provenance
    evaluations: Sequence[Evaluation] = ()

    @property
    def title(self) -> str:
        """The questions that the page answers."""
        titles = {
            TITLE_OF_TELLING
            if dataset.telling
            else TITLE_OF_FORECASTS
            if dataset.forecast
            else TITLE
            for dataset in self.datasets
        }
        titles |= {TITLE_OF_SCORES} if self.evaluations else set()
        order = TITLE, TITLE_OF_TELLING, TITLE_OF_FORECASTS, TITLE_OF_SCORES
        return " ".join(title for title in order if title in (titles or {TITLE}))


def page(study: Study) -> str:
    """Return the page: one file that needs nothing else."""
    shown = {dataset.name: dataset.data() for dataset in study.datasets}
    return (
        _environment(html=True)
        .get_template("page.html")
        .render(
            study=study,
            title=study.title,
            style=Markup(asset("page.css")),
            scripts=Markup("\n".join(map(asset, SCRIPTS))),
            data=Markup(_embedded(shown)),
        )
    )


def findings(dataset: Dataset) -> str:
    """Return a dataset's verdicts as Markdown, for a README or a pull request."""
    return _environment(html=False).get_template("findings.md").render(each=dataset)


def statement(contents: Statement) -> str:
    """Return the statement on a dataset for an appendix, as Markdown.

    It has at most ``MOST_WORDS`` words: where it would have more, the list of questions is left
    out, then the prompts, then what is said of simulators one by one.
    """
    template = _environment(html=False).get_template("statement.md")
    for detail in (3, 2, 1, 0):
        text = template.render(of=contents, each=contents.dataset, detail=detail)
        if len(text.split()) <= MOST_WORDS:
            break
    return text


def evaluation_findings(evaluation: Evaluation) -> str:
    """Return the findings on an evaluation as Markdown."""
    return _environment(html=False).get_template("evaluation.md").render(each=evaluation)


class CompiledTemplates(BytecodeCache):
    """Templates as code, kept until they change: to compile them takes longer than to fill them."""

    def load_bytecode(self, bucket: Bucket) -> None:
        """Take the code that was kept, if there is any."""
        if code := user_cache.kept(f"template_{bucket.key}"):
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of a template."""
        user_cache.keep(f"template_{bucket.key}", bucket.bytecode_to_string())


def _environment(*, html: bool) -> Environment:
    made = Environment(
        loader=PackageLoader("fidelity_study.report.page"),
        bytecode_cache=CompiledTemplates(),
        autoescape=select_autoescape() if html else False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"most_unanswered": MOST_UNANSWERED}
    made.globals |= {"charts": charts}
    unbroken = words.unbroken if html else str
    made.filters |= {
        "said": words.html if html else words.markdown,
        "cell": words.cell,
        "number": formats.number,
        "percent": lambda value: unbroken(formats.percent(value)),
        "share": lambda lower: unbroken(formats.share(lower)),
        "interval": formats.range_text,
        "signed_interval": formats.signed_range,
        "gap": lambda gap: (
            formats.DASH if gap is None else with_sign(f"{formats.rounded(gap):.0f}")
        ),
        "quoted": words.quoted,
        "lower_first": formats.lower_first,
    }
    return made


def _embedded(data: dict) -> str:
    """Return data as JSON that no HTML parser ends or starts anything in."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
