"""The keys of a config: what each may hold, its default, and below it what it means.

``config/README.md`` is made from them.
"""

from functools import partial

from fidelity.discrepancies.base import DISCREPANCIES, discrepancies_with
from fidelity.sets.base import CONFIDENCE_SETS
from fidelity.uses.base import of_answers
from fidelity_study.config.names import MODES
from fidelity_study.config.schema import (
    BILLION,
    BOOLEAN,
    SCRIPT,
    WITHOUT_SCRIPT,
    Keys,
    among,
    any_of,
    end,
    line,
    listed,
    mapping,
    name,
    number,
    on_page,
    one_of,
    part,
    several,
    string,
    text,
    where,
    whole,
)
from fidelity_study.tables.common import KINDS

ENVELOPE = "envelope"
FOR_DEFAULTS = "; {} for the defaults"
COVERAGES = "envelope, or a list of different coverages, at most 1000"
SIMULATORS = "a list of different names of simulators, or a mapping from them to label and describe"
WHO = "true, false, or a text of one line"
FILES = "a path or a pattern, or a list of them"
SCORES = "the name of a column, or a list of them"
HOST, ADDRESS = r"[^\s@?#/:\[\]]+", r"\[[0-9A-Fa-f:.]+\]"
PORT = "(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5]?[0-9]{1,4})"  # up to 65535
COLUMN = text("the name of a column")
PATH, PATTERN = text("the path of a file"), text("a path or a pattern")
ON_PAGE, WORD, TOLD = on_page(string()), on_page(line(100)), line(2000)
TOKENS = whole(1, type=["integer", "null"], allowed="a whole number, 1 or more, or null")
PARAMETER = string(
    "a parameter other than messages, model, stream and n",
    **{"not": {"enum": ["messages", "model", "stream", "n"]}},
)
SHARE = number(above=0, below=1)
DISCREPANCY = among(lambda: DISCREPANCIES)
USE = among(of_answers)
USES_ALLOWED = "a list of uses, or a mapping from them to limits"
DISCREPANCY_WITH_TESTS = among(partial(discrepancies_with, "is_maximum"))
SETS = several(among(lambda: CONFIDENCE_SETS), "different confidence sets")
COUNT_OR_ALL = any_of(
    whole(1, BILLION), {"const": "all"}, allowed="a whole number from 1 to a billion, or all"
)


class Schedule(Keys, required=("schedule",)):
    """A coverage that grows with n."""

    schedule = any_of(number(above=0), string(pattern="^[1-9][0-9]*/[1-9][0-9]*$"))
    floor = SHARE


COVERAGE = any_of(
    SHARE,
    part(Schedule),
    allowed="a number between 0 and 1, or {schedule: 1/3} for 1 - n^(-1/3)",
)


class BothSides(Keys, required=("upper", "lower")):
    """A coverage for each discrepancy."""

    upper = COVERAGE
    lower = COVERAGE


SIDES = any_of(
    {"const": ENVELOPE},
    COVERAGE,
    part(BothSides),
    allowed="a number between 0 and 1, {schedule: 1/3} for 1 - n^(-1/3), {upper: 0.5, lower: 0.9}, "
    "or envelope",
)
NOUN = where(
    {"type": "array"},
    listed(WORD, "a text, or two: [story, stories]", least=2, most=2),
    WORD | {"allowed": "a text of one line, at most 100 characters, or two: [story, stories]"},
    allowed="a text of one line, or two: [story, stories]",
)


class Named(Keys, allowed="a mapping with any of label and describe, or nothing"):
    """What the report calls a simulator."""

    label = WORD
    """The simulator's plain name in the report. Default: the model and the mode."""
    describe = ON_PAGE
    """A sentence on what the simulator is and how it answered."""


SIMULATOR = text(
    f"a simulator's name{WITHOUT_SCRIPT}; human is the name of the people",
    **{"not": {"anyOf": [{"const": "human"}, SCRIPT]}},
)
LISTED = mapping(part(Named, type=["object", "null"]), SIMULATOR, SIMULATORS, minProperties=1)


def named(settings: dict, what: str) -> dict:
    """Return the schema of datasets or evaluations by name."""
    return mapping(
        settings,
        name(
            "[A-Za-z][A-Za-z0-9_]*", 60, "letters, digits and _, starting with a letter, at most 60"
        ),
        f"at least one {what}, each a name (letters, digits, _) with its settings",
        minProperties=1,
    )


