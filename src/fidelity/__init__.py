"""Quantile curves of the sim-to-real discrepancy, with guarantees.

How far is a simulator from people, and how certain is that? Give people's counts and the
simulator's shares, tables with a row for each scenario and a column for each option. What else is
known of them goes into :class:`Responses` and :class:`Simulator`.

- :func:`mean_discrepancy`: how far it is on average, with an interval. :func:`tail_discrepancy`:
  in the worst scenarios. :func:`mean_difference`: which of two simulators is closer.
- :func:`pseudo_discrepancy`: how far it can be in each scenario. From these bounds,
  :func:`quantile_curve` and :func:`envelope_curve` tell how far it is on which share of scenarios.
- :func:`exact_curve`, :func:`simultaneous_curve`, :func:`marginal_curve`: curves with a guarantee
  at the number of scenarios at hand.
- :func:`scenario_p_values` and :func:`certified_scenarios`: on which scenarios it may be trusted.
- :func:`expected_calibration_error`, :func:`brier_score`: whether stated probabilities come true.
- :mod:`fidelity.prediction`, :mod:`fidelity.correction`, :mod:`fidelity.hybrids`: new scenarios,
  corrected simulators, a few people plus a simulator. :mod:`fidelity.planning`: the next study.
- :mod:`fidelity.structure`: whether answers to different questions go together as people's do.
- :mod:`fidelity.effects`: whether effects of experiments are people's in direction, size and order.
- :mod:`fidelity.regression`: whether a model fitted to simulated persons has people's slopes.
- :mod:`fidelity.vectors`: answers that are points, such as embeddings of texts, and whether they
  can be told apart.
- :mod:`fidelity.uses`: what a simulator may be used for, each use with an error and a limit, and a
  card of all uses at one error rate.

Functions are pure. They take arrays or labelled tables such as pandas', which are matched by their
labels (:mod:`fidelity.inputs`). ``fidelity.DISCREPANCIES`` and ``fidelity.CONFIDENCE_SETS`` list
the discrepancies and confidence sets by name. Names are imported when first used (SPEC 1).

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
