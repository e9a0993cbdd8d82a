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
"""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from fidelity.uses import USES, Use
from fidelity_study.tables.common import LABEL, columns

MEASURED = pa.schema(
    [
        *columns(LABEL, "simulator", "use"),
        *columns(pa.float64(), "error", "lower", "upper", "limit", "p_within", "p_beyond", "times"),
        *columns(LABEL, "unit", "needs"),
        ("others", pa.float64()),
        ("detail", pa.string()),
    ]
)
CARD = pa.schema([*MEASURED, *columns(LABEL, "verdict", "alone"), ("is_chosen", pa.bool_())])
OF_SCORES = pa.schema([("eval", LABEL), *CARD])


def measured(
    simulator: str, use: Use, *, others: float | None = None, detail: str | None = None
) -> dict:
    """Return the row of a use of a simulator.

    Args:
        simulator: its name.
        use: as measured, by itself.
        others: the error of other people, as many as it is compared with, if that is known.
        detail: what else a reader wants to know, in a few words.
    """
    numbers = ("error", "lower", "upper", "limit", "p_within", "p_beyond", "times")
    known = {name: getattr(use, name) for name in numbers}
    return {
        "simulator": simulator,
        "use": use.name,
        **{name: None if np.isnan(value) else value for name, value in known.items()},
        "unit": use.unit,
        "needs": use.needs,
        "others": others,
        "detail": detail,
    }


def limit_of(uses: Mapping, name: str, span: float = 1.0) -> float:
    """Return the limit of a use: the config's, or else the usual one.

    Args:
        uses: of the settings of a dataset, complete.
        name: of the use.
        span: the range of the answers' scores.
    """
    chosen: float | None = uses["limits"].get(name)
    return USES[name].limit_of(chosen, span)
