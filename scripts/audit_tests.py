"""Measure type I error and power of every test, and of tests where they are known to be wrong."""

from fidelity.stream import stream
from fidelity_audit.hypothesis_tests import TESTS
from fidelity_audit.rejection import HypothesisTest, rejections
from fidelity_study.run.script import run
from fidelity_study.tables.audit_tests import AUDIT_TESTS
from fidelity_study.tables.read_write import write_rows


def main(snakemake):
    step = snakemake.params.step
    rows = [
        {**described(test), **measured(test, effect, test.at_most(step["studies"]), step["seed"])}
        for test in TESTS.values()
        for effect in (0.0, *test.effects)
    ]
    write_rows(snakemake.output[0], rows, AUDIT_TESTS, step)


def described(test: HypothesisTest) -> dict:
    """Return each test, its simulated studies, and the promised rejection rate."""
    least, most = test.sizes
    return {
        "test": test.name,
        "function": f"{test.function.__module__}.{test.function.__name__}",
        "title": test.title,
        "hypothesis": test.population.hypothesis,
        "cases": test.population.cases,
        "promise": test.promise,
        "least": least,
        "most": most,
        "alternative": test.population.alternative,
    }


def measured(test: HypothesisTest, effect: float, studies: int, seed: int) -> dict:
    """Return how often the test rejects, from a stream of its own; a power has no p-value."""
    generator = stream(seed, "audit", "tests", test.name, str(effect))
    found = rejections(test, effect, studies, generator)
    return {
        "effect": effect,
        "studies": studies,
        "rejected": found.share,
        "standard_error": found.standard_error,
        "low": found.low,
        "high": found.high,
        "p_value": None if effect else found.p_value,
    }


run(main, snakemake)
