"""Settings for all tests."""

import os

from hypothesis import HealthCheck, settings

# Machines are shared and noisy: no test fails for being slow. CI explores the same cases every time.
settings.register_profile(
    "quick",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    max_examples=10,
)
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=150)
settings.load_profile("quick")
