"""What is mounted where."""

from django.contrib import admin
from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

import kenny.described  # noqa: F401  registers what it describes

urlpatterns = [
    path("", include("chat.page_urls")),
    path("", include("chat.urls")),
    path("api/", include("history.urls")),
    path("api/schema", SpectacularAPIView.as_view(), name="schema"),
    path("api/docs", SpectacularSwaggerSplitView.as_view(url_name="schema"), name="api_docs"),
    path("accounts/", include("kenny.accounts.urls")),
    path("admin/", admin.site.urls),
]
handler400 = "kenny.failures.bad_request"
handler403 = "kenny.failures.forbidden"
handler404 = "kenny.failures.not_found"
handler500 = "kenny.failures.server_error"
