"""`manage.py serve`: everything between an empty folder and a running server, without a question."""

from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection

from kenny import databases, datadir, life, serve
from kenny.accounts import first
from kenny.asgi import application


class Command(BaseCommand):
    """Check, migrate, make or announce the first account, serve."""

    help = "Prepare the data folder and the database, then serve on KENNY_HOST:KENNY_PORT."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Serve until SIGTERM or SIGINT."""
        try:
            self._prepare()
        except datadir.Occupied as error:
            raise CommandError("KENNY_DATA_DIR is in use: another server runs on it.") from error
        except ImproperlyConfigured as error:
            raise CommandError(str(error)) from error
        except DatabaseError as error:
            raise CommandError(
                f"DATABASE_URL: the database cannot be used: {str(error).splitlines()[0]}"
            ) from error
        failed = serve.run(
            application,
            life=life,
            host=settings.KENNY_HOST,
            port=settings.KENNY_PORT,
            announce=self._announce,
        )
        if failed:
            raise CommandError(f"KENNY_HOST, KENNY_PORT: {failed}")

    def _prepare(self) -> None:
        if connection.vendor == "sqlite":
            datadir.lock(settings.KENNY_DATA_DIR)
        with databases.alone():
            call_command("migrate", verbosity=0, interactive=False, skip_checks=True)
            call_command("createcachetable", verbosity=0)
            self._first_account()
        databases.check()
        connection.close()

    def _first_account(self) -> None:
        if not first.needed():
            return
        user = first.from_environment()
        if user is not None:
            self._say(f"The first account is {user.get_username()}.")
        else:
            self._say(
                f"Nobody has an account yet. Make the first one here, once: {first.new_link()}"
            )

    def _announce(self) -> None:
        self._say(f"kenny is at {settings.KENNY_BASE_URL} (Ctrl-C stops it)")

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
