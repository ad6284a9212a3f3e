"""How often one caller may ask. The figures stand in settings and never refuse 1,000 requests and 60 sends a minute."""

from django.core.cache import caches
from rest_framework.throttling import AnonRateThrottle, ScopedRateThrottle, UserRateThrottle


class UserRate(UserRateThrottle):
    """All requests of one account."""

    cache = caches["throttle"]


class StrangerRate(AnonRateThrottle):
    """All requests without credentials from one address."""

    cache = caches["throttle"]


class ScopeRate(ScopedRateThrottle):
    """Requests to views with a `throttle_scope`, such as `send`."""

    cache = caches["throttle"]
