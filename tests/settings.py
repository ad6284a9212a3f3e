"""The product's settings, in a data folder of the test run's own.

SQLite in a file, as in production. KENNY_TEST_DATABASE_URL=postgres://user@host/name runs the same tests there, in a
test database of this process's own.
"""

import os
import tempfile

os.environ.setdefault("KENNY_DATA_DIR", tempfile.mkdtemp(prefix="kenny-tests-"))
os.environ.setdefault(
    "KENNY_SECRET_KEY", "tests-only-secret-key-that-is-long-enough-for-every-check-0123456789"
)
if "KENNY_TEST_DATABASE_URL" in os.environ:
    os.environ["DATABASE_URL"] = os.environ["KENNY_TEST_DATABASE_URL"]
else:
    os.environ.pop("DATABASE_URL", None)

from kenny.settings import *  # noqa: F403  the environment above must be set first
from kenny.settings import DATABASES, KENNY_DATA_DIR

if DATABASES["default"]["ENGINE"] == "kenny.sqlite":
    # Without a name Django tests in memory, where neither WAL nor a second process exists.
    DATABASES["default"]["TEST"] = {"NAME": str(KENNY_DATA_DIR / "tests.sqlite3")}
else:
    DATABASES["default"]["TEST"] = {"NAME": f"test_{DATABASES['default']['NAME']}_{os.getpid()}"}

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# knox's migrations make a table for the token model that kenny replaces; no app owns it, so that PostgreSQL cannot
# empty the tables between tests.
MIGRATION_MODULES = {"knox": None}
