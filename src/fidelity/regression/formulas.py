"""The columns of a formula for people and a simulator, from facts on persons.

Formulas are read by formulaic, with pandas; both are in the extra ``study``.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, BoolArray, FloatArray

APART, FEWEST = 0.25, 2


class CommonColumns(NamedTuple):
    """The columns of a formula's right side for both sides, in levels that both have.

    Attributes:
        people, simulator: a row for each person, and each run, that is kept, (n, J) and (m, J).
        names, terms: of the columns, J, as :class:`fidelity.regression.Covariates` takes them.
        kept: which persons, and which runs.
        left_out: which were left out and why, in words.
    """

    people: FloatArray
    simulator: FloatArray
    names: list[str]
    terms: list[str]
    kept: list[BoolArray]
    left_out: list[str]

    def means_apart(self, weights: ArrayLike) -> Iterator[str]:
        """Yield which columns have another mean among the simulator's persons, in words.

        By more than a quarter of their spread among people.

        Args:
            weights: of the people who are kept, (n,).
        """
        share = inputs.vector("weights", weights, inputs.FINITE_POSITIVE, len(self.people))
        share = share / share.sum()
        means = share @ self.people, self.simulator.mean(0)
        spread = np.sqrt(share @ (self.people - means[0]) ** 2)
        for name, mean, other, size in zip(self.names, *means, spread, strict=True):
            if abs(other - mean) > APART * size:
                yield f"mean of {name}: people {mean:.3g}, its persons {other:.3g}"


def common_columns(
    right: str, people: Any, simulator: Any, *, same_persons: bool = False
) -> CommonColumns:
    """Return the columns of the right side of a formula for people and a simulator's persons.

    Rows with a fact that is not known are left out, and those with a level that the other side
    lacks. A fact whose values all are numbers is one; else its levels are a factor's, the base that
    which most people have. The intercept is left out: :class:`fidelity.regression.Covariates`
    adds it.

    Args:
        right: of the formula, such as ``age * party``.
        people: the facts that it names, a table or dict of columns with a row a person; None where
            not known.
        simulator: the same of a simulator's runs.
        same_persons: whether row i is the same person on both sides, who is left out on both.

    Raises:
        ValueError: if a fact has no two levels that both sides have.

    Examples:
        >>> from fidelity.regression import common_columns
        >>> people = {"age": [31, 52, 47, 68], "party": ["Left", "Left", "Right", "Green"]}
        >>> simulator = {"age": [40, 41, None], "party": ["Left", "Right", "Right"]}
        >>> columns = common_columns("age + party", people, simulator)
        >>> columns.names, columns.people.tolist()
        (['age', 'party Right'], [[31.0, 0.0], [52.0, 0.0], [47.0, 1.0]])
        >>> columns.left_out[1]
        'left out, as one side alone has it: party Green'
    """
    import pandas as pd
    from formulaic import model_matrix  # half a second

    def is_number(texts: Any) -> bool:
        return bool(pd.to_numeric(texts, errors="coerce").notna().all())

    def on_both(rows: list[BoolArray]) -> list[BoolArray]:
        return [rows[0] & rows[1]] * 2 if same_persons else rows

    sides = [
        pd.DataFrame(side, dtype=object).reset_index(drop=True) for side in (people, simulator)
    ]
    kept = on_both([side.notna().all(axis=1).to_numpy() for side in sides])
    lost = [int((~rows).sum()) for rows in kept]
    notes = (
        [f"left out as a fact is not known: people {lost[0]}, runs {lost[1]}"] if any(lost) else []
    )
    for name in sides[0]:
        texts = [side[name][rows].astype(str) for side, rows in zip(sides, kept, strict=True)]
        if all(map(is_number, texts)):
            continue
        one, other = map(set, texts)
        if len(one & other) < FEWEST:
            raise ValueError(f"{name} has no {FEWEST} levels that both sides have")
        if one ^ other:
            alone = ", ".join(sorted(one ^ other))
            notes.append(f"left out, as one side alone has it: {name} {alone}")
        is_common = [side[name].astype(str).isin(one & other).to_numpy() for side in sides]
        kept = on_both([rows & common for rows, common in zip(kept, is_common, strict=True)])
    shown = [side[rows].astype(str) for side, rows in zip(sides, kept, strict=True)]
    facts = pd.concat(shown, ignore_index=True)
    for name in facts:
        facts[name] = (
            pd.to_numeric(facts[name])
            if is_number(facts[name])
            else pd.Categorical(facts[name], list(shown[0][name].value_counts().index))
        )
    matrix = model_matrix(right, facts)
    term_of = {
        place: str(term)
        for term, places in matrix.model_spec.term_indices.items()
        for place in places
    }
    at = [place for place, name in enumerate(matrix.columns) if name != "Intercept"]
    table, many = np.asarray(matrix, float)[:, at], int(kept[0].sum())
    names = [_plain(str(matrix.columns[place])) for place in at]
    terms = [term_of[place] for place in at]
    return CommonColumns(table[:many], table[many:], names, terms, kept, notes)


def _plain(column: str) -> str:
    """Return the name of a column without formulaic's signs: ``party[T.Left]`` is ``party Left``.

    Examples:
        >>> _plain("party[T.Left]:age"), _plain("C(wave)[T.2]")
        ('party Left:age', 'C(wave) 2')
    """
    return column.replace("[T.", " ").replace("]", "")
