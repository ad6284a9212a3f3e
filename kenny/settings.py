"""Every setting of kenny, read from the environment once; a deployment differs by its environment only.

docs/configuration.md lists the variables. A wrong value stops the start with one line that names the variable.
"""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from kenny import components, databases, datadir, environment, logs, prices, security, static

BASE_DIR = Path(__file__).resolve().parent.parent

# The product's own

KENNY_DATA_DIR = datadir.prepare(
    Path(environment.text("KENNY_DATA_DIR", default=str(BASE_DIR / "data"))).expanduser().resolve()
)
KENNY_HOST = environment.text("KENNY_HOST", default="127.0.0.1")
KENNY_PORT = environment.number("KENNY_PORT", default=8000, least=1, most=65535)
_default_url = f"http://{f'[{KENNY_HOST}]' if ':' in KENNY_HOST else KENNY_HOST}:{KENNY_PORT}"
KENNY_ORIGINS = environment.origins("KENNY_BASE_URL", default=_default_url)
KENNY_BASE_URL = KENNY_ORIGINS[0]
KENNY_SIGNUP = environment.choice("KENNY_SIGNUP", default="closed", among=("closed", "open"))
KENNY_MODELS = environment.words("KENNY_MODELS")
_default_model = "claude-sonnet-5-5"
if KENNY_MODELS and _default_model not in KENNY_MODELS:
    _default_model = KENNY_MODELS[0]
KENNY_MODEL = environment.text("KENNY_MODEL", default=_default_model)
if KENNY_MODELS and KENNY_MODEL not in KENNY_MODELS:
    raise ImproperlyConfigured("KENNY_MODEL must be one of KENNY_MODELS.")
KENNY_PRICES = prices.table("KENNY_PRICES")
KENNY_MAX_TURNS = environment.number("KENNY_MAX_TURNS", default=60, least=1, most=10_000)
KENNY_MAX_ROUNDS = environment.number("KENNY_MAX_ROUNDS", default=40, least=1, most=1000)
KENNY_APPROVAL_TTL = environment.number(
    "KENNY_APPROVAL_TTL", default=86400, least=1, most=31_536_000
)
KENNY_MAX_BODY = environment.number(
    "KENNY_MAX_BODY", default=32 * 1024 * 1024, least=1024, most=1024**3
)
KENNY_REQUESTS_PER_MINUTE = environment.number(
    "KENNY_REQUESTS_PER_MINUTE", default=3000, least=1, most=10**6
)
KENNY_SENDS_PER_MINUTE = environment.number(
    "KENNY_SENDS_PER_MINUTE", default=120, least=1, most=10**6
)
KENNY_GRACE = environment.number("KENNY_GRACE", default=5, least=0, most=600)
KENNY_LEASE_SECONDS = environment.number("KENNY_LEASE_SECONDS", default=30, least=2, most=600)
ANTHROPIC_API_KEY = environment.text("ANTHROPIC_API_KEY")
ANTHROPIC_BASE_URL = environment.url("ANTHROPIC_BASE_URL", schemes=("https", "http"))
DEBUG = environment.flag("KENNY_DEBUG", default=False)

# Secrets, hosts and everything that follows from the base URL

SECRET_KEY = environment.text("KENNY_SECRET_KEY") or datadir.secret_key(KENNY_DATA_DIR)
if len(SECRET_KEY) < 32:
    raise ImproperlyConfigured("KENNY_SECRET_KEY must have at least 32 characters.")
SECRET_KEY_FALLBACKS = environment.words("KENNY_SECRET_KEY_FALLBACKS")

_https = KENNY_BASE_URL.startswith("https://")
# Without a base URL, the names of this machine's loopback are one place to a person.
if _default_url == KENNY_BASE_URL and not environment.text("KENNY_BASE_URL"):
    KENNY_ORIGINS += [f"http://{name}:{KENNY_PORT}" for name in ("127.0.0.1", "localhost")]
    KENNY_ORIGINS = [origin.removesuffix(":80") for origin in dict.fromkeys(KENNY_ORIGINS)]
ALLOWED_HOSTS = list(
    dict.fromkeys(
        [str(urlsplit(origin).hostname) for origin in KENNY_ORIGINS]
        + ["127.0.0.1", "localhost", "[::1]"]
    )
)
CSRF_TRUSTED_ORIGINS = KENNY_ORIGINS
# TLS ends at a proxy in front; how many proxies there are decides which X-Forwarded-For entry is believed.
KENNY_PROXIES = environment.number("KENNY_PROXIES", default=int(_https), least=0, most=10)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if _https else None
SECURE_SSL_REDIRECT = _https
SECURE_HSTS_SECONDS = 31_536_000 if _https else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = _https
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _https
SESSION_COOKIE_NAME = "__Host-sessionid" if _https else "sessionid"
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "kenny.failures.csrf"
CONTENT_SECURITY_POLICY = {"DIRECTIVES": security.PAGE_POLICY}

# What is installed and mounted

