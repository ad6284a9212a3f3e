#!/usr/bin/env python
"""Django's command line, with kenny's settings."""

import gc
import os
import sys

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line


def main() -> None:
    """Run one command. A setting that cannot be used is one line, not a traceback."""
    # The defaults collect again and again while modules load, which frees nothing and costs half a second of the start.
    gc.set_threshold(50_000, 20, 20)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kenny.settings")
    try:
        _ = settings.INSTALLED_APPS
    except ImproperlyConfigured as error:
        sys.exit(f"kenny: {error}")
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
