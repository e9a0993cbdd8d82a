"""Scales in words are put in the order that a reader of the language would give them."""

import random
from pathlib import Path

import pandas as pd
import pytest
import yaml
from click.testing import CliRunner
from tabular_step import what_is_read

from fidelity_study.app.start.command import start
from fidelity_study.reading.tabular.word_scales import in_steps

WHOLE = [  # each from its lowest step, as written in questionnaires
    "Strongly disagree|Disagree|Neither agree nor disagree|Agree|Strongly agree",
    "Strongly disagree|Somewhat disagree|Somewhat agree|Strongly agree",
    "Disagree strongly|Disagree slightly|Agree slightly|Agree strongly",
    "disagree|neutral|agree",
    "1 - Not at all responsible|2|3|4|5|6|7 - Completely responsible",
    "Very dissatisfied|Dissatisfied|Neutral|Satisfied|Very satisfied",
    "Extremely unlikely|Somewhat unlikely|Neither likely nor unlikely|Somewhat likely"
    "|Extremely likely",
    "Strongly oppose|Somewhat oppose|Somewhat support|Strongly support",
    "Never|Rarely|Sometimes|Often|Always",
    "Never|Less than once a week|About once a week|Several times a week|Every day",
    "Never|A few times a year|About once a month|Weekly or more",
    "never|a_few_times_a_year|monthly|weekly|daily",
    "Nothing at all|Not very much|A fair amount|A great deal",
    "Strongly disapprove|Tend to disapprove|Tend to approve|Strongly approve",
    "very_dissatisfied|dissatisfied|satisfied|very_satisfied",
    "Not at all important|Slightly important|Moderately important|Very important"
    "|Extremely important",
    "Poor|Fair|Good|Very good|Excellent",
    "Péssimo|Ruim|Regular|Bom|Ótimo",
    "Muy mala|Mala|Regular|Buena|Muy buena",
    "Très mauvaise|Mauvaise|Assez bonne|Bonne|Très bonne",
    "Schlecht|Weniger gut|Zufriedenstellend|Gut|Sehr gut",
    "Scarso|Sufficiente|Discreto|Buono|Ottimo",
    "Slecht|Matig|Redelijk|Goed|Zeer goed",
    "Extremely uncharacteristic|Somewhat uncharacteristic|Uncertain|Somewhat characteristic"
    "|Extremely characteristic",
    "Much worse|Worse|About the same|Better|Much better",
    "Stimme gar nicht zu|Stimme eher nicht zu|teils/teils|Stimme eher zu|Stimme voll und ganz zu",
    "nie|selten|manchmal|oft|immer",
    "Pas du tout d'accord|Plut\u00f4t pas d'accord|Plut\u00f4t d'accord|Tout \u00e0 fait d'accord",
    "Jamais|Rarement|Parfois|Souvent|Toujours",
    "Totalmente en desacuerdo|En desacuerdo|Ni de acuerdo ni en desacuerdo|De acuerdo"
    "|Totalmente de acuerdo",
    "Nunca|Casi nunca|A veces|Casi siempre|Siempre",
    "Discordo totalmente|Discordo|Nem concordo nem discordo|Concordo|Concordo totalmente",
    "Nunca|Raramente|Às vezes|Frequentemente|Sempre",
    "Per niente d'accordo|Poco d'accordo|Abbastanza d'accordo|Molto d'accordo",
    "Helemaal mee oneens|Mee oneens|Niet mee eens, niet mee oneens|Mee eens|Helemaal mee eens",
    "nooit|zelden|soms|vaak|altijd",
    "Instämmer inte alls|Instämmer inte|Varken eller|Instämmer|Instämmer helt",
    "Nigdy|Rzadko|Czasami|Często|Zawsze",
    "そう思わない|あまりそう思わない|どちらともいえない|ややそう思う|そう思う",
    "非常不同意|不同意|中立|同意|非常同意",
    "Definitely would not buy|Probably would not buy|Might or might not buy|Probably would buy"
    "|Definitely would buy",
    "Definitely will not|Probably will not|Might or might not|Probably will|Definitely will",
    "Definitely not|Probably not|Might or might not|Probably yes|Definitely yes",
    "Not at all|Slightly|Moderately|Very|Extremely",
    "Not at all|Not very|Fairly|Very",
    "Very unlikely to recommend|Unlikely to recommend|Likely to recommend|Very likely to recommend",
    "Less often|A few times a week|Once a day|Several times a day",
    "Bestimmt nicht|Wahrscheinlich nicht|Vielleicht|Wahrscheinlich|Bestimmt",
    "Sehr unwahrscheinlich|Eher unwahrscheinlich|Eher wahrscheinlich|Sehr wahrscheinlich",
    "viel schlechter|etwas schlechter|gleich|etwas besser|viel besser",
    "Très insatisfait|Plutôt insatisfait|Plutôt satisfait|Très satisfait",
    "Muy insatisfecho|Insatisfecho|Ni satisfecho ni insatisfecho|Satisfecho|Muy satisfecho",
    "Molto insoddisfatto|Insoddisfatto|Né soddisfatto né insoddisfatto|Soddisfatto"
    "|Molto soddisfatto",
    "Zeer ontevreden|Ontevreden|Neutraal|Tevreden|Zeer tevreden",
    "schlecht|weniger gut|gut|sehr gut|ausgezeichnet",
    "Mauvaise|Passable|Bonne|Très bonne|Excellente",
    "Trifft nicht zu|Trifft eher nicht zu|Trifft eher zu|Trifft zu",
    "Lehne stark ab|Lehne ab|Weder noch|Stimme zu|Stimme stark zu",
    "Discordo completamente|Discordo em parte|Concordo em parte|Concordo completamente",
    "Tout à fait en désaccord|Plutôt en désaccord|Plutôt d'accord|Tout à fait d'accord",
    "Totalmente in disaccordo|In disaccordo|Né d'accordo né in disaccordo|D'accordo"
    "|Totalmente d'accordo",
    "Very unlikely|Unlikely|Undecided|Likely|Very likely",
    "Strongly oppose|Oppose|Not sure|Support|Strongly support",
    "Oppose|It depends|Support",
    "Sehr unwahrscheinlich|Unentschieden|Sehr wahrscheinlich",
    "Do not trust at all|Do not trust very much|Neither trust nor distrust|Trust somewhat"
    "|Trust completely",
    "Don't agree at all|Don't agree|Neither|Agree|Completely agree",
    "Not satisfied at all|Slightly satisfied|Moderately satisfied|Very satisfied"
    "|Completely satisfied",
    "Does not describe me at all|Describes me slightly|Describes me moderately well"
    "|Describes me very well|Describes me extremely well",
    "Wouldn't trust at all|Would trust a little|Would trust completely",
    "No trust at all|Not very much trust|Quite a lot of trust|A great deal of trust",
    "Not at all|A little|Quite a bit|Very much",
    "Never true|Rarely true|Sometimes true|Often true|Always true",
    "None|A little|Some|A lot",
    "Strongly distrust|Distrust|Trust|Strongly trust",
    "Poor health|Fair health|Good health|Very good health|Excellent health",
    "Überhaupt nicht zufrieden|Wenig zufrieden|Mäßig zufrieden|Ziemlich zufrieden|Sehr zufrieden",
    "Pas du tout important|Peu important|Assez important|Très important",
    "Nada importante|Poco importante|Algo importante|Muy importante",
    "Nada importante|Pouco importante|Algo importante|Muito importante",
    "Per niente sicuro|Poco sicuro|Abbastanza sicuro|Molto sicuro",
    "Helemaal niet veilig|Niet erg veilig|Redelijk veilig|Zeer veilig",
    "Dislike extremely|Dislike very much|Dislike moderately|Dislike slightly"
    "|Neither like nor dislike|Like slightly|Like moderately|Like very much|Like extremely",
    "Not at all sweet enough|Not quite sweet enough|Just about right|Somewhat too sweet"
    "|Much too sweet",
    "Not sweet enough|Just about right|Too sweet",
    "Much too thin|Somewhat too thin|Just about right|Somewhat too thick|Much too thick",
    "Too little|About right|Too much",
    "not at all interested|not very|fairly|very",
    "Not at all interested|Hardly interested|Quite interested|Very interested",
    "Never|Some of the time|About half the time|Most of the time|Always",
    "finding it very difficult|finding it quite difficult|just about getting by|doing alright"
    "|living comfortably",
    "Gotten much worse|Gotten somewhat worse|Stayed about the same|Gotten somewhat better"
    "|Gotten much better",
]
WHOLE += [  # as offered by survey software, and in surveys that go on for long
    "None at all|A little|A moderate amount|A lot|A great deal",
    "Never|Less than once a week|1-2 times a week|3-5 times a week|Every day",
    "Never|Less than once a week|1-2 days a week|3-4 days a week|Every working day",
    "nie|seltener|etwa einmal pro Woche|mehrmals pro Woche|täglich",
    "jamais|moins d'une fois par mois|une fois par mois|plusieurs fois par semaine|tous les jours",
    "Nunca|Menos de una vez al mes|Una vez al mes|Varias veces a la semana|Todos los días",
    "Never|Monthly or less|2-4 times a month|2-3 times a week|4 or more times a week",
    "Never|Less than monthly|Monthly|Weekly|Daily or almost daily",
    "Never|Seldom|A few times a year|Once or twice a month|Once a week|More than once a week",
    "Never|Sometimes|About half the time|Most of the time|Always",
    "Got a lot worse|Got a little worse|Stayed the same|Got a little better|Got a lot better",
    "Very poor|Fairly poor|Fairly good|Very good",
    "Far below average|Below average|Average|Above average|Far above average",
    "Reduced a lot|Reduced a little|Remain the same|Increased a little|Increased a lot",
    "No confidence at all|Very little confidence|Some confidence|A great deal of confidence"
    "|Complete confidence",
    "Spend much less|Spend less|Spend the same as now|Spend more|Spend much more",
    "Very low|Low|Medium|High|Very high",
]
AGREE, OFTEN = WHOLE[0].split("|"), WHOLE[7].split("|")


