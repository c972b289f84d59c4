"""Voice activity models over 50 steps: each step on onnxruntime's state, and running freely on their own."""

import agreement
import model_table
import numpy as np
import pytest

STEPS = 50
# A free run feeds its own rounding back; these networks forget, so it stays small, but it is no property of one step.
FREE_RUNNING_BOUND = 1e-3


def next_state(model, outputs):
    return {name: outputs[output] for name, (output, _) in model.state.items()}


def stacked(steps, name):
    return np.stack([step[name] for step in steps])


@pytest.mark.parametrize("model", model_table.STREAMING, ids=lambda model: model.label)
def test_fifty_steps_agree_with_onnxruntime(model, model_path, load_model, record):
    models = load_model(model_path(model.name))
    ours, reference, free = [], [], []
    state = own_state = None
    for step in range(STEPS):
        mine, theirs = models.run_both(model_table.streaming_feeds(model, step, state))
        ours.append(mine)
        reference.append(theirs)
        state = next_state(model, theirs)
        free.append(models.run(models.ours, model_table.streaming_feeds(model, step, own_state)))
        own_state = next_state(model, free[-1])
    failures = []
    for name in models.names:
        expected = stacked(reference, name)
        freely = agreement.difference(name, stacked(free, name), expected)
        try:
            found = agreement.require(name, stacked(ours, name), expected, model.bound)
            record(f"{model.label} {name}", f"{found.fraction:.1e}   free-running {freely.fraction:.1e}")
        except agreement.Disagreement as error:
            record(f"{model.label} {name}", f"FAILED   free-running {freely.fraction:.1e}")
            failures.append(str(error))
        if not freely.fraction <= FREE_RUNNING_BOUND:
            failures.append(f"free-running {freely}, allowed {FREE_RUNNING_BOUND:.0e}")
    assert not failures, "\n".join(failures)


def test_rate_chooses_the_branch(model_path, load_model):
    """One session serves both sampling rates, in turn, and gives the same values when it comes back."""
    model16, model8 = (m for m in model_table.STREAMING if m.name == "silero_vad" and m.rows == 1)
    models = load_model(model_path("silero_vad"))
    feeds16, feeds8 = model_table.streaming_feeds(model16, 3), model_table.streaming_feeds(model8, 3)
    first, between, again = (models.run(models.ours, feeds) for feeds in (feeds16, feeds8, feeds16))
    expected8 = models.run(models.reference, feeds8)
    for name in models.names:
        assert np.array_equal(first[name], again[name])
        np.testing.assert_allclose(between[name], expected8[name], atol=2e-5)
    assert not np.allclose(first["output"], between["output"], atol=1e-3)