class Grid(Keys):
    """What curves are computed for."""

    n = several(
        COUNT_OR_ALL, "different whole numbers or all", most=1000, default=[50, 200, 500, "all"]
    )
    """The number of people's answers in each scenario. A scenario with fewer keeps all that it
    has."""
    k = several(COUNT_OR_ALL, "different whole numbers or all", most=1000, default=[50, 200])
    """The number of answers taken from each simulator in each scenario (draws); all takes every
    answer. If a simulator gave fewer, the largest number that all gave is compared, too. Stated
    probabilities need no draws."""
    gamma = where(
        {"const": ENVELOPE},
        {},
        several(SIDES, "", most=1000, allowed=COVERAGES),
        allowed=COVERAGES,
        default=[ENVELOPE, 0.5, 0.9, {"schedule": "1/3"}],
    )
    """Coverage γ of the confidence sets: numbers, schedules 1 - n^(-β), or one coverage for the
    upper and one for the lower discrepancy. envelope takes the smallest bound over all coverages
    from 0.1 to 0.99, so that no coverage has to be chosen. It is computed at the last n, for the
    first replicate. envelope alone means [envelope, 0.5]."""
    index = one_of("weights", "mean", "min", default="weights")
    """How coverages that differ between scenarios enter the curve. weights: each scenario has the
    weight 1/γ, which is right however coverage and discrepancy are related. mean: the mean
    coverage, as the paper's authors do. min: the smallest coverage."""
    eta = number(above=0, most=0.2, default=0.05)
    """η, the probability with which a bound that is certain at this number of scenarios fails: of
    curves, shares of scenarios, pairs, single scenarios and exact predictions. Means, tests and
    calibration have comparison.alpha, which is this by default; predictions' misses, predict.alpha;
    evaluations, power.alpha."""
    discrepancy = several(DISCREPANCY, "different discrepancies")
    """The measures of the distance between people and a simulator. Default by outcome kind:
    {default discrepancies}."""
    smoothed = several(
        DISCREPANCY,
        "different discrepancies, empty for none",
        least=0,
        default=partial(discrepancies_with, "infinite_at_zero"),
    )
    """Discrepancies for which the shares of a simulator's k answers to d options are smoothed to
    (count + ½)/(k + d/2), so that an option that it never chose does not have the share 0. Stated
    probabilities are not smoothed."""
    confidence_set = any_of(
        SETS,
        mapping(SETS, DISCREPANCY, minProperties=1),
        allowed="a list of confidence sets, or {discrepancy: list} with one for each",
    )
    """Confidence sets: one list for all discrepancies, or one list for each. The default depends on
    discrepancy and outcome kind: the paper's set and witness."""
    replicates = whole(1, 30000, default=5)
    """How often random subsamples of people and of simulators' answers are drawn."""


class Comparison(Keys):
    """Which simulators are compared, and how."""

    n = several(COUNT_OR_ALL, "values of grid.n")
    """Values of grid.n for which pairs are compared. Default: the last one."""
    gamma = several(COVERAGE, "values of grid.gamma")
    """Values of grid.gamma for which pairs are compared. Default: the first one."""
    replicates = whole(1, allowed="a whole number from 1 to grid.replicates", default=1)
    """How many of the replicates are compared in pairs."""
    alpha = number(above=0, most=0.2)
    """The level of the tests of means. An interval of a mean or a difference holds with probability
    1 - alpha; all ranks together hold with probability 1 - alpha. Default: grid.eta."""
    power = number(above=0, below=1, allowed="a number between alpha and 1", default=0.8)
    """The probability with which a detectable effect shall be found."""
    effect = mapping(
        number(above=0), DISCREPANCY, "a mapping of discrepancies to numbers above 0", default={}
    )
    """The true difference between two simulators' mean discrepancies that a study ought to find,
    for each discrepancy, such as {tv: 0.03}. State it before looking at results. variance.csv says
    how many scenarios, or clusters of scenarios, it takes. Without an effect it does not say so,
    because the power at the observed difference says no more than its p-value."""
    tolerance = mapping(
        any_of(
            number(least=0),
            several(number(least=0), "numbers of at least 0"),
            allowed="a number of at least 0, or a list of such numbers",
        ),
        DISCREPANCY_WITH_TESTS,
        "a mapping of discrepancies to numbers of at least 0, or lists of them",
        default={},
    )
    """The tolerance: the largest distance from people that is still close enough, in the
    discrepancy's unit, such as {tv: 0.1} or {tv: [0.1, 0.2]}. lists.csv has the scenarios within
    it and those beyond it; of each list at most 5 % are expected to be wrong. Below the
    discrepancy's largest possible value. Without it: a tenth of the answers (tv), or of the
    scale of the scores (means, w1)."""


