"""Quantile curves of the sim-to-real discrepancy, with guarantees.

Pure functions on arrays: no files, no workflow. Rows are scenarios everywhere, columns are options,
simulators or resamples. Tables with labels, such as pandas', are matched by their labels, anything
else by position; see :mod:`fidelity.inputs`. Start with :func:`pseudo_discrepancy` (how far a
simulator can be from people in each scenario) and :func:`quantile_curve` (what that says of
scenarios in general). Names are imported when first used (SPEC 1); the stub beside this file
lists them.

Sources that docstrings cite by a short name; ``docs/references.md`` has the others:

- [QC] Iyengar, Lin, Wang (2025), Model-Free Assessment of Simulator Fidelity via Quantile Curves,
  arXiv 2512.05024; "the paper" is this one.
- [EB] Miller (2024), Adding Error Bars to Evals, arXiv 2411.00640.
- [HM] Huang, Wu, Wang (2025), How Many Human Survey Respondents is a Large Language Model Worth?
  arXiv 2502.17773.
- [SKCE] Widmann, Lindsten, Zachariah (2019), Calibration tests in multi-class classification: a
  unifying framework, NeurIPS 32; and (2021), Calibration tests beyond classification, ICLR.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
