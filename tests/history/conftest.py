"""People with roles: alice owns, bob is a stranger, the staff look in the admin."""

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User


@pytest.fixture
def alice(db: None) -> User:
    return get_user_model().objects.create_user("alice")


@pytest.fixture
def bob(db: None) -> User:
    return get_user_model().objects.create_user("bob")
