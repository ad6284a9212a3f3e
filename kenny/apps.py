"""The floor that composes."""

from django.apps import AppConfig


class KennyConfig(AppConfig):
    name = "kenny"
