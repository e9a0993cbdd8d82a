"""Sentences of the report: names from data are shown as they are, and act as nothing."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jinja2.environment import Environment
from markdown_it import MarkdownIt

from fidelity_study import user_cache
from fidelity_study.report import formats
from fidelity_study.report.page import render, words
from fidelity_study.report.sample import fewest_people

NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn", "Co"]), min_size=1)
HOSTILE = [
    "<b>twin</b> {{ 6 * 7 }} *x* `y`_ $a_b$",
    "<script>document.title = 'oops'</script>",
    "[a](http://example.org) ![b](c) http://example.org/a_b me@example.org",
    "| cell | # heading",
    "\\",
    "&amp; &lt;",
    "1. first",
    "\u2068marks\u2069 of ours",
    "~~gone~~ ^up^ ==high== --- +++",
]


class Text(HTMLParser):
    """Collects a page's text and the names of its elements."""

    def __init__(self, page):
        """Read the page."""
        super().__init__()
        self.text, self.elements = "", []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        """Remember the element."""
        self.elements.append(tag)

    def handle_data(self, data):
        """Remember the text."""
        self.text += data


def examples(function):
    for name in HOSTILE:
        function = example(name)(function)
    return function


@given(NAMES)
@examples
def test_a_name_is_shown_as_it_is(name):
    shown = words.plain(name)
    sentence = f"With all of it, {words.named(name)} is closest: 0.1 to 0.2 (95 % confidence)."
    told = f"With all of it, {shown} is closest: 0.1 to 0.2 (95 % confidence)."
    page = Text(str(words.html(sentence)))
    assert (page.text, page.elements) == (words.unbroken(told), ["b"])
    page = Text(MarkdownIt("gfm-like", {"linkify": False}).render(words.markdown(sentence)))
    assert " ".join(page.text.split()) == " ".join(told.split())
    assert set(page.elements) <= {"p", "strong"}


@given(NAMES)
@examples
def test_a_name_fits_into_a_cell(name):
    row = words.cell(f"{words.named(name)} is closest")
    page = Text(MarkdownIt("gfm-like", {"linkify": False}).render(f"|a|b|\n|-|-|\n|{row}|c|"))
    told = [f"{words.plain(name)} is closest", "c"]
    assert [each for each in page.text.split("\n") if each.strip()] == ["a", "b", *told]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('"Like those asked": q1 | west', '"Like those asked": q1 | west'),
        ("language_model, γ = 0.5, C#, R&D > 3, {x}", "language_model, γ = 0.5, C#, R&D > 3, {x}"),
        ("_echo # 1 &amp; {{x}} a==b", r"\_echo \# 1 \&amp; \{\{x\}\} a\=\=b"),
    ],
)
def test_only_what_would_act_is_escaped(text, written):
    assert words.markdown(text) == written
    assert words.cell(text) == written.replace("|", "\\|")


@pytest.mark.parametrize(
    ("names", "most", "said"),
    [
        ([], None, ""),
        (["a"], None, "a"),
        (["a", "b"], None, "a and b"),
        (["a", "b", "c"], None, "a, b and c"),
        (["a", "b", "c"], 3, "a, b and c"),
        (["a", "b", "c", "d"], 3, "a, b and 2 others"),
    ],
)
def test_lists_of_names(names, most, said):
    assert words.listed(names, most=most) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.1234, "0.123"),
        (0.01234, "0.0123"),
        (-1e-9, "0.0000"),
        (None, "–"),
        (float("nan"), "–"),
        (float("inf"), "∞"),
        (1234.5, "1,234"),
    ],
)
def test_numbers(value, said):
    assert formats.number(value) == said


def test_lower_bounds_of_shares_are_rounded_down():
    assert formats.share(0.8999) == "89 %"
    assert formats.share(0.9) == "90 %"
    assert re.fullmatch(r"0\.4 %", formats.percent(0.004))


def test_people_who_gave_several_answers_are_counted_once():
    scenarios = [{"people": "the same", "n_human": n} for n in (100.0, 90.0)]
    assert fewest_people(scenarios) == 100.0
    apart = [{"people": name, "n_human": n} for name, n in (("a", 100.0), ("b", 90.0))]
    assert fewest_people(apart) == 190.0


def test_templates_are_compiled_once_and_again_if_what_was_kept_is_broken(tmp_path, monkeypatch):
    compiled, compile_ = [], Environment.compile
    monkeypatch.setattr(user_cache, "FOLDER", tmp_path)
    monkeypatch.setattr(
        Environment, "compile", lambda *a, **k: compiled.append(1) or compile_(*a, **k)
    )

    def text() -> str:
        return str(render._environment(html=True).get_template("parts.html").module)

    first = text()
    assert text() == first and len(compiled) == 1
    (kept,) = tmp_path.iterdir()
    kept.write_bytes(kept.read_bytes()[:-9])
    assert text() == first and len(compiled) == 2
