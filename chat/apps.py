"""The floor that acts."""

from django.apps import AppConfig


class ChatConfig(AppConfig):
    name = "chat"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Have history call down: it imports nobody."""
        from chat import doors, preferences  # noqa: PLC0415  as below
        from chat.hints import on_change  # noqa: PLC0415  the models are not ready when this file is imported
        from chat.tools import workspace  # noqa: PLC0415  as below
        from chat.wipe import wipe  # noqa: PLC0415  as above
        from history import hooks  # noqa: PLC0415  as above

        hooks.wipe.append(wipe)
        hooks.changed.append(on_change)
        hooks.erase.append(workspace.discard)
        hooks.standing.append(doors.stand)
        hooks.belongings["preferences"] = (preferences.take_out, preferences.put_back)
