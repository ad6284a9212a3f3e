"""The product's settings, in a data folder of the test run's own."""

import os
import tempfile

os.environ.setdefault("KENNY_DATA_DIR", tempfile.mkdtemp(prefix="kenny-tests-"))
os.environ.setdefault("KENNY_SECRET_KEY", "tests-only-secret-key-that-is-long-enough-for-every-check-0123456789")

from kenny.settings import *  # noqa: E402, F403  the environment above must be set first

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