@pytest.mark.parametrize("text", WHOLE, ids=lambda text: text.partition("|")[0])
def test_steps_come_from_the_lowest_however_they_are_met(text):
    steps = text.split("|")
    for seed in range(5):
        assert in_steps(random.Random(seed).sample(steps, len(steps))) == (steps, True)


@pytest.mark.parametrize(
    "text",
    [
        "red|green|blue",
        "agree|disagree",
        "Agree|Strongly agree|Completely agree",
        "1|2|3",
        "Never|Sometimes|Strongly agree",
        "Disagree|Neutral|Agree|Maybe",
        "never|Never|often",
        "Strongly agree|Agree|Neutral|Not sure|Disagree|Strongly disagree",
        "Oppose|Undecided|Support|Strongly support",
        "Not at all important|Slightly important|Neutral|Undecided",
        "Not at all important|Slightly important|Undecided|Very important|Extremely important",
        "Agree|Neutral|Undecided",
        "Slightly important|Neutral|Very important",
        "Much too red|About right|Much too blue",
        "Often agree|Never trust|Always agree",
        "Never|Several times a week|3-5 times a week",
        "Several days|Every day|Never",
        "A few times a year|Less than once a month|Every week",
        "1 day|2 days|3 days",
        "This was my first order|A few times a year|Once a month",
    ],
)
def test_other_texts_have_no_order(text):
    assert in_steps(text.split("|")) is None


