"""How often one caller may ask. The figures stand in settings and never refuse 1,000 requests and 60 sends a minute.

Strangers are not counted: every view refuses them before its throttles are asked, at the price of one query.
"""

from django.core.cache import caches
from rest_framework.throttling import ScopedRateThrottle, UserRateThrottle


class UserRate(UserRateThrottle):
    """All requests of one account."""

    cache = caches["throttle"]


class ScopeRate(ScopedRateThrottle):
    """Requests to views with a `throttle_scope`, such as `send`."""

    cache = caches["throttle"]
