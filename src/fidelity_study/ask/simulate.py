"""Ask a language model what people were asked, and keep every raw answer."""

from functools import partial

from fidelity_study.ask.client import ask
from fidelity_study.ask.collect import ASKED, asked_table, is_cut
from fidelity_study.ask.prompts import plan, scenarios_from
from fidelity_study.ask.store import KEPT, Store
from fidelity_study.tables.ingest import PERSONAS, SCENARIOS
from fidelity_study.tables.read_write import read, write


def main(snakemake):
    """Ask a language model."""
    step = snakemake.params.step
    scenarios = read(snakemake.input.scenarios, SCENARIOS)
    personas = read(snakemake.input.personas, PERSONAS)
    prompts = plan(step, scenarios_from(scenarios, personas))
    store = Store(KEPT / step["dataset"] / step["simulator"])
    mode = step["asks"]["mode"]
    is_lost = partial(is_cut, mode)
    notes = ask(prompts, store, step["runs"], snakemake.threads, is_cut=is_lost)
    settings = {key: value for key, value in step.items() if key != "runs"}
    table = asked_table(prompts, store.answers, mode)
    write(snakemake.output[0], table, ASKED, settings)
    return [f"{step['dataset']}, {step['simulator']}: {note}" for note in notes]
