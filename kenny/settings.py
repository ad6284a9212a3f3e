"""Every setting of kenny, read from the environment once; a wrong value stops the start."""

from pathlib import Path

import environ
from django.core.management.utils import get_random_secret_key

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.FileAwareEnv()

DEBUG = env.bool("KENNY_DEBUG", default=False)
KENNY_DATA_DIR = Path(env.str("KENNY_DATA_DIR", default=str(BASE_DIR / "data"))).resolve()
KENNY_HOST = env.str("KENNY_HOST", default="127.0.0.1")
KENNY_PORT = env.int("KENNY_PORT", default=8000)
KENNY_BASE_URL = env.str("KENNY_BASE_URL", default=f"http://{KENNY_HOST}:{KENNY_PORT}")
KENNY_SIGNUP = env.str("KENNY_SIGNUP", default="closed")
KENNY_MODEL = env.str("KENNY_MODEL", default="claude-sonnet-5-5")
KENNY_MAX_ROUNDS = env.int("KENNY_MAX_ROUNDS", default=40)
KENNY_APPROVAL_TTL = env.int("KENNY_APPROVAL_TTL", default=86400)
KENNY_MAX_BODY = env.int("KENNY_MAX_BODY", default=32 * 1024 * 1024)
ANTHROPIC_API_KEY = env.str("ANTHROPIC_API_KEY", default="")
ANTHROPIC_BASE_URL = env.str("ANTHROPIC_BASE_URL", default="")
SECRET_KEY = env.str("KENNY_SECRET_KEY", default="") or get_random_secret_key()
ALLOWED_HOSTS = ["*"]

INSTALLED_APPS = [
    "daphne",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "rest_framework",
    "knox",
    "allauth",
    "allauth.account",
    "kenny",
    "chat",
    "history",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]
ROOT_URLCONF = "kenny.urls"
ASGI_APPLICATION = "kenny.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
DATABASES = {
    "default": env.db_url("DATABASE_URL", default=f"sqlite:///{KENNY_DATA_DIR}/kenny.sqlite3")
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": (
            "PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL;PRAGMA foreign_keys=ON;"
            "PRAGMA secure_delete=ON;PRAGMA journal_size_limit=67108864;"
        ),
    }
CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["knox.auth.TokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "EXCEPTION_HANDLER": "history.api.exception_handler",
}
REST_KNOX = {"AUTH_HEADER_PREFIX": "Bearer", "TOKEN_TTL": None, "TOKEN_PREFIX": "kny_"}
USE_TZ = True
TIME_ZONE = "UTC"
STATIC_URL = "/static/"
DATA_UPLOAD_MAX_MEMORY_SIZE = KENNY_MAX_BODY
LOGIN_URL = "/accounts/login/"