class Price(
    Keys, required=("prompt", "completion"), allowed="a mapping with prompt and completion"
):
    """What a million tokens cost."""

    prompt = number(least=0)
    completion = number(least=0)


class Model(Keys, required=("endpoint",)):
    """How a language model is reached."""

    endpoint = string(
        "embedded, or a URL without a key, user name or password in it",
        pattern=rf"^(embedded|https?://({HOST}|{ADDRESS})(:{PORT})?(/[^\s@?#]*)?)$(?!\n)",
        writeOnly=True,  # a wrong one may hold a key: messages don't repeat it
    )
    """Base URL of an OpenAI-compatible API, such as http://localhost:11434/v1, or embedded: a model
    that runs in the job."""
    model = text("a name")
    """The model's name at the endpoint. Embedded, the path of a GGUF file; default,
    SmolLM2-135M."""
    key_variable = any_of(
        {"type": "null"},
        string(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$(?!\n)"),
        allowed="the name of an environment variable",
        writeOnly=True,  # somebody may put the key itself here
        default=None,
    )
    """The environment variable that holds the key. The key itself is written nowhere."""
    concurrency = whole(1, 1000, default=4)
    """How many prompts are sent at a time. If the study is killed, at most so many answers are
    lost."""
    timeout = number(above=0, most=86400, allowed="a number of seconds, at most a day", default=120)
    """Seconds to wait for an answer before a prompt is sent again."""
    retries = whole(0, 100, default=6)
    """How often a prompt is sent again, with back-off, when the endpoint is busy or fails."""
    price = part(Price, default={})
    """The price of a million tokens, such as {prompt: 0.15, completion: 0.6}."""
    extra = mapping(
        {},
        PARAMETER,
        "a mapping",
        properties={"max_tokens": TOKENS, "max_completion_tokens": TOKENS},
        default={},
    )
    """Further parameters of each request, such as {top_p: 0.9}; null leaves out a parameter that
    would be sent by default."""


class About(Keys):
    """What the appendix says of a dataset."""

    sponsor = TOLD
    """Who paid for the survey."""
    conducted = TOLD
    """Who asked the people."""
    population = TOLD
    """Whom the people stand for, and where."""
    sampling = TOLD
    """The list or panel that people were taken from, and how they were chosen."""
    mode = TOLD
    """How people were asked: by telephone, on the web."""
    fieldwork = TOLD
    """When people were asked."""
    weighting = TOLD
    """To what, and how, people are weighted."""
    processing = TOLD
    """Checks, exclusions and changes of the answers."""
    source = TOLD
    """Where the answers are published."""
    asked = TOLD
    """When simulators were asked."""
    limits = TOLD
    """What the comparison cannot show."""


class Words(Keys):
    """What a dataset's folder says of it, in words.yaml."""

    noun = NOUN
    clusters = several(text("a name"), "different names")
    simulators = LISTED
    about = part(About)


class Wording(
    Keys,
    required=("prompt",),
    type=["string", "object"],
    minLength=1,
    allowed="a text, or {prompt: a text, system: a text}",
):
    """A prompt of its own."""

    prompt = text()
    """The text of the message."""
    system = string()
    """The system message; empty for none. Default: that of the simulator."""


class Budget(Keys):
    """The most that asking a simulator may take."""

    tokens = whole(1)
    cost = number(above=0)


class Asking(Named, required=("model", "mode")):
    """How a language model is asked."""

    model = string("a name of models")
    """The name of a model in the key models."""
    mode = one_of(*MODES)
    """What the model is asked for. answers: sampled answers, which are counted. probabilities: the
    probabilities of the options' letters as the next token, averaged over personas. population: the
    shares of all people, as the model states them, without personas."""
    prompts = several(string("a name of prompts"), "different names of prompts")
    """Names of prompts in the config's key prompts, in place of prompt. Each prompt is asked, and
    becomes a simulator of its own, such as gpt-plain and gpt-role. The budget is for all of them
    together."""
    population = where(BOOLEAN, {}, line(1000, allowed=WHO), allowed=WHO)
    """Who the people are, in words, or true. The model is then also asked for the shares of these
    people, without personas, as a further simulator, such as gpt-population. In mode population:
    the people whose shares are asked for. Default: nothing more is asked."""
    personas = whole(1, 100000, default=25)
    """Personas in each scenario, drawn from its real respondents."""
    draws = whole(1, 100000, default=1)
    """The number of answers of each persona. In mode population: how often the model is asked, 5 by
    default."""
    temperature = number(least=0, default=1.0)
    """The temperature of sampled answers; 1 is the model's own distribution."""
    max_tokens = whole(1, default=16)
    """The largest number of tokens of a sampled answer; in mode population 300 by default."""
    system = string(
        default="Take part in a survey. Answer as the person described would. Reply with the "
        "letter of one option and nothing else."
    )
    """The system message; empty for none. In mode population the default asks for lines with
    shares."""
    prompt = string(
        "a text with {question} and {options}, and {persona} or {population}",
        default="{question}\n\n{options}\n\nYou are {persona}.\nThe letter of your answer:",
    )
    """The message. A line with {persona} is left out where personas are unknown. In mode population
    the default asks how many of 100 people from {population} choose each option."""
    budget = part(Budget, default={})
    """The largest number of tokens, and the largest cost in the unit of models.<name>.price, for
    all answers of this simulator in all its prompts, such as {tokens: 1000000, cost: 5}."""


class Outcome(
    Keys,
    required=("kind",),
    allowed="{kind: binary}, with ordinal, categorical, bounded, real, text or vector in its "
    "place; tabular "
    "datasets may add levels, scores and bounds",
):
    """What an answer is."""

    levels = several(
        {"type": ["string", "number"]}, "different texts or numbers, the options in order", least=2
    )
    scores = listed(number(), "a list of numbers, one for each of the levels", least=2)
    bounds = listed(
        number(),
        "a list of two numbers, the smallest and the largest possible outcome",
        least=2,
        most=2,
    )
    kind = one_of("binary", "ordinal", "categorical", "bounded", "real", "text", "vector")
    radius = number(above=0)
    """Of vectors: the largest length that one can have, known beforehand, such as 1 for embeddings
    of unit length. Curves of energy and sliced_w1 need it."""
    sigma = number(above=0)
    """Of real numbers: σ, known beforehand, such that people's answers to a scenario are
    σ-sub-Gaussian: E exp(t(y - Ey)) ≤ exp(t²σ²/2) for all t. Normal answers have their standard
    deviation; answers in a range, half of it. Curves of w1 need it."""


class Calibration(Keys, also=FOR_DEFAULTS):
    """How calibration is measured."""

    levels = several(
        number(above=0, below=1),
        "different numbers between 0 and 1",
        default=[0.5, 0.8, 0.9, 0.95],
    )
    """Levels of intervals, where outcomes are numbers."""
    bins = whole(1, 1000, default=10)
    """The number of bins of stated probability, where people choose options and simulators state
    probabilities. Of these bins are rule and closed."""
    rule = one_of("equal_width", "equal_mass", default="equal_width")
    """Whether bins have equal width, or equally many people."""
    closed = one_of("right", "left", default="right")
    """Which edge belongs to a bin."""
    kernel = one_of("exponential", "squared_exponential", default="exponential")
    """The kernel between stated probabilities, of the squared kernel calibration error (SKCE)."""
    kernel_distance = one_of("tv", "euclidean", default="tv")
    """The distance in the kernel: total variation, or Euclidean."""
    kernel_scale = number(above=0, most=BILLION, default=1)
    """What that distance is multiplied by."""
    kernel_test = one_of("clustered", "asymptotic", default="clustered")
    """The test of calibration by the SKCE. clustered allows for answers to one scenario, or
    cluster, that go together. asymptotic is that of Widmann et al. (2019), as if all answers were
    independent and unweighted: right for events that happen once, but too ready to reject where
    several people answer a scenario."""


class Hybrids(Keys, allowed="{sizes: [5, 10, 25, 50, 100]}, or {} for that"):
    """How many people hybrids see."""

    sizes = several(whole(2), "different whole numbers, 2 or more", default=[5, 10, 25, 50, 100])
    """The numbers of people interviewed in each scenario, in growing order."""


class Effects(Keys, allowed="a mapping with condition and control, or with attributes"):
    """The conditions of an experiment, or the attributes of a conjoint."""

    condition = text("the name of one of groups")
    """The column of groups that names the condition that a person was in."""
    control = text("one of the conditions")
    """The condition that effects are against, such as placebo."""
    moderators = several(text(), "names of columns of groups", least=0, default=[])
    """Columns of groups that effects may differ by, such as age. Default: none."""
    attributes = several(text(), "columns of a conjoint's attributes", default=[])
    """Columns of a conjoint, whose rows are profiles, such as price and brand (tabular). Effects
    are those of each level against the attribute's base."""
    bases = mapping(
        any_of(text(), number(), allowed="a level"),
        text("an attribute"),
        "a mapping from attributes to levels",
        default={},
    )
    """The level that the others are against, such as {price: "500"}. Default: the lowest number, or
    the first in alphabetical order."""


class Costs(Keys):
    """What a study costs."""

    scenario = number(least=0, default=0)
    """Of a scenario."""
    answer = number(least=0, default=1)
    """Of one person's answer in it."""
    draw = number(least=0, default=0.01)
    """Of one draw. Stated probabilities have none."""


class Plan(Keys, also=FOR_DEFAULTS):
    """What the next study shall reach."""

    width = several(number(above=0), "different numbers above 0", default=[0.1, 0.05])
    """Half the length of the mean's interval; how near to the truth the calibrated mean shall
    come; in the unit of the discrepancy."""
    probability = number(least=0.000001, most=0.999999, default=0.9)
    """Of curves only: the probability with which it shall come so near."""
    tail = number(least=0.000001, most=1, default=1)
    """Of curves only: the share of worst scenarios whose mean is planned for (CVaR); 1 plans for
    the mean over all (AUC)."""
    costs = part(Costs, default={})
    """Prices in any one unit."""


class Sequential(
    Keys, allowed="{at_random: true}, {at_random: false}, or {} where it is not known"
):
    """The order in which data come in."""

    at_random = BOOLEAN
    """Whether the order was drawn at random beforehand."""


class Predict(Keys, also=FOR_DEFAULTS):
    """How questions that nobody was asked are predicted."""

    questions = PATH
    """A file of simulators' answers or stated probabilities, in the forms of tabular datasets, to
    questions that people were not asked."""
    scenarios = PATH
    """A file that describes the new questions as that of tabular datasets does (scenario, question,
    options, cluster, ...), and those asked where features or weights need it."""
    alpha = number(least=0.001, most=0.5, default=0.1)
    """The probability with which a prediction may miss."""
    gamma = number(above=0, most=0.999999)
    """The coverage of the upper pseudo-discrepancies that predictions rest on: one number, fixed in
    advance, which need not be in the grid. It is above 1 - alpha, because the same people may have
    answered several questions. Default: 1 - alpha/2."""
    statement = several(
        one_of("marginal", "exact", "per_cluster", "weighted", "localised"),
        "different ones of marginal, exact, per_cluster, weighted, localised",
    )
    """The statements about new questions, in the order of preference. marginal is about questions
    like those asked (with clusters: of the same clusters), on average over studies. exact says the
    same of this very study, with 95 % confidence. per_cluster is about questions of new clusters.
    weighted is about a population of questions that weights describe. localised is like marginal
    (with clusters: per_cluster), but questions that resemble the new one count more. Default: all
    that the data allow."""
    features = several(COLUMN, "different columns")
    """The features by which questions resemble each other, for localised and for the nearest
    questions asked: question (the wording), n_options, cluster, or columns of the files of
    scenarios. Default: question, where all questions have a wording."""
    weights = COLUMN
    """A column of the files of scenarios with a weight for each question: how many times as often
    such questions occur among those to be predicted as among those asked, up to a common factor."""


class Target(Keys, required=("questions", "features")):
    """Questions that the study is about, of which only features are known."""

    questions = PATH
    """A file of scenarios, a row for each question that will be asked. Rows of questions that
    people were asked only describe these."""
    features = several(
        text(
            "the name of a column, length (words of the wording), n_options or cluster",
            **{"not": {"const": "question"}},
        ),
        "different columns",
    )
    """What the questions asked are weighted by until they have the same means: columns of the files
    of scenarios (numbers, also their squares; shares of groups), length (words of the wording),
    n_options or cluster."""


class Dataset(Keys, required=("ingest", "outcome")):
    """A dataset, and how it is studied."""

    ingest = string("the name of a folder below workflow/datasets")
    """The folder below workflow/datasets that reads the data."""
    title = ON_PAGE
    """The dataset's title in the report. Default: its name."""
    outcome = part(Outcome)
    """The kind of an answer: binary, ordinal (options with scores), categorical, bounded (a number
    in a known range), real (any number), text (in people's own words) or vector (such as an
    embedding, or a path on a grid of times)."""
    cluster = text("a name from the dataset's README, or none")
    """The column that groups scenarios into clusters, such as item or year; the dataset's README
    names them. none: scenarios are not grouped. Default: the first that the README names; for your
    own files, none."""
    noun = NOUN
    """The report's word for a scenario, such as question, or with an irregular plural [story,
    stories]. Default: the word in the dataset's folder, otherwise question; question in a
    group, or in a condition, where questions are put to groups."""
    simulators = where(
        {"type": "object"},
        LISTED,
        several(SIMULATOR, "", allowed=SIMULATORS),
        allowed=SIMULATORS,
    )
    """The simulators to study, in the order of figures and tables: their names, or {name: {label:
    ..., describe: ...}}. The label is the plain name in the report, such as qwen3-vl-2b, sampled
    answers. describe is a sentence on what the simulator is and how it answered. Default of both:
    the texts of the dataset's folder or of the baseline. Default of the list: all that there are,
    and the baselines uniform and pooled where the data allow them."""
    about = part(About)
    """Texts for statement.md, the appendix: about the people, and about how simulators were
    asked. Entries that are missing here appear as not stated. Default: the texts in the
    dataset's folder."""
    simulate = mapping(
        part(Asking),
        name(
            r"(?!(human|outcomes|stated|missing)$)[A-Za-z0-9][A-Za-z0-9_.-]*",
            60,
            "letters, digits, _, - and ., at most 60; not human, outcomes, stated or missing",
        ),
        "a mapping from simulators' names to how to ask",
    )
    """Language models to ask this dataset's questions, by the name of the simulator that each
    becomes."""
    draws = whole(1, BILLION, default=1000)
    """The number of answers drawn in each scenario from a simulator that is fitted here. Baselines
    use no more answers than the simulators beside them gave."""
    weighting_effect = number(least=0.001, most=1_000_000)
    """The design effect of survey weights, by which n is divided to give the effective sample size.
    Default: Kish's design effect of the weights; 1 where the data have no weights, and figures say
    so."""
    curves = BOOLEAN
    """Whether to compute quantile curves and everything else that rests on discrepancies. With
    false, as for forecasts of events that happen once, proper scores and calibration remain.
    Default: true; false where simulators state distributions of numbers (family)."""
    calibration = part(Calibration)
    """How calibration is measured. Default: it is not."""
    correct = any_of(
        BOOLEAN,
        several(one_of(*KINDS), ""),
        allowed="true, or a list of tempered, ridge and stacked",
        default=[],
    )
    """The corrections of simulators by people's answers to other scenarios: true for all of them,
    or a list. tempered makes a simulator more or less certain, and mixes it with a uniform guess
    and other people's pooled answers. ridge regresses people's shares on all simulators and the
    wording. stacked mixes all simulators. Default: none."""
    hybrids = part(Hybrids)
    """Measures how near a few people and a simulator together come to all other people, for several
    numbers of people interviewed. Default: not measured."""
    effects = part(Effects)
    """An experiment: effects of conditions against a control are compared with people's, in
    direction, size and order. Default: none."""
    regressions = mapping(
        text("a formula such as trust ~ age + party"),
        text("the name of a regression"),
        "a mapping from names of regressions to formulas, such as {trust: trust ~ age + party}",
        default={},
    )
    """Regressions of a question on facts about persons, such as {trust: trust ~ age + party}:
    are a simulator's slopes people's? The facts are columns of files that have a row for each
    person, or run. Default: none."""
    uses = where(
        {"type": "object"},
        mapping(number(above=0, type=["number", "null"]), USE, USES_ALLOWED, minProperties=1),
        several(USE, "", allowed=USES_ALLOWED),
        allowed=USES_ALLOWED,
        default=[],
    )
    """What the simulator is to be used for, declared before looking: a list of {uses}, or a mapping
    from them to limits, such as {regressions: 0.1}. Only these count at the confidence of all
    verdicts together, so that fewer are surer. Default: all that are measured."""
    scales = mapping(
        several(text(), "two or more questions, with a - before those reversed", least=2),
        text("the name of a scale"),
        "a mapping from names of scales to lists of two or more questions",
        default={},
    )
    """Questions whose sum measures one thing, such as {trust: [q1, q2, -q3]}. A question with a -
    before its name is worded against the scale, and reversed. Where answers are known by person,
    Cronbach's alpha, the first eigenvalue and the sum are compared with people's. Default: none."""
    plan = part(Plan)
    """Plans the next study, with this one as its pilot: how many people bring the interval of the
    mean to plus or minus a width, and how many scenarios, people and draws a calibrated curve
    within a width of the truth. Default: no plan."""
    sequential = part(Sequential)
    """For a study that is looked at while data come in: intervals that hold after each scenario, or
    after each cluster in the order of its first scenario, whenever you stop. They need scenarios in
    random order; at_random says whether the order was random. Without at_random the report says
    that this is not known. Default: no such intervals."""
    predict = part(Predict)
    """Predicts what people would answer to questions that they were not asked. Predictions rest on
    simulators' answers to these questions, and on their distances from people on the questions
    asked. {} takes the questions of the dataset's own files (tabular) that simulators answered and
    people did not; otherwise questions names a file. Default: nothing is predicted."""
    figures = several(string(), "names of figures, empty for none", least=0)
    """Figures to draw. Default: {by default}, each where the dataset has the data for it, and those
    of extensions. Drawn only if they are named here: {on request}."""
    target = where(
        {
            "type": "object",
            "properties": {"questions": {"type": "string"}},
            "required": ["questions"],
        },
        part(Target),
        mapping(
            number(least=0, most=BILLION),
            {},
            "a mapping from clusters to numbers, 0 or more",
            minProperties=1,
        ),
        allowed="a mapping from clusters to numbers, 0 or more, or {questions: FILE, features: "
        "[...]}",
    )
    """The population of scenarios that the study is about. Either the share of each cluster, such
    as {health: 0.7, money: 0.3}; or {questions: FILE, features: [topic, length]}, the questions
    that will be asked next: then curves and means are estimated for these, too. Default: the
    scenarios of the data."""
    grid = part(Grid, default={})
    """Overrides single keys of the study's grid."""
    comparison = part(Comparison, default={})
    """Overrides single keys of the study's comparison."""


class Columns(Keys):
    """Your names of a table's columns."""

    question = where({"type": "array"}, several(COLUMN, "columns"), COLUMN, allowed=SCORES)
    model = COLUMN
    score = where({"type": "array"}, several(COLUMN, "columns"), COLUMN, allowed=SCORES)
    epoch = COLUMN
    cluster = COLUMN


class Eval(Keys, required=("files",)):
    """The scores of an eval."""

    files = where(
        {"type": "array"},
        several(PATTERN, "", allowed=FILES),
        text(FILES),
        allowed=FILES,
    )
    """Paths or patterns such as logs/*.eval, one or a list: logs of inspect_ai (.eval, .json),
    samples of lm-evaluation-harness (.jsonl), or tables of scores (CSV, Parquet, Excel)."""
    columns = part(Columns, default={})
    """The names of a table's columns for question, model, score, epoch (which of several samples of
    the question) and cluster. Where each model has a column of scores, score is their list; where
    ids begin anew in each dataset, question is the list of both columns. Of a log, score names one
    of several: a scorer of inspect_ai (or scorer.part), or a metric (or metric,filter) of
    lm-evaluation-harness.
    Default: the columns of these names, or a log's own, but a cluster only if it is named."""
    recode = mapping(
        any_of(number(), one_of("missing")),
        PATTERN,
        "a mapping from texts to numbers, or to missing",
        default={},
    )
    """What words stand for in a table of scores, such as {good: 1, bad: 0, timeout: missing}.
    Words such as correct and incorrect, or C, P and I, are known."""
    cluster = text("the name of a key, a field or a column")
    """What groups questions into clusters, such as a passage or a language: a key of the samples'
    metadata (inspect_ai), a field of the document (lm-evaluation-harness), or a column. Default:
    questions are independent."""
    better = one_of("higher", "lower")
    """Which score is better. Default: as the files say; of tables it is higher or lower if the
    column has a well-known name, such as accuracy or loss. Elsewhere you are asked."""
    models = mapping(
        WORD, PATTERN, "a mapping from paths or patterns to names of models", default={}
    )
    """The name of a file's model, where the file has none or two models have the same name, such as
    {logs/galleon*.eval: Galleon}."""
    range = listed(end(), "a list of two numbers: [0, 10]", least=2, most=2, default=[0, 1])
    """The smallest and the largest possible score; .inf where there is no end, as of WER."""


class Power(Keys):
    """The tests of an evaluation."""

    alpha = number(above=0, most=0.2, default=0.05)
    """The level of tests: intervals hold with probability 1 - alpha."""
    power = number(least=0.3, below=1, default=0.8)
    """The probability with which a detectable effect shall be found."""
    effect = number(above=0, most=BILLION, allowed="a number above 0")
    """The true difference that the evaluation ought to find, stated before looking. Default: none,
    and the number of questions needed is not given."""


class Evaluation(Keys, required=("evals",)):
    """An evaluation of models."""

    title = ON_PAGE
    """The evaluation's title in the report. Default: its name."""
    evals = mapping(
        part(Eval), WORD, "a mapping from names of evals to their settings", minProperties=1
    )
    """The evals by name, each with the files of its scores."""
    baseline = text("the name of a model, as the logs have it")
    """The model that all others are compared with. Default: every two models are compared."""
    margin = number(least=0)
    """The margin of a test of non-inferiority, in the unit of the scores: a model that is worse
    than the baseline by at most this counts as no worse. The test is one-sided, at the level
    power.alpha. It also is the limit of how far behind the best a model may be. Default: no such
    test, and a twentieth of the range of scores as limit, or, without an end, of those there."""
    standard_error = one_of("cr2", "cr1", "cr0", "miller", default="cr2")
    """The kind of standard error over clusters. cr2: with a correction for few clusters, and
    Student's t with degrees of freedom that allow for their number. cr1: as in inspect_ai and
    statsmodels, and t with one degree of freedom fewer than there are clusters. cr0: without a
    correction, and the normal distribution. miller: as in Miller (2024), and the normal
    distribution. Without clusters all but cr0 are the CLT's."""
    unpaired = BOOLEAN | {"default": False}
    """Whether models that have no question of an eval in common are compared all the same, as two
    independent samples of questions (Welch; over clusters CR2). The difference then includes that
    of the questions, so both samples have to be drawn from the same ones. Where models share
    questions, these are compared in pairs."""
    power = part(Power, default={})
    """The settings of tests of differences."""


class Study(
    Keys,
    anyOf=[{"required": ["datasets"]}, {"required": ["evaluations"]}],
    allowed="a mapping with datasets or evaluations, or both",
):
    """A study."""

    study = string(
        "at most 60 letters, digits, _, - and ., not beginning with - or .",
        pattern=r"^\w[\w.-]*\Z",
        maxLength=60,
    )
    """The study's name; its results are in results/NAME/. Default: the name of the config file, or
    default for config.yaml."""
    seed = whole(0, default=20251205)
    """Seed of every random draw. The same seed gives the same tables on any machine."""
    extensions = several(text(), "paths of Python files", least=0, default=[])
    """Python files of your own that add discrepancies, confidence sets or baselines, or that draw a
    figure. Paths start at the folder that snakemake runs in."""
    grid = part(Grid, default={})
    """The settings to compute all curves for, each combined with each. A dataset's own grid
    overrides single keys."""
    comparison = part(Comparison, default={})
    """The settings for which simulators are compared in pairs."""
    data_mirror = text("the path of a folder")
    """A local folder with files that would otherwise be downloaded, as <ingest>/<file>. The
    environment variable FIDELITY_DATA_MIRROR does the same."""
    models = mapping(part(Model), {}, "a mapping from names to models")
    """Language models that can be asked, by name; see datasets.<name>.simulate."""
    prompts = mapping(
        part(Wording),
        name(r"[A-Za-z0-9][A-Za-z0-9_.-]*", 40, "letters, digits, _, - and ., at most 40"),
        "a mapping from names to texts",
    )
    """Prompts for language models, by name; see datasets.<name>.simulate and its key prompts. A
    prompt is a text with {question}, {options} and {persona}; in mode population it has
    {population} in place of {persona}. {prompt: ..., system: ...} adds a system message of its
    own."""
    datasets = named(part(Dataset), "dataset")
    """The datasets to study, by name. The name is the folder of its results."""
    evaluations = named(part(Evaluation), "evaluation")
    """Evaluations whose scores are compared, by name. The name is the folder of its results."""
