"""The showcases do what they say."""

import numpy as np
import pytest
from examples.optimal import fit_knee


@pytest.mark.slow
def test_the_knee_is_found_from_markers():
    fit = fit_knee.main()
    assert fit.rms == pytest.approx(1.0, abs=0.1)  # in deviations of the noise
    for k, c in enumerate(fit_knee.WAY):
        name = f"shin/joint/c{k}"
        assert abs(fit.values[name] - c) < 5 * fit.uncertainty[name]
    assert fit.values["foot/mass"] == pytest.approx(0.9, abs=5 * fit.uncertainty["foot/mass"])
    assert np.isfinite(fit.fitted).all()
