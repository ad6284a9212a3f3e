"""Headers of every answer: what a page may load, who may frame it, what may be cached."""

from typing import Any

from csp.constants import NONE, SELF
from csp.middleware import CSPMiddleware, PolicyParts
from django.http import HttpRequest, HttpResponseBase

PAGE_POLICY: dict[str, Any] = {
    "default-src": [NONE],
    "script-src": [SELF],
    "style-src": [SELF],
    "img-src": [SELF, "blob:"],
    "connect-src": [SELF],
    "manifest-src": [SELF],
    "form-action": [SELF],
    "base-uri": [NONE],
    "frame-ancestors": [NONE],
    # No HTML string may become nodes: a sink throws instead.
    "require-trusted-types-for": ["'script'"],
    "trusted-types": [NONE],
}
WITHOUT_TRUSTED_TYPES = {
    key: value for key, value in PAGE_POLICY.items() if "trusted-types" not in key
}
# The admin's jQuery writes innerHTML.
ADMIN_POLICY = WITHOUT_TRUSTED_TYPES | {"img-src": [SELF, "data:"]}
# Swagger UI sets style attributes and draws its icons from data: URLs. It shows no words of a model.
API_DOCS_POLICY = ADMIN_POLICY | {"style-src": [SELF, "'unsafe-inline'"]}
# The picture of a second factor's secret must not be fetched by a URL of its own.
SECOND_FACTOR_POLICY = PAGE_POLICY | {"img-src": [SELF, "data:"]}

BY_PREFIX = {
    "/admin/": ADMIN_POLICY,
    "/api/docs": API_DOCS_POLICY,
    "/accounts/2fa/totp/": SECOND_FACTOR_POLICY,
}
PERMISSIONS_POLICY = ", ".join(
    f"{feature}=()"
    for feature in (
        "accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer", "microphone",
        "midi", "payment", "publickey-credentials-get", "usb", "xr-spatial-tracking",
    )
)  # fmt: skip


class HeadersMiddleware(CSPMiddleware):
    """The content policy by path, `Permissions-Policy`, and `no-store` unless a view said otherwise."""

    def get_policy_parts(
        self,
        request: HttpRequest,
        response: HttpResponseBase,
        report_only: bool = False,  # noqa: FBT001, FBT002  the parent's signature
    ) -> PolicyParts:
        parts = super().get_policy_parts(request, response, report_only)
        if parts.config is None and not report_only:
            parts.config = _policy_of(request.path_info)
        return parts

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        response = super().process_response(request, response)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS_POLICY)
        response.headers.setdefault("Cache-Control", "no-store")
        return response


def _policy_of(path: str) -> dict[str, Any]:
    for prefix, policy in BY_PREFIX.items():
        if path.startswith(prefix):
            return policy
    return PAGE_POLICY
