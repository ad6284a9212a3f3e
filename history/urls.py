"""The addresses of history, mounted under /api/."""

from django.urls import path

from history.moving import Export, Import
from history.replay import HistoryList, HistoryOne
from history.views import Bulk, Conversations, Image, OneConversation

# An id is taken as any path, so that one with a slash is refused as an id and in JSON.
urlpatterns = [
    path("conversations", Conversations.as_view(), name="conversations"),
    path("conversations/bulk", Bulk.as_view(), name="conversations_bulk"),
    path("conversations/<str:cid>/images/<str:sha256>", Image.as_view(), name="conversation_image"),
    path("conversations/<path:cid>", OneConversation.as_view(), name="conversation"),
    path("export", Export.as_view(), name="export"),
    path("import", Import.as_view(), name="import"),
    path("chat/history", HistoryList.as_view(), name="history"),
    path("chat/history/<path:cid>", HistoryOne.as_view(), name="history_one"),
]
