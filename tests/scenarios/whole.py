"""Everything that history keeps, as plain values: equal before and after means that nothing at all was written."""

from typing import Any

from django.apps import apps

Rows = dict[str, list[dict[str, Any]]]


def rows() -> Rows:
    """Return every row of every table of history, images and search index included."""
    return {
        model.__name__: [
            {name: _plain(value) for name, value in row.items()}
            for row in model._default_manager.order_by("pk").values()
        ]
        for model in apps.get_app_config("history").get_models()
    }


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, memoryview) else value
