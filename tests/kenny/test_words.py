"""Every text that a person reads is in the catalogues, in German too, and the compiled ones are up to date."""

import ast
import inspect
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.utils import translation
from django.utils.translation.template import templatize

from chat import preferences, steps
from chat.llm import failures
from chat.sentences import SENTENCES
from chat.words import words
from history.errors import Refused
from tests.support.catalogues import Entry, as_compiled, compiled, entries

ROOT = Path(__file__).parents[2]
LOCALE = ROOT / "locale/de/LC_MESSAGES"
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
PYTHON = [path for floor in ("kenny", "chat", "history") for path in (ROOT / floor).rglob("*.py")]
SCRIPTS = [path for path in (ROOT / "chat/static/chat").rglob("*.js") if path.name != "gettext.js"]
MARKERS = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy"}
PLACE = re.compile(r"%\(\w+\)s|</?\w+[^>]*>")
NAMES = {
    "kenny",
    "JSON",
    "Markdown",
    "Claude",
    "English",
    "Deutsch",
    "manage.py changepassword NAME",
}
OF_THE_BROWSER = {"Alt", "Enter", "Escape", "Tab", "Home", "End", "Delete", "Files", "Accept"}
TOLD = {"aria-label", "placeholder", "title", "alt", "aria-description"}


def of_template(path: Path) -> set[str]:
    """Return the texts that Django's own reader finds in a template."""
    code = templatize(path.read_text(), origin=str(path))
    string = r"('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
    found = re.findall(rf"(?<![\w.])(?:gettext|_|ngettext)\(u?{string}", code)
    return {ast.literal_eval(text) for text in found}


def of_python(path: Path) -> set[str]:
    calls = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))
    return {
        str(call.args[0].value)
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id in MARKERS
        if isinstance(call.args[0], ast.Constant)
    }


def of_script(path: Path) -> set[str]:
    found = re.findall(r'(?<![\w.])n?gettext\(\s*("(?:[^"\\]|\\.)*")', path.read_text())
    return {json.loads(text) for text in found}


def known(domain: str) -> list[Entry]:
    return entries(LOCALE / f"{domain}.po")


class TestCatalogues:
    def test_have_every_text_of_templates_and_views_and_no_other(self) -> None:
        used = set().union(
            *(of_template(path) for path in TEMPLATES), *(of_python(path) for path in PYTHON)
        )

        assert {entry.text for entry in known("django")} == used

    def test_have_every_text_of_the_client_and_no_other(self) -> None:
        used = set().union(*(of_script(path) for path in SCRIPTS))

        assert {entry.text for entry in known("djangojs")} == used

    @pytest.mark.parametrize("domain", ["django", "djangojs"])
    def test_are_complete_and_sure_and_keep_their_places(self, domain: str) -> None:
        for entry in known(domain):
            assert "fuzzy" not in entry.flags, entry
            assert len(entry.forms) == (1 if entry.plural is None else 2), entry
            for text in entry.forms:
                assert text.strip(), entry
                assert sorted(PLACE.findall(text)) == sorted(PLACE.findall(entry.text)), entry
                assert text.endswith(("…", ".", "?")) == entry.text.endswith(("…", ".", "?")), entry

    @pytest.mark.parametrize("domain", ["django", "djangojs"])
    def test_are_compiled_as_they_are_written(self, domain: str) -> None:
        """A bare machine has no compiler for them, so what it made is kept beside them."""
        assert compiled(LOCALE / f"{domain}.mo") == as_compiled(known(domain))

    def test_have_the_two_forms_of_number_that_the_client_knows(self) -> None:
        """The client picks one for 1 and another for all else, and may not evaluate a rule."""
        for path in (ROOT / "locale").glob("*/LC_MESSAGES/djangojs.po"):
            assert '"Plural-Forms: nplurals=2; plural=(n != 1);\\n"' in path.read_text()

    def test_exist_for_each_language_that_can_be_chosen(self) -> None:
        others = {code for code, _ in settings.LANGUAGES} - {"en"}

        assert {
            path.parent.parent.name for path in ROOT.glob("locale/*/LC_MESSAGES/django.mo")
        } == others
        assert {
            path.parent.parent.name for path in ROOT.glob("locale/*/LC_MESSAGES/djangojs.mo")
        } == others


def refusals(kind: type[Refused]) -> set[str]:
    """Return what every kind of refusal says of itself."""
    return {kind.default}.union(*(refusals(one) for one in kind.__subclasses__()))