@pytest.mark.parametrize("text", ["Disagree|Agree|Strongly agree", "Rarely|Sometimes|Often"])
def test_a_scale_that_lacks_an_end_is_not_whole(text):
    assert in_steps(text.split("|")) == (text.split("|"), False)


def answered(path: str, seed: int, size: int, **scales: list[str]) -> pd.DataFrame:
    generator = random.Random(seed)
    columns = {
        name: [*steps, *generator.choices(steps, k=size - len(steps))]
        for name, steps in scales.items()
    }
    table = pd.DataFrame(columns)
    table.to_csv(path, index=False)
    return table


def began(*options: str) -> tuple[int, str, dict]:
    result = CliRunner().invoke(start, ["h.csv", "m.csv", "--out", "c.yaml", *options])
    there = Path("c.yaml").exists()
    config = yaml.safe_load(Path("c.yaml").read_text("utf-8"))["datasets"]["h"] if there else {}
    return result.exit_code, result.output, config


def test_one_scale_goes_into_the_config_in_its_order_and_is_told(here):
    for path, seed in (("h.csv", 1), ("m.csv", 2)):
        answered(path, seed, 30, q1=AGREE, q2=AGREE)
    code, told, config = began()
    assert (code, config["outcome"]) == (0, {"kind": "ordinal", "levels": AGREE})
    assert "steps of a scale in words, from Strongly disagree to Strongly agree" in told
    assert "--kind categorical" in told


