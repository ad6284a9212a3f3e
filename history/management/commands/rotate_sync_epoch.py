"""The step of a restore that tells every device: this server may know less than you do."""

from typing import Any

from django.core.management.base import BaseCommand

from history.feed import rotate_epochs


class Command(BaseCommand):
    help = (
        "Give every account a new sync epoch. Run it after restoring a backup and before serving: devices then offer "
        "again what the server lost instead of dropping it."
    )

    def handle(self, *_args: Any, **_options: Any) -> None:
        count = rotate_epochs()
        self.stdout.write(f"{count} account{'' if count == 1 else 's'} got a new epoch.")
