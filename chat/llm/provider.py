"""Which model answers: decided by the settings, never by what fails."""

from chat.llm import claude
from chat.llm.demo import demo_model


def model_for(*, api_key: str, base_url: str) -> claude.Claude:
    """Return Claude when there is a key, the demo model when there is none. Call it once per process."""
    return claude.build(api_key=api_key, base_url=base_url) if api_key else demo_model()


def is_demo(*, api_key: str) -> bool:
    """Say whether no Claude is behind the answers; every page tells."""
    return not api_key
