"""`manage.py erase_user USER`: an account and everything of it, gone. Works while the server runs."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from history.clock import now_ms
from kenny.accounts.erasing import erase_account
from kenny.management.people import named
from kenny.upkeep import clean_files


class Command(BaseCommand):
    """Ask once, erase, and clean the database's files."""

    help = "Erase a user with all conversations, images, files, tokens and sessions. There is no way back."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", help="the user's name")
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def handle(self, *_args: Any, **options: Any) -> None:
        user = named(options["user"])
        name = user.get_username()
        if not options["yes"] and input(f"Erase {name}? Type the name again: ") != name:
            raise CommandError("Nothing was erased.")
        try:
            erase_account(user, now=now_ms())
        except OSError as error:
            raise CommandError(
                f"A file cannot be removed: {error.strerror}. Run it again."
            ) from error
        self.stdout.write(f"{name} is erased.")
        if not clean_files():
            self.stdout.write(
                "The log is in use; the words leave it with the next deletion or stop."
            )
