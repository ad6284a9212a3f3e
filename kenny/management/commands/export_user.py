"""`manage.py export_user USER FILE`: an account as one file. Works while the server runs."""

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from history.clock import now_ms
from history.exporting import export
from kenny.management.people import named


class Command(BaseCommand):
    """Write what GET /api/export sends."""

    help = "Write all conversations, images and tombstones of a user into a new zip file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", help="the user's name")
        parser.add_argument("file", type=Path, help="the file to make; it must not exist")

    def handle(self, *_args: Any, **options: Any) -> None:
        user, path = named(options["user"]), options["file"]
        try:
            # Readable by this account alone, whatever the umask: it holds everything somebody said.
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            raise CommandError(f"The file cannot be made: {error.strerror}.") from error
        try:
            with os.fdopen(descriptor, "wb") as file:
                for piece in export(user.pk, account=user.get_username(), now=now_ms()):
                    file.write(piece)
        except BaseException:
            path.unlink()
            raise
        self.stdout.write(f"{user.get_username()} is in {path}.")