INSTALLED_APPS = [
    "kenny",
    "kenny.accounts",
    "chat",
    "history",
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
    "allauth.mfa",
    "allauth.usersessions",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "csp",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "kenny.static.StaticMiddleware",
    "kenny.security.HeadersMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "kenny.language.LanguageMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    # Synchronous and last: so the whole chain runs in one hop to a thread instead of two for each middleware.
    "kenny.accounts.sessions.SeenMiddleware",
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
                "kenny.context.page",
            ]
        },
    }
]
USE_I18N = True
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [BASE_DIR / "locale"]
LANGUAGE_COOKIE_NAME = "language"
LANGUAGE_COOKIE_AGE = 31_536_000  # seconds
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_SECURE = _https
USE_TZ = True
TIME_ZONE = "UTC"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

STATIC_URL = f"/static/{static.digest([BASE_DIR / 'kenny/static', BASE_DIR / 'chat/static'])}/"
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_IMMUTABLE_FILE_TEST = static.always_immutable
WHITENOISE_ALLOW_ALL_ORIGINS = False

# Where things are kept

DATABASES: dict[str, dict[str, Any]] = {
    "default": databases.configured(
        environment.database("DATABASE_URL", default=KENNY_DATA_DIR / "kenny.sqlite3"),
        pool=environment.number("KENNY_DB_POOL", default=20, least=12, most=1000),
    )
}
REDIS_URL = environment.url("REDIS_URL", schemes=("redis", "rediss", "unix"))
if REDIS_URL:
    CHANNEL_LAYERS: dict[str, dict[str, Any]] = {
        "default": {
            "BACKEND": "channels_redis.core.RedisChannelLayer",
            # The layer waits 5 s at a time for a message, which is redis-py's own limit for any answer.
            "CONFIG": {"hosts": [{"address": REDIS_URL, "socket_timeout": 15}]},
        }
    }
    _shared: dict[str, Any] = {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
    }
else:
    CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
    # In the database, so that limits on sign-in hold over several processes and through a restart.
    _shared = {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "kenny_cache"}
CACHES = {
    "default": _shared | {"KEY_PREFIX": "kenny"},
    # Counted at every request: a process counts for itself, which needs no commit.
    "throttle": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "throttle",
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    },
}
DATA_UPLOAD_MAX_MEMORY_SIZE = KENNY_MAX_BODY
FILE_UPLOAD_PERMISSIONS = 0o600

# Accounts

LOGIN_URL = "/accounts/login/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = LOGIN_URL
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
PASSWORD_HASHERS = [
    "kenny.accounts.hashers.BoundedArgon2",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
    )
]
ACCOUNT_ADAPTER = "kenny.accounts.adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_EMAIL_NOTIFICATIONS = False
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_LOGOUT_REDIRECT_URL = LOGIN_URL
ACCOUNT_USER_DISPLAY = "kenny.accounts.adapter.display"
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if _https else "http"
ALLAUTH_TRUSTED_PROXY_COUNT = KENNY_PROXIES
MFA_ADAPTER = "kenny.accounts.adapter.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "kenny"
MFA_TOTP_TOLERANCE = 1  # a code that was typed as its half minute ended is taken (RFC 6238, 5.2)
MFA_ALLOW_UNVERIFIED_EMAIL = True
_email = environment.email("KENNY_EMAIL_URL")
KENNY_EMAIL = bool(_email)
globals().update(_email or {"EMAIL_BACKEND": "django.core.mail.backends.dummy.EmailBackend"})
DEFAULT_FROM_EMAIL = SERVER_EMAIL = environment.text("KENNY_EMAIL_FROM", default="kenny@localhost")
EMAIL_SUBJECT_PREFIX = ACCOUNT_EMAIL_SUBJECT_PREFIX = "[kenny] "

# The API

KNOX_TOKEN_MODEL = "accounts.ApiToken"  # noqa: S105  a model's name
REST_KNOX = {"AUTH_HEADER_PREFIX": "Bearer", "TOKEN_TTL": None, "TOKEN_PREFIX": "kny_"}
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "kenny.accounts.authentication.BearerAuthentication",
        "kenny.accounts.authentication.CookieAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["history.json_body.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["history.json_body.StrictJSONParser"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "history.json_body.IgnoreAccept",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_THROTTLE_CLASSES": [
        "kenny.accounts.throttles.UserRate",
        "kenny.accounts.throttles.ScopeRate",
    ],
    "DEFAULT_THROTTLE_RATES": {
        "user": f"{KENNY_REQUESTS_PER_MINUTE}/min",
        "send": f"{KENNY_SENDS_PER_MINUTE}/min",
    },
    "NUM_PROXIES": KENNY_PROXIES,
    "EXCEPTION_HANDLER": "history.api.exception_handler",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "kenny",
    "DESCRIPTION": "Conversations with Claude, their history and their turns. docs/api.md shows it by example.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "APPEND_COMPONENTS": {"schemas": components.SCHEMAS},
    "POSTPROCESSING_HOOKS": ["kenny.described.complete"],
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.IsAuthenticated"],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}
LOGGING = logs.config(debug=DEBUG)
