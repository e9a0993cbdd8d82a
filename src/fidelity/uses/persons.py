"""Single persons: whether a twin misses its own person's answers less often than others' twins."""

from functools import partial

from fidelity.structure.twins import HITS, TwinAgreement, misses_over_others
from fidelity.uses.base import USES, UseKind
from fidelity.uses.ends import Linear


@USES.add
class Persons(UseKind):
    """Misses of the own twin over those of others' twins."""

    name = "persons"
    question = "May a twin answer for its person?"
    unit = "misses over those of others' twins"
    limit = 0.9
    brings = "answers of the same persons on both sides"
    more = "persons"

    def ends(self, twins: TwinAgreement, *, measure: str = HITS) -> Linear:
        """Return Fieller's set of :func:`fidelity.structure.misses_over_others`.

        Args:
            twins: of :func:`fidelity.structure.twin_agreement`, called with ``measure``.
            measure: ``hits`` or ``absolute``.
        """

        return Linear(partial(misses_over_others, twins, measure=measure))
