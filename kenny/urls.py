"""What is mounted where."""

from django.contrib import admin
from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

urlpatterns = [
    path("", include("chat.page_urls")),
    path("api/", include("history.urls")),
    path("api/chat/", include("chat.urls")),
    path("api/schema", SpectacularAPIView.as_view(), name="schema"),
    path("api/docs", SpectacularSwaggerSplitView.as_view(url_name="schema"), name="api_docs"),
    path("accounts/", include("kenny.accounts.urls")),
    path("admin/", admin.site.urls),
]
