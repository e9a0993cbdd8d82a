"""What simulators may be used for, as the steps that measure a use write it.

Tables:
    CARD: what simulators may be used for: a row per simulator and `use`, with its `error` and 95 %
        interval (`lower`, `upper`), the `limit`, both in `unit`; `verdict` at one error rate for
        all that count (`within`, `beyond`, `open`, `not measured`, `not asked`), and that of the
        use taken by itself, `alone`; `p_within` of the error being the limit or more, `p_beyond` of
        the limit or less; what it `needs`, and how many `times` as much would settle it with a
        probability of 0.8 (infinite: no number would); the error that as many `others`, other
        people, would have; a `detail`; `is_chosen`: it counts, as the config declares it under
        `uses`, or declares none
    MEASURED: the rows of `uses/uses.parquet` as other steps measured them, each by itself, without
        `verdict`, `alone` and `is_chosen`
    OF_SCORES: how far each model (`simulator`) is behind the best of those it is compared with, in
        each `eval`: columns as in `uses/uses.csv`. `error`, `lower` and `upper` (its own 95 %
        interval) are of the other model that is farthest ahead; `limit` is the `margin` of the
        config, or a twentieth of the range; `detail` names models beside which there is no
        interval. `verdict` holds for all models and evals at once
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import pyarrow as pa

from fidelity.uses import USES, Use
from fidelity_study.tables.common import LABEL, columns


def column(description: str, heading: str = "", form: str = "{}") -> Any:
    """Return a column of :class:`JudgedUse`.

    Args:
        description: what it is, in the schema of ``verdict.json``.
        heading: on the page and in findings; without one they don't have it.
        form: how a value is written there.
    """
    return field(metadata={"description": description, "heading": heading, "form": form})


@dataclass(frozen=True, kw_only=True)
class JudgedUse:
    """What a simulator may be used for, or not."""

    __pydantic_config__: ClassVar = {"extra": "forbid", "allow_inf_nan": False}

    simulator: str
    use: str
    error: float | None = column("How wrong the simulator is; smaller is better.", "error")
    lower: float | None = column("Its own 95 % interval; null where it has no end.")
    upper: float | None
    limit: float = column("The largest error that is within.", "limit")
    unit: str = column("Of error and limit.")
    needs: str = column("Of what there must be more, or what to bring.")
    times: float | None = column(
        "How many times as much would settle it with a probability of 0.8."
    )
    verdict: Literal["within", "beyond", "open", "not measured", "not asked"] = column(
        "At one error rate for all uses that count.", "verdict"
    )
    alone: Literal["within", "beyond", "open"] | None = column(
        "The verdict by its own interval; null where it isn't measured."
    )
    counts: bool = column("Whether the config declares it, or declares none.")


@dataclass(frozen=True, kw_only=True)
class UseOnEval(JudgedUse):
    """Whether a model scores as well as the best of those it is compared with, on an eval."""

    eval: str


KINDS = {str: LABEL, int: pa.int32(), float: pa.float64()}
INSIDE = [*columns(pa.float64(), "p_within", "p_beyond", "others"), ("detail", pa.string())]
JUDGED = ("verdict", "alone", "counts")
_types = {one.name: (get_args(one.type) or (one.type,))[0] for one in fields(JudgedUse)}
_measured = [(name, KINDS[kind]) for name, kind in _types.items() if name not in JUDGED]
MEASURED = pa.schema([*_measured, *INSIDE])
CARD = pa.schema([*MEASURED, *columns(LABEL, "verdict", "alone"), ("is_chosen", pa.bool_())])
OF_SCORES = pa.schema([("eval", LABEL), *CARD])
_headed = {one.name: one.metadata for one in fields(JudgedUse) if one.metadata.get("heading")}
HEADINGS = {name: words["heading"] for name, words in _headed.items()}
FORMS = {name: words["form"] for name, words in _headed.items()}
"""Of the columns that page and findings have."""


def measured(simulator: str, use: Use, **more: float | str | None) -> dict:
    """Return the row of a use of a simulator.

    Args:
        simulator: its name.
        use: as measured, by itself.
        more: columns that the use itself doesn't have, such as ``others``, the error of as many
            other people, and ``detail``, what else a reader wants to know, in a few words.
    """
    row = {name: getattr(use, name, None) for name in MEASURED.names}
    row |= {"simulator": simulator, "use": use.name, **more}
    assert row.keys() == {*MEASURED.names}
    return {
        name: None if isinstance(value, float) and np.isnan(value) else value
        for name, value in row.items()
    }


def limit_of(uses: Mapping, name: str, span: float = 1.0) -> float:
    """Return the limit of a use: the config's, or else the usual one.

    Args:
        uses: of the settings of a dataset, complete.
        name: of the use.
        span: the range of the answers' scores.
    """
    return USES[name].limit_of(uses["limits"].get(name), span)
