"""`manage.py import_user USER FILE`: an export back into an account. Works while the server runs."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from history.clock import now_ms
from history.errors import Refused
from history.importing import take
from history.unpacking import Archive
from kenny.management.people import named


class Command(BaseCommand):
    """Do what POST /api/import does, without its limits: the file is the operator's own."""

    help = "Take a user's export into an account; what is there already is skipped."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", help="the user's name")
        parser.add_argument("file", type=Path, help="a file that an export made")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print what became of the file; fail when something could not be taken."""
        user = named(options["user"])
        try:
            with options["file"].open("rb") as file:
                taken = take(user.pk, Archive(file, limits=None), limits=None, now=now_ms())
        except OSError as error:
            raise CommandError(f"The file cannot be read: {error.strerror}.") from error
        except Refused as refusal:
            raise CommandError(refusal.message) from refusal
        for old, new in taken.renamed.items():
            self.stdout.write(f"{old} came in as {new}.")
        for item in taken.refused:
            where = item.get("id") or f"line {item['line']}"
            self.stderr.write(f"{where}: {item['message']}")
        self.stdout.write(f"{taken.count} stored, {len(taken.skipped)} there already.")
        if taken.refused:
            raise CommandError(f"{len(taken.refused)} could not be taken.")
