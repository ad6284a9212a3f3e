"""Build the search index anew from what is stored."""

from typing import Any

from django.core.management.base import BaseCommand

from history.rebuild import rebuild


class Command(BaseCommand):
    help = "Build the search index anew, one conversation at a time; the server may go on running."

    def handle(self, *_args: Any, **_options: Any) -> None:
        count = rebuild()
        self.stdout.write(f"{count} conversation{'' if count == 1 else 's'} indexed.")
