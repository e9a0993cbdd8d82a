"""A test that a study decides."""


def test_the_model_is_close_to_people(fidelity_study):
    """Its mean distance is shown to be at most 0.3."""
    fidelity_study.check(mean_at_most=0.3)
