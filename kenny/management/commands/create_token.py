"""`manage.py create_token USER`: an API token, printed once. Works while the server runs."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from kenny.accounts import tokens


class Command(BaseCommand):
    """Make a token; its text is the last word printed."""

    help = "Make an API token for a user and print it. The last printed word is the token."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", help="the user's name")
        parser.add_argument("--name", default="command line", help="what the token is for")
        parser.add_argument("--days", type=int, help="days until it expires (default: it does not)")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print one line whose last word is the token."""
        user = User.objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError("There is no user of that name.")
        if not user.is_active:
            raise CommandError("That user is deactivated.")
        lifetime = timedelta(days=options["days"]) if options["days"] else None
        row, token = tokens.make(user, name=options["name"][:100], lifetime=lifetime)
        self.stdout.write(f"Token “{row.name}” of {user.get_username()}, shown only now: {token}")
