"""Pages of the client, mounted at the root of the site."""

from django.urls import path

from chat import pages

urlpatterns = [
    path("", pages.page, name="chat"),
    path("c/<str:conversation_id>", pages.page, name="conversation"),
]
