"""The addresses of history, mounted under /api/."""

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from history.moving import Export, Import
from history.replay import HistoryList, HistoryOne
from history.views import Bulk, Conversations, Image, OneConversation


class AnyConverter(StringConverter):
    """Takes whatever stands there, slashes and line ends too, so that it is refused as an id and in JSON."""

    regex = "(?s:.+)"


register_converter(AnyConverter, "any")

urlpatterns = [
    path("conversations", Conversations.as_view(), name="conversations"),
    path("conversations/bulk", Bulk.as_view(), name="conversations_bulk"),
    path("conversations/<str:cid>/images/<str:sha256>", Image.as_view(), name="conversation_image"),
    path("conversations/<any:cid>", OneConversation.as_view(), name="conversation"),
    path("export", Export.as_view(), name="export"),
    path("import", Import.as_view(), name="import"),
    path("chat/history", HistoryList.as_view(), name="history"),
    path("chat/history/<any:cid>", HistoryOne.as_view(), name="history_one"),
]
