"""The file ``verdict.json`` of a study: what its report concludes, for other programs.

Numbers are those of the page, before they are rounded and put into people's units.
"""

import json
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fidelity_study.errors import DataError
from fidelity_study.tables.uses import JudgedUse, UseOnEval

NAME = "verdict.json"


class Record(BaseModel):
    """A part of the file: all keys are always there, and there are no others."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Interval(Record):
    """A mean with its interval; null where unknown."""

    estimate: float | None = Field(description="An estimate of the mean discrepancy.")
    lower: float | None = Field(description="Its interval, at the view's confidence.")
    upper: float | None


class OtherPeople(Interval):
    """How far as many other people would be from these people."""

    people: int


class Topic(Interval):
    """The mean on the questions of one topic."""

    name: str
    questions: int


class Simulator(Interval):
    """One simulator, or a baseline that the study made."""

    name: str
    label: str = Field(description="Its name on the page.")
    kind: Literal["simulator", "baseline"]
    answers: str = Field(description='How many answers it gave to each; "" if it states shares.')
    questions: int = Field(description="How many questions it answered.")
    unanswered: float = Field(description="The share of what it was asked that it left out.")
    familywise_lower: float | None = Field(
        description="Limits of its mean that hold for all simulators at once."
    )
    familywise_upper: float | None
    at_most_on_90_percent: float | None = Field(
        description="A bound on 90 % of all such questions, for all simulators at once."
    )
    share_within: float | None = Field(
        description="The least share of all such questions within the tolerance, likewise."
    )
    first_rank: int = Field(
        description="The ranks that the pairs leave open, whatever single means say; 1 is first."
    )
    last_rank: int
    within: list[str] | None = Field(
        description="Questions listed as within the tolerance; null where none is tested."
    )
    beyond: list[str] | None = Field(description="Questions listed as beyond it.")
    topics: list[Topic] = Field(
        description="Its means by topic, of 20 topics at most, of the same answers as its mean;"
        " intervals hold for all at once."
    )

    @property
    def familywise(self) -> tuple[float, float] | None:
        """The limits that hold for all simulators at once, which decide on conditions."""
        lower, upper = self.familywise_lower, self.familywise_upper
        return None if lower is None or upper is None else (lower, upper)


class Pair(Record):
    """How the means of two simulators differ, the first less the other.

    Of those that draw, by what they draw from, where bounds on that are known.
    """

    simulator: str
    other: str
    lower: float | None = Field(description="The interval of the difference, all pairs at once.")
    upper: float | None
    closer: str | None = Field(description="Which of the two is closer; null if not settled.")


class View(Record):
    """A dataset by one discrepancy, and one tolerance if the config has any."""

    discrepancy: str
    tolerance: float | None = Field(description="How far is still close enough.")
    confidence: float = Field(description="The confidence of all intervals.")
    headline: str = Field(description="The answer, as page and findings have it.")
    sentences: list[str]
    open: list[str] = Field(description="What is not settled.")
    simulators: list[Simulator] = Field(description="In the order of the page.")
    other_people: list[OtherPeople]
    pairs: list[Pair]


class Assumption(Record):
    """What numbers assume, and whether it holds."""

    state: str
    text: str


class Dataset(Record):
    """One dataset; without views if it has forecasts only, or too few answers for curves."""

    name: str
    title: str
    questions: int
    clusters: int
    people: str = Field(description="How many people answered a question, as a text.")
    headline: str = Field(description="The answer in one sentence, by the first view.")
    uses: list[JudgedUse] = Field(
        description="What each simulator may be used for, at one error rate."
    )
    views: list[View]
    assumptions: list[Assumption]


class Score(Record):
    """The mean score of a model on an eval, or over several."""

    model: str
    eval: str
    better: str = Field(description="Which score is better: higher or lower.")
    questions: int = Field(description="Those that have a score.")
    asked: int = Field(description="Those that it was to answer.")
    estimate: float | None
    lower: float | None
    upper: float | None


class ScoreDifference(Record):
    """The mean score of a model less that of another, on an eval or over several."""

    model: str
    baseline: str
    eval: str
    better: str = Field(description="Which score is better: higher or lower.")
    estimate: float | None
    lower: float | None
    upper: float | None
    settled: bool = Field(description="Whether it is known to differ from 0, all pairs at once.")


class Evaluation(Record):
    """Scores of models on evals."""

    name: str
    title: str
    headline: str
    confidence: float
    scores: list[Score]
    differences: list[ScoreDifference]
    uses: list[UseOnEval] = Field(description="At one error rate for all models and evals.")
    assumptions: list[Assumption]


class Verdict(Record):
    """What a study concludes."""

    schema_version: Literal[2] = Field(description="Rises when a key changes its meaning.")
    software: str = Field(description="The version of fidelity-curves.")
    study: str
    datasets: list[Dataset]
    evaluations: list[Evaluation]

    @property
    def parts(self) -> list[Dataset | Evaluation]:
        """All that has uses."""
        return [*self.datasets, *self.evaluations]

    @classmethod
    def read(cls, results: Path) -> Self:
        """Return the verdict of a finished study.

        Args:
            results: the study's folder, or the file.

        Raises:
            DataError: there is none, or it is another version's.
        """
        path = results / NAME if results.is_dir() else results
        try:
            return cls.model_validate_json(path.read_text(encoding="utf-8"))
        except OSError:
            raise DataError(
                f"{path}: is missing; name the folder of a finished study, such as results/example"
            ) from None
        except (ValidationError, UnicodeDecodeError) as error:
            raise DataError(
                f"{path}: is not as this version writes it ({_first(error)}); run the study again"
            ) from None

    def text(self) -> str:
        """Return the file's text."""
        return self.model_dump_json(indent=1) + "\n"


def _first(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    fault = error.errors()[0]
    place = ".".join(map(str, fault["loc"]))
    return f"{place}: {fault['msg']}" if place else fault["msg"]


def schema() -> str:
    """Return the file's JSON schema."""
    made = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Verdict.model_json_schema(mode="serialization"),
    }
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    print(schema(), end="")
