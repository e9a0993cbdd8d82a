"""Quantile curves of the sim-to-real discrepancy, with guarantees.

How far is a simulator from people, and how certain is that? Give people's counts and the
simulator's shares, tables with a row for each scenario and a column for each option. What else is
known of them goes into :class:`Responses` and :class:`Simulator`.

The ten functions that most studies need:

============================= ===========================================================
:func:`mean_discrepancy`      How far is a simulator from people, on average?
:func:`mean_differences`      Which of several simulators is closer to people?
:func:`people_reference`      How far would other people be?
:func:`tail_discrepancy`      How far is it on the worst questions?
:func:`scenario_lists`        On which questions is it near enough, and on which too far?
:func:`pseudo_discrepancy`    How near and how far can it be on each question?
:func:`exact_curve`           How far is it at most on each share of questions?
:func:`calibration_error_bar` Do its stated probabilities come true?
:func:`score_difference`      Which of two models scores higher in an evaluation?
:func:`people_needed`         How many more people make the answer precise enough?
============================= ===========================================================

All of the library, by modules; the most used names can be imported from here:

- :mod:`fidelity.baselines`: guesses that a simulator ought to beat, from people's answers or
  from wordings.
- :mod:`fidelity.calibration`: whether stated probabilities come true, and proper scores.
- :mod:`fidelity.comparison`: who is closer, on which questions; error bars of scores; versions
  of a simulator.
- :mod:`fidelity.correction`: simulators corrected by people's answers to other questions.
- :mod:`fidelity.curves`: how far a simulator is on which share of questions, with guarantees.
- :mod:`fidelity.designs`: survey designs: strata, sampling units, replicate weights.
- :mod:`fidelity.discrepancies`: the distances between people's shares and a simulator's.
- :mod:`fidelity.effects`: whether effects of experiments are people's in direction, size and
  order.
- :mod:`fidelity.hybrids`: a few people and a simulator together.
- :mod:`fidelity.means`: mean distances, with intervals that need no confidence set.
- :mod:`fidelity.planning`: how many people, questions and draws the next study needs.
- :mod:`fidelity.prediction`: where people's answers to a new question may lie.
- :mod:`fidelity.regression`: whether a model fitted to simulated persons has people's slopes.
- :mod:`fidelity.sets`: confidence sets of people's shares in one question.
- :mod:`fidelity.structure`: whether answers to different questions go together as people's do.
- :mod:`fidelity.uses`: what a simulator may be used for, all uses at one error rate.
- :mod:`fidelity.vectors`: answers that are points, such as embeddings of texts, and whether they
  can be told apart.

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
