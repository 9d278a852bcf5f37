"""Time decides no test, however slow or busy the machine is."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("untimed", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")
