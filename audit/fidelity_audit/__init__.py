"""The library checked against known truth: wrong formulas, size and power of tests.

Populations are those of the dataset ``synthetic``, whose folder ``fidelity_study.root`` finds.
"""

import fidelity_study.root  # noqa: F401