REASONS = ["Career", "Family", "Other"]
BOXES = {"m_1": ["1", "", ""], "m_2": ["", "1", ""]}
KEY = "question,code,label\n" + "".join(
    f"{name},{code},{label}\n"
    for name, steps in (("q1", AGREE), ("q2", OFTEN))
    for code, label in enumerate(steps, 1)
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "options", "kind"),
    [
        ({}, [], "ordinal"),
        (BOXES, [], "ordinal"),
        ({"land": ["north", "south"]}, ["--groups", "land"], "ordinal"),
        ({}, ["key.csv"], "ordinal"),
        ({"why": REASONS}, [], "categorical"),
        ({"why": REASONS}, ["key.csv", "--accept"], "categorical"),
        ({"q9": [*AGREE[::-1], "I don't know"]}, ["--accept"], "ordinal"),
    ],
    ids=str,
)
def test_scales_are_put_in_order_beside_anything(here, more, options, kind):
    """Where all questions have an order, that is the kind; else it is that of their options."""
    for path, seed in (("h.csv", 1), ("m.csv", 2)):
        table = answered(path, seed, 60, q1=AGREE, q2=OFTEN, **more)
        if "key.csv" in options:
            codes = {label: at for steps in (AGREE, OFTEN) for at, label in enumerate(steps, 1)}
            table.replace({"q1": codes, "q2": codes}).to_csv(path, index=False)
    Path("key.csv").write_text(KEY)
    _, told, config = began(*options)
    assert config.get("outcome") == {"kind": kind}, told
    assert f"--kind {'ordinal' if kind == 'categorical' else 'categorical'}\n" in told
    named = what_is_read("c.yaml").scenarios
    asked = named["scenario"].str.partition(" | ")[0]
    read = dict(zip(asked, map(list, named["option"]), strict=True))
    assert (read["q1"], read["q2"]) == (AGREE, OFTEN)
    assert read.get("why", REASONS) == REASONS
    assert read.get("q9", AGREE) == AGREE


IN_DOUBT = ["Oppose", "Not sure", "Support"]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("given", "options", "decided", "outcome"),
    [
        (IN_DOUBT, [], "Not sure", None),
        (IN_DOUBT, ["--accept"], "", {"kind": "ordinal", "levels": IN_DOUBT}),
        (IN_DOUBT, ["--missing", "Not sure"], "", {"kind": "binary"}),
        (["Oppose", "Support"], [], "undecided", None),
    ],
    ids=str,
)
def test_a_middle_that_may_be_no_answer_is_asked_about(here, given, options, decided, outcome):
    answered("h.csv", 1, 30, q1=IN_DOUBT)
    answered("m.csv", 2, 30, q1=given)
    _, told, config = began(*options)
    assert (f"labels.csv: Not sure: {decided}?" in told) == bool(decided), told
    assert config.get("outcome") == outcome