class TestSentences:
    """What the server says in English on the wire and the page shows in the reader's language."""

    def test_of_an_upstreams_faults_are_known(self) -> None:
        causes = [value for value in vars(failures).values() if isinstance(value, failures.Cause)]

        assert len(causes) > 10
        assert {cause.message for cause in causes} <= set(SENTENCES)

    def test_of_how_a_turn_ends_are_known(self) -> None:
        calls = [
            node
            for node in ast.walk(ast.parse(inspect.getsource(steps)))
            if isinstance(node, ast.Call)
        ]
        texts = {
            part.value
            for call in calls
            if getattr(call.func, "id", "") == "Problem"
            for part in [*call.args, *(word.value for word in call.keywords)]
            if isinstance(part, ast.Constant) and " " in str(part.value)
        }

        assert len(texts) > 5
        assert texts <= set(SENTENCES)

    def test_of_refusals_are_known(self) -> None:
        ours = {text for text in refusals(Refused) if text}

        assert len(ours) > 15
        assert ours <= set(SENTENCES)

    def test_reach_the_page_in_its_language(self) -> None:
        with translation.override("de"):
            assert (
                words()["catalog"]["Claude is overloaded right now."]
                == "Claude ist gerade überlastet."
            )
        with translation.override("en"):
            assert words()["catalog"] == {}


class Bare(HTMLParser):
    """Collects what a person would read of a template once all its tags for Django are gone."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.words += [value or "" for name, value in attrs if name in TOLD]


class TestSources:
    @pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: "-".join(path.parts[-2:]))
    def test_of_pages_have_no_text_that_cannot_be_translated(self, path: Path) -> None:
        text = re.sub(
            r"{% (comment|blocktranslate).*?{% end\1 %}|{% block width %}\w+",
            "",
            path.read_text(),
            flags=re.DOTALL,
        )
        bare = Bare()
        bare.feed(re.sub(r"{%.*?%}|{{.*?}}|{#.*?#}", "", text, flags=re.DOTALL))

        words = {" ".join(word.split()).strip(" ·,.…:") for word in bare.words}
        assert {word for word in words if re.search(r"[A-Za-z]", word)} - NAMES == set()

    @pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: "-".join(path.parts[-2:]))
    def test_of_the_client_have_no_text_that_cannot_be_translated(self, path: Path) -> None:
        lines = [
            line for line in path.read_text().splitlines()
            if not re.match(r"\s*(//|\*|/\*\*)", line) and "new Error(" not in line
        ]  # fmt: skip
        code = re.sub(r"\s//.*$|/\*\*.*?\*/", "", "\n".join(lines), flags=re.MULTILINE)
        looked_up = r'n?gettext\(\s*"(?:[^"\\]|\\.)*"(?:,\s*"(?:[^"\\]|\\.)*")?'

        rest = re.sub(looked_up, "", code)
        sentence = r'"([A-Z][a-z]+(?: [^"]*)?[a-z.…])"|`[^`$\n]*[A-Z][a-z]+ [a-z]+[^`\n]*`'
        assert set(re.findall(sentence, rest)) - OF_THE_BROWSER == set()
        assert not re.search(r"(?<![\w.])n?gettext\((?!,|\))", re.sub(r"import .*", "", rest))


class TestAnswers:
    @pytest.mark.parametrize(
        ("asked", "given"),
        [("", "en"), ("de", "de"), ("de-AT,de;q=0.9,en;q=0.8", "de"), ("fr", "en"), ("*", "en")],
    )
    def test_come_in_the_language_that_is_asked_for(
        self, client: Client, asked: str, given: str
    ) -> None:
        page = client.get("/accounts/login/", headers={"Accept-Language": asked})

        assert page.headers["Content-Language"] == given
        assert "Accept-Language" in page.headers["Vary"]
        assert f'<html lang="{given}"' in page.text
        assert ("Anmelden" in page.text) == (given == "de")

    def test_of_the_api_are_english_whatever_is_asked_for(self, client: Client) -> None:
        asked = {"Accept-Language": "de"}

        answer = client.get("/api/chat/history", headers=asked)
        assert answer.json() == client.get("/api/chat/history").json()
        assert "Content-Language" not in answer.headers

    def test_leave_the_thread_in_the_language_it_had(self, client: Client) -> None:
        with translation.override("en"):
            client.get("/accounts/login/", headers={"Accept-Language": "de"})

            assert translation.get_language() == "en"

    def test_keep_a_language_that_was_chosen(self, client: Client) -> None:
        chosen = client.post("/accounts/language/", {"language": "de", "next": "/accounts/login/"})

        assert chosen.headers["Location"] == "/accounts/login/"
        assert chosen.cookies["language"]["samesite"] == "Lax"
        assert "Anmelden" in client.get("/accounts/login/", headers={"Accept-Language": "en"}).text

    def test_keep_it_with_the_account_for_other_browsers(
        self, client: Client, django_user_model: type[User]
    ) -> None:
        user = django_user_model.objects.create_user("ana", password="right horse battery 9")
        client.force_login(user)

        client.post("/accounts/language/", {"language": "de", "next": "/"})
        client.post("/accounts/language/", {"language": "xx", "next": "/"})

        assert preferences.of(user.pk)["language"] == "de"
        elsewhere = Client()
        elsewhere.force_login(user)
        assert '<html lang="de"' in elsewhere.get("/").text

    def test_of_errors_too(self, client: Client) -> None:
        assert "Hier ist nichts" in client.get("/nowhere", headers={"Accept-Language": "de"}).text