@pytest.mark.slow
def test_the_order_of_known_words_is_proposed_beside_others(here):
    for path, seed in (("h.csv", 1), ("m.csv", 2)):
        answered(path, seed, 30, q1=AGREE, why=REASONS, yes=["Yes", "No"])
    _, told, _ = began("--kind", "ordinal", "--accept")
    assert "labels.csv: why, Career and 2 more order: a number?" in told
    labels = pd.read_csv("c_codebook/labels.csv").set_index("text")["order"]
    assert labels[AGREE].tolist() == [*"12345"] and labels[["No", "Yes"]].tolist() == ["1", "2"]
    assert set(labels[REASONS]) == {"?"}


def test_an_order_that_words_do_not_tell_is_asked_for_once(here):
    for path, seed in (("h.csv", 1), ("m.csv", 2)):
        answered(path, seed, 30, q1=REASONS, q2=REASONS)
    _, told, config = began("--kind", "ordinal", "--accept")
    assert "labels.csv: q1, Career and 2 more order: a number?" in told
    labels = pd.read_csv("c_codebook/labels.csv")
    assert not config and labels["order"].tolist() == ["?"] * 3 and labels["proposal"].isna().all()
    first, *others = labels["remark"]
    assert "order is unknown" in first
    assert {*others} == {"is asked, for the reason of 'Career'"}


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--groups", "land"]], ids=str)
def test_ranges_of_numbers_are_those_of_each_question(here, options):
    """From 1 to 7 isn't a part of 0 to 10, as many give its ends."""
    whole, part = [*map(str, range(11))], [*map(str, range(1, 8))]
    for path, seed in (("h.csv", 1), ("m.csv", 2)):
        answered(path, seed, 200, q1=whole, q2=whole, q3=part, land=["north", "south"])
    ignored = [] if options else ["--questions", "q*"]
    began(*options, *ignored)
    read = what_is_read("c.yaml").scenarios.set_index("scenario")["option"]
    assert {name[:2]: len(steps) for name, steps in read.items()} == {"q1": 11, "q2": 11, "q3": 7}


@pytest.mark.slow
def test_several_scales_are_drafted_in_their_order(here):
    for path, seed in (("h.csv", 1), ("m.csv", 2)):
        scales = {"q3": ["5", "1", "2", "3", "4"], "q4": [*map(str, range(11))]}
        answered(path, seed, 30, q1=AGREE, q2=OFTEN, **scales)
    code, told, config = began()
    assert code == 0
    assert config["outcome"] == {"kind": "ordinal"}
    labels = pd.read_csv("c_codebook/labels.csv").sort_values("order")
    assert labels.groupby("scale")["text"].agg(list).to_dict() == {"q1": AGREE, "q2": OFTEN}
    questions = pd.read_csv("c_codebook/questions.csv", index_col="question")
    assert questions.loc["q3", ["lower", "upper"]].tolist() == [1, 5]
    assert "see questions.csv in c_codebook" in told
    options = what_is_read("c.yaml").scenarios.set_index("scenario")["option"]
    numbers = {"q3": ["1", "2", "3", "4", "5"], "q4": [*map(str, range(11))]}
    assert options.to_dict() == {"q1": AGREE, "q2": OFTEN, **numbers}


@pytest.mark.slow
def test_a_scale_with_dont_know_is_offered_in_order_without_it(here):
    for path, seed in (("h.csv", 1), ("m.csv", 2)):
        answered(path, seed, 30, q1=[*AGREE, "Don't know"])
    assert "labels.csv: Don't know: undecided?" in began()[1]
    _, told, config = began("--accept")
    assert config["outcome"]["kind"] == "ordinal", told
    assert all(
        options == AGREE for options in map(list, what_is_read("c.yaml").scenarios["option"])
    )
