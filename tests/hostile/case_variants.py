"""Files as people export them, of kinds that were once misread: many variants, each with its truth.

A variant has other names, codes, languages, separators and orders than the next. Its truth is
computed here by pandas and plain Python, and not by the reader.
"""

import json
import random
import zipfile
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO

import pandas as pd

Truth = dict[tuple[str, str], dict[str, float]]
HUMAN = "human"
TOPICS = [
    "bus",
    "parks",
    "tax",
    "school",
    "wasser",
    "\u00e9cole",
    "salud",
    "Q7",
    "q_12",
    "trust us?",
]
SCALES = [
    ["agree", "neutral", "disagree"],
    ["ja", "nein", "egal"],
    ["s\u00ed", "no", "tal vez"],
    ["toujours", "parfois", "jamais"],
    ["Strongly agree", "Somewhat agree", "Somewhat disagree", "Strongly disagree"],
]
MODELS = ["gpt-4o", "claude-3", "llama-3.1-70b", "gemini", "mistral large"]


@dataclass
class Variant:
    """Files, and what is right.

    Attributes:
        files: their content by name.
        arguments: of ``start``.
        truth: the answers of each source to each question; None where the files are refused.
        told: words that notes have.
        refused: words that the refusal has.
        wanted: options that a user who knows the files takes where they are offered, or adds.
        options: of each question, where that is to be checked.
        others: options that are right for the same files where they mean something else.
    """

    files: dict[str, str | bytes]
    arguments: list[str]
    truth: Truth | None = None
    told: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    wanted: list[str] = field(default_factory=list)
    options: dict[str, list[str]] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)


def questions(rng: random.Random, least: int = 2, most: int = 5) -> list[str]:
    return rng.sample(TOPICS, rng.randint(least, most))


def draw(rng: random.Random, names: list[str], labels: list[str], size: int) -> pd.DataFrame:
    """Return a wide table in which every question has every label."""
    rows = {}
    for name in names:
        column = [*labels, *rng.choices(labels, k=max(size - len(labels), 0))]
        rng.shuffle(column)
        rows[name] = column
    return pd.DataFrame(rows)


def counts(source: str, table: pd.DataFrame, weight: pd.Series | None = None) -> Truth:
    """Return how often each label stands in each column."""
    found: Truth = {}
    for name in table:
        cells = table[name]
        found[name, source] = cells.dropna().value_counts().astype(float).to_dict()
        if weight is not None:
            sums = weight.groupby(cells).sum()
            found[name, source] = (sums / sums.sum() * cells.notna().sum()).to_dict()
    return found


def long(table: pd.DataFrame, scenario="scenario", value="value", **more) -> pd.DataFrame:
    """Return a row for each cell, with further columns."""
    rows = table.reset_index(drop=True).melt(var_name=scenario, value_name=value)
    return rows.assign(**more)


def csv(table: pd.DataFrame, sep: str = ",", index: bool = False) -> str:
    return table.to_csv(index=index, sep=sep, lineterminator="\n")


def pair(rng: random.Random, labels=None, names=None, size=20):
    """Return people's and a model's answers as wide tables, and their truth."""
    labels, names = labels or rng.choice(SCALES), names or questions(rng)
    human, model = draw(rng, names, labels, size), draw(rng, names, labels, size + 3)
    return human, model, {**counts(HUMAN, human), **counts("model", model)}


def either_form(rng: random.Random, table: pd.DataFrame, **more) -> str:
    return csv(long(table, **more) if rng.random() < 0.5 else table)


# ------------------------------------------------------------------------------------ kinds


def annulled_question(rng):
    names, mark = questions(rng, 3), rng.choice(["annulled", "void", "N/R", "ung\u00fcltig", "-1"])
    dead = rng.choice(names)
    if rng.random() < 0.5:
        outcome = {name: mark if name == dead else rng.choice(["yes", "no"]) for name in names}
        alive = [name for name in names if name != dead]
        outcome[alive[0]], outcome[alive[1]] = "yes", "no"
        p = {name: round(rng.uniform(0.1, 0.9), 2) for name in names}
        files = {
            "o.csv": csv(pd.DataFrame({"scenario": names, "value": [outcome[n] for n in names]})),
            "f.csv": csv(
                pd.DataFrame({"scenario": names, "simulator": "pro", "probability": p.values()})
            ),
        }
        truth = {(name, HUMAN): {outcome[name]: 1.0} for name in alive}
        truth |= {(name, "pro"): {"yes": p[name], "no": 1 - p[name]} for name in alive}
        arguments = [
            "o.csv",
            "f.csv",
            "--kind",
            "binary",
            "--levels",
            "no | yes",
            "--missing",
            mark,
        ]
        return Variant(files, arguments, truth, [repr(dead)])
    human, model, truth = pair(rng, names=names)
    human[dead] = rng.choice([mark, None])
    truth = {key: each for key, each in truth.items() if key[0] != dead}
    more = {"simulator": "model"} if rng.random() < 0.5 else {}
    files = {"human.csv": csv(human), "model.csv": csv(model.assign(**more))}
    return Variant(files, ["human.csv", "model.csv", "--missing", mark], truth, [repr(dead)])


def answers_over_several_lines(rng):
    labels = rng.choice(SCALES)
    human, model, truth = pair(rng, labels)
    told = model.copy()
    for at in rng.sample(range(len(model)), 3):
        name = rng.choice(list(model))
        told.loc[at, name] = (
            rng.choice(["<think>\nhm\n</think>\n\n", "Well,\nI say:\n", "1.\n"])
            + model.loc[at, name]
        )
    at, name = rng.randrange(len(model)), next(iter(model))
    told.loc[at, name] = "I cannot\nsay."
    truth = {**truth, **counts("model", model.drop(index=at)[[name]])}
    rows = long(told)
    is_json = rng.random() < 0.5
    lines = "".join(json.dumps(each) + "\n" for each in rows.to_dict("records"))
    file = "model.jsonl" if is_json else "model.csv"
    files = {"human.csv": csv(long(human)), file: lines if is_json else csv(rows)}
    wanted = ["--unlisted unparsable", "--levels"]
    return Variant(files, ["human.csv", file], truth, wanted=wanted)


def bounds_other_unit(rng):
    names, top = questions(rng), rng.choice([100, 10, 1000])
    human = pd.DataFrame({n: [rng.randint(0, top) for _ in range(30)] for n in names})
    human.iloc[0] = top
    model = pd.DataFrame({n: [rng.randint(1, 99) / 100 for _ in range(12)] for n in names})
    if rng.random() < 0.3:
        human, model = model, human
    upper = str(top)
    kind = rng.choice([["--kind", "bounded", "--bounds", "0", upper], ["--kind", "real"]])
    files = {"human.csv": csv(long(human)), "model.csv": csv(long(model))}
    return Variant(files, ["human.csv", "model.csv", *kind], None, ["another unit"])


def checkbox_columns(rng):
    stem = rng.choice(["Q5", "media use", "q12", "Medien"])
    texts = rng.sample(["Bus", "Car", "Train", "V\u00e9lo", "zu Fu\u00df"], rng.randint(2, 4))
    how = rng.choice(["_{}", " [{}]", "#1_{}", ".{}"])
    mark = rng.choice([None, "1", "Y", "x", "TRUE", "Checked"])
    columns = {
        stem + how.format(text if how == " [{}]" else i + 1): mark or text
        for i, text in enumerate(texts)
    }
    other = {"opinion": rng.choice(SCALES[:4])} if rng.random() < 0.4 else {}
    files, truth = {}, {}
    for source, size in ((HUMAN, 12), ("model", 15)):
        table = pd.DataFrame(
            {
                n: [label if rng.random() < 0.6 else None for _ in range(size)]
                for n, label in columns.items()
            }
        )
        for name, label in columns.items():
            table.loc[0, name], table.loc[1, name] = label, None
        truth |= {
            (name, source): {
                "1": float(table[name].notna().sum()),
                "0": float(table[name].isna().sum()),
            }
            for name in columns
        }
        for name, labels in other.items():
            own = draw(rng, [name], labels, size)
            table[name] = own[name]
            truth |= counts(source, own)
        files[f"{source}.csv"] = csv(table)
    return Variant(files, ["human.csv", "model.csv"], truth, ["tick boxes"])


def codebook_with_more_questions(rng):
    human, model, truth = pair(rng)
    more = rng.sample([f"x{i}" for i in range(9)], rng.randint(1, 3))
    names = [*human, *more]
    rng.shuffle(names)
    book = pd.DataFrame({"scenario": names, "question": [f"What of {n}?" for n in names]})
    files = {
        "human.csv": either_form(rng, human),
        "model.csv": either_form(rng, model),
        "book.csv": csv(book),
    }
    return Variant(
        files, ["human.csv", "model.csv", "--scenarios", "book.csv"], truth, [repr(more[0])]
    )


def decimal_comma_answers(rng):
    steps = [i / 2 for i in range(rng.randint(3, 6))] if rng.random() < 0.7 else [1.25, 2.5, 3.75]
    labels = [f"{step:g}" for step in steps]
    human, model, truth = pair(rng, labels)
    comma = [each.map(lambda text: text.replace(".", ",")) for each in (human, model)]
    files = {"human.csv": csv(long(comma[0]), ";"), "model.csv": csv(long(comma[1]), ";")}
    truth = {key: {f"{float(x):g}": n for x, n in own.items()} for key, own in truth.items()}
    arguments = ["human.csv", "model.csv", "--separator", ";"]
    wanted = ["--decimal ,", "--kind categorical"]
    if rng.random() < 0.5:
        arguments += ["--kind", "categorical"]
    return Variant(files, arguments, truth, wanted=wanted)


def dk_codes_next_to_scale(rng):
    top = rng.randint(4, 7)
    scale = [str(i) for i in range(1, top + 1)]
    codes = [str(top + 1), str(top + 2)]
    name = rng.choice(TOPICS)
    human, model = draw(rng, [name], [*scale, *codes], 60), draw(rng, [name], scale, 40)
    truth = {**counts(HUMAN, human), **counts("model", model)}
    files = {"human.csv": either_form(rng, human), "model.csv": either_form(rng, model)}
    told = ["no simulator gives", repr(codes[0]), repr(codes[1])]
    return Variant(files, ["human.csv", "model.csv"], truth, told)


def sheet_file(rows: dict[str, str]) -> bytes:
    """Return a spreadsheet with texts in cells."""
    cells = "".join(
        f'<row r="{place.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")}"><c r="{place}" t="inlineStr">'
        f"<is><t>{text}</t></is></c></row>"
        for place, text in rows.items()
    )
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
        "</Types>",
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{rel}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{rel}"><sheets><sheet name="s" '
        'sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{rel}/worksheet" Target="worksheets/sheet1.xml"/>'
        "</Relationships>",
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{cells}</sheetData>'
        "</worksheet>",
    }
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for name, text in parts.items():
            file.writestr(name, text)
    return packed.getvalue()


def far_cell(rng):
    far = rng.choice(["XFD", "XAB", "WWW", "ZZZ"[:2]]) + str(rng.randint(900_000, 1_048_576))
    cells = {"A1": "scenario", "B2": "yes", far: "x"}
    _, model, _ = pair(rng)
    files = {"human.xlsx": sheet_file(cells), "model.csv": csv(long(model))}
    return Variant(files, ["human.xlsx", "model.csv"], refused=[far, "human.xlsx"])


def group_value_with_bar(rng):
    column, names = rng.choice(["cell", "grp", "Region"]), questions(rng, 1, 3)
    cells = rng.sample(["Europe | Urban", "Asia|Rural", "a | b | c", "plain"], 3)
    labels = rng.choice(SCALES)
    truth: Truth = defaultdict(dict)
    files = {}
    for source in (HUMAN, "m"):
        parts = []
        for cell in cells:
            table = draw(rng, names, labels, 8)
            parts.append(long(table, "question").assign(**{column: cell}))
            shown = " ".join(cell.split()).replace("|", "\u00a6")
            for (name, _), own in counts(source, table).items():
                truth[f"{name} | {shown}", source] = own
        rows = pd.concat(parts)
        files[f"{source}.csv"] = csv(rows if source == HUMAN else rows.assign(simulator="m"))
    arguments = ["human.csv", "m.csv", "--scenario", "question", "--groups", column]
    return Variant(files, arguments, dict(truth))


def groups_respondent(rng):
    human, model, truth = pair(rng)
    name = rng.choice(["respondent", "person", "TWIN_ID", "pid"])
    ids = [f"p{i}" for i in range(40)]
    files = {
        "human.csv": csv(pd.concat([long(human[[q]], **{name: ids[: len(human)]}) for q in human])),
        "model.csv": csv(pd.concat([long(model[[q]], **{name: ids[: len(model)]}) for q in model])),
    }
    given = [] if name == "respondent" and rng.random() < 0.5 else ["--respondent", name]
    return Variant(files, ["human.csv", "model.csv", *given], truth)


def kind_real_counts_refusals(rng):
    top, codes = rng.choice(
        [
            (10, ["77", "88", "99"]),
            (100, ["998", "999"]),
            (10, ["-2147483648"]),
            (50, ["-99"]),
            (20, ["97", "98"]),
        ]
    )
    names = questions(rng, 1, 3)
    scale = [str(i) for i in range(0, top + 1, 1 if top < 50 else 3)]
    human, model = draw(rng, names, [*scale, *codes], 80), draw(rng, names, scale, 60)
    clean = human.where(~human.isin(codes))
    truth = {**counts(HUMAN, clean), **counts("model", model)}
    files = {"human.csv": either_form(rng, human), "model.csv": either_form(rng, model)}
    given = rng.choice([["--kind", "real"], []])
    missing = " ".join(f"--missing {code}" for code in sorted(codes, key=int))
    wanted = [missing, "--kind real" if given else "--kind ordinal"]
    return Variant(files, ["human.csv", "model.csv", *given], truth, wanted=wanted)


def lone_surrogate(rng):
    human, model, _ = pair(rng)
    rows = long(human).to_dict("records")
    at, key = rng.randrange(len(rows)), rng.choice(["scenario", "value"])
    rows[at][key] += chr(rng.randint(0xD800, 0xDFFF))
    files = {
        "human.jsonl": "".join(json.dumps(each) + "\n" for each in rows),
        "model.csv": csv(long(model)),
    }
    return Variant(files, ["human.jsonl", "model.csv"], refused=["human.jsonl", f"row {at + 1},"])


def mixed_scales(rng):
    scales = rng.sample([(1, 4), (1, 10), (1, 2), (0, 2), (0, 10), (1, 5)], rng.randint(3, 5))
    if max(high - low for low, high in scales) < 9:
        scales[0] = (1, 10)
    names = rng.sample(TOPICS, len(scales))
    options = {
        n: [str(i) for i in range(low, high + 1)]
        for n, (low, high) in zip(names, scales, strict=True)
    }
    tables = [
        pd.concat([draw(rng, [n], options[n], size) for n in names], axis=1) for size in (60, 40)
    ]
    truth = {**counts(HUMAN, tables[0]), **counts("model", tables[1])}
    files = {"human.csv": either_form(rng, tables[0]), "model.csv": either_form(rng, tables[1])}
    given = []
    if rng.random() < 0.4:
        book = pd.DataFrame({"scenario": names, "topic": names, "question": names})
        files, given = {**files, "book.csv": csv(book)}, ["--scenarios", "book.csv"]
    return Variant(files, ["human.csv", "model.csv", *given], truth, options=options)


def multi_select_one_cell(rng):
    atoms = rng.sample(
        ["Bus", "Train", "Car", "V\u00e9lo", "Fu\u00dfweg", "1", "2", "3"], rng.randint(3, 5)
    )
    if any(a.isdigit() for a in atoms) and not all(a.isdigit() for a in atoms):
        atoms = [a for a in atoms if not a.isdigit()] + ["Tram", "Taxi"]
    sign = rng.choice([", ", ";", "|", " | ", ",", "json", "python", "lists"])
    name = rng.choice(TOPICS)
    files, truth = {}, {}
    for source, size in ((HUMAN, 30), ("model", 25)):
        chosen = [
            [a for a in atoms if rng.random() < 0.5] or [rng.choice(atoms)] for _ in range(size)
        ]
        chosen[0], chosen[1], chosen[2] = [atoms[0]], atoms[:2], atoms[:3]
        if sign in ("json", "python", "lists"):
            chosen[3] = []
            cells = [
                json.dumps(c, ensure_ascii=False) if sign == "json" else str(c) for c in chosen
            ]
        else:
            cells = [sign.join(c) for c in chosen]
        for atom in atoms:
            number = float(sum(atom in c for c in chosen))
            truth[f"{name}: {atom}", source] = {"1": number, "0": size - number}
        if sign == "lists":
            lines = "".join(json.dumps({name: each}) + "\n" for each in chosen)
            files[f"{source}.jsonl"] = lines
        else:
            files[f"{source}.csv"] = csv(pd.DataFrame({name: cells}))
    wanted = [f"--multiple {name!r}" if " " in name or "?" in name else f"--multiple {name}"]
    return Variant(files, list(files), truth, wanted=wanted)


def one_file_source_column(rng):
    labels, names = rng.choice(SCALES), questions(rng)
    column = rng.choice(["source", "model", "respondent_type", "simulator", "type", "agent"])
    people = rng.choice(["human", "Human", "people", "participant", "humans", "Mensch"])
    parts, truth = [], {}
    for source in [people, *rng.sample(MODELS, rng.randint(1, 3))]:
        table = draw(rng, names, labels, rng.randint(8, 14))
        truth |= counts(HUMAN if source == people else source, table)
        parts.append(table.assign(**{column: source}))
    rows = pd.concat(parts).sample(frac=1, random_state=rng.randrange(999))
    if rng.random() < 0.5:
        rows = rows.melt(id_vars=column, var_name="question", value_name="answer")
        given = ["--scenario", "question", "--value", "answer"]
    else:
        given = []
    return Variant({"data.csv": csv(rows)}, ["data.csv", *given], truth, ["are people's"])


def one_forecaster_file(rng):
    names, who = questions(rng, 3), rng.choice(["anna", "Pro forecaster", "gpt"])
    outcome = {n: rng.choice("01") for n in names} | {names[0]: "1", names[1]: "0"}
    p = {n: round(rng.uniform(0.05, 0.95), 2) for n in names}
    order = rng.sample(names, len(names))
    files = {
        "o.csv": csv(pd.DataFrame({"scenario": names, "value": [outcome[n] for n in names]})),
        f"{who}.csv": csv(pd.DataFrame({"scenario": order, "probability": [p[n] for n in order]})),
    }
    truth = {(n, HUMAN): {outcome[n]: 1.0} for n in names}
    truth |= {(n, who): {"1": p[n], "0": 1 - p[n]} for n in names}
    return Variant(files, ["o.csv", f"{who}.csv"], truth)


def pandas_index(rng):
    human, model, truth = pair(rng)
    tables = [human, model]
    if rng.random() < 0.5:
        tables = [long(each) for each in tables]
    texts = []
    for each in tables:
        numbers = rng.sample(range(900), len(each)) if rng.random() < 0.4 else range(len(each))
        first = rng.choice(["", "Unnamed: 0"])
        texts.append(csv(each.set_axis(list(numbers)).rename_axis(first), index=True))
    files = dict(zip(("human.csv", "model.csv"), texts, strict=True))
    return Variant(files, ["human.csv", "model.csv"], truth, ["numbers the rows"])


def percents(rng, names, labels) -> pd.DataFrame:
    rows = []
    for name in names:
        cuts = sorted(rng.sample(range(3, 97), len(labels) - 1))
        shares = [b - a for a, b in zip([0, *cuts], [*cuts, 100], strict=True)]
        if rng.random() < 0.5:
            shares[0] += rng.choice([-1, 1]) if shares[0] > 1 else 1
        rows += [(name, label, share) for label, share in zip(labels, shares, strict=True)]
    return pd.DataFrame(rows, columns=["scenario", "value", "p"])


def of_base(rows: pd.DataFrame, base: int) -> Truth:
    truth: Truth = defaultdict(dict)
    total = rows.groupby("scenario")["p"].sum()
    for row in rows.itertuples():
        truth[row.scenario, HUMAN][row.value] = row.p / total[row.scenario] * base
    return dict(truth)


def percent_column(rng):
    names, labels, base = questions(rng), rng.choice(SCALES), rng.choice([500, 1043, 2000])
    rows, model = percents(rng, names, labels), draw(rng, names, labels, 20)
    column = rng.choice(["pct", "percent", "Prozent", "%", "share_pct", "porcentaje", "x"])
    shown = rows.assign(p=rows["p"].astype(str) + rng.choice(["", "%", " %"]))
    files = {"human.csv": csv(shown.rename(columns={"p": column})), "model.csv": csv(long(model))}
    wanted = [f"--percent {column}", f"--base {base}"]
    return Variant(
        files,
        ["human.csv", "model.csv"],
        of_base(rows, base) | counts("model", model),
        wanted=wanted,
    )


def percent_in_count(rng):
    names, labels, base = questions(rng, 3), rng.choice(SCALES), rng.choice([400, 1500])
    rows, model = percents(rng, names, labels), draw(rng, names, labels, 20)
    files = {"human.csv": csv(rows.rename(columns={"p": "count"})), "model.csv": csv(long(model))}
    if rng.random() < 0.3:
        truth: Truth = defaultdict(dict)
        for row in rows.itertuples():
            truth[row.scenario, HUMAN][row.value] = float(row.p)
        wanted = ["--count count"]
    else:
        truth, wanted = of_base(rows, base), ["--percent count", f"--base {base}"]
    truth = dict(truth) | counts("model", model)
    others = ["--count count"]  # right where they are counts
    return Variant(files, ["human.csv", "model.csv"], truth, wanted=wanted, others=others)


def question_without_people(rng):
    human, model, truth = pair(rng, names=questions(rng, 3))
    dead = rng.choice(list(human))
    rows = long(human).value_counts(sort=False).rename("count").reset_index()
    rows.loc[rows["scenario"] == dead, "count"] = 0
    truth = {key: own for key, own in truth.items() if key[0] != dead}
    files = {"human.csv": csv(rows), "model.csv": csv(long(model))}
    return Variant(files, ["human.csv", "model.csv"], truth, [repr(dead)])


def recode_mixed_keys(rng):
    labels = ["1", "2", "3", "4", "5"]
    human, model, _ = pair(rng, labels)
    old, new = rng.sample(labels[1:4], 2)
    also = rng.choice(["x", "ja"])
    human, model = (each.replace(new, also) for each in (human, model))
    recoded = [each.replace({also: new, old: new}) for each in (human, model)]
    truth = counts(HUMAN, recoded[0]) | counts("model", recoded[1])
    files = {"human.csv": either_form(rng, human), "model.csv": either_form(rng, model)}
    given = ["--recode", old, new, "--recode", also, new, "--kind", "categorical"]
    return Variant(files, ["human.csv", "model.csv", *given], truth)


def shifted_codes(rng):
    top, shift = rng.randint(4, 7), rng.choice([1, -1])
    names = questions(rng, 2)
    human = draw(rng, names, [str(i) for i in range(1, top + 1)], 20)
    model = draw(rng, names, [str(i + shift) for i in range(1, top + 1)], 20)
    truth = counts(HUMAN, human) | counts("model", model)
    files = {"human.csv": either_form(rng, human), "model.csv": either_form(rng, model)}
    names = ["human.csv", "model.csv"]
    if shift < 0:  # as codes that begin at 0 are
        return Variant(files, names, refused=["as codes of one scale from 0 and from 1 are"])
    return Variant(files, names, truth, ["no simulator gives", "'1'", repr(str(top + 1))])


TOTAL = [
    "Alle",
    "Total",
    "Gesamt",
    "Ensemble",
    "Base",
    "zusammen",
    "N total",
    "\u5408\u8a08",
    "Suma",
]


def totals(rng):
    names, labels = questions(rng, 3), rng.choice(SCALES)
    files, truth, word = {}, {}, rng.choice(TOTAL)
    sides = rng.choice([(HUMAN,), ("model",), (HUMAN, "model")])
    for source in (HUMAN, "model"):
        table = draw(rng, names, labels, 70)
        truth |= counts(source, table)
        rows = long(table).value_counts(sort=False).rename("count").reset_index()
        if source in sides:
            whole = rows.groupby("scenario", as_index=False)["count"].sum().assign(value=word)
            rows = pd.concat([rows, whole]).sample(frac=1, random_state=rng.randrange(99))
        files[f"{source}.csv"] = csv(rows)
    wanted = [f"--totals {word!r}" if " " in word else f"--totals {word}"]
    return Variant(files, ["human.csv", "model.csv"], truth, wanted=wanted)


def two_columns_of_names(rng):
    names = questions(rng, 3)
    scenario = rng.choice(["question", "item", "event", "market", "qid"])
    who = rng.choice(["forecaster", "model", "source", "llm", "bot"])
    outcome = {n: rng.choice("01") for n in names} | {names[0]: "1", names[1]: "0"}
    rows, truth = [], {(n, HUMAN): {outcome[n]: 1.0} for n in names}
    for forecaster in rng.sample(["anna", "bert", "gpt-4"], 2):
        for n in names:
            p = round(rng.uniform(0.05, 0.95), 2)
            rows.append((n, forecaster, p))
            truth[n, forecaster] = {"1": p, "0": 1 - p}
    files = {
        "o.csv": csv(pd.DataFrame({scenario: names, "value": [outcome[n] for n in names]})),
        "f.csv": csv(pd.DataFrame(rows, columns=[scenario, who, "probability"])),
    }
    wanted = [f"--scenario {scenario}", f"--simulator {who}"]
    return Variant(files, ["o.csv", "f.csv"], truth, wanted=wanted)


def value_named_differently(rng):
    human, model, truth = pair(rng)
    role, name = rng.choice(
        [("value", "answer"), ("scenario", "item"), ("value", "Antwort"), ("count", "Anzahl")]
    )
    tables = [
        long(each).value_counts(sort=False).rename("count").reset_index() for each in (human, model)
    ]
    side = rng.choice([0, 1])
    tables[side] = tables[side].rename(columns={role: name})
    files = {"human.csv": csv(tables[0]), "model.csv": csv(tables[1].assign(simulator="model"))}
    return Variant(files, ["human.csv", "model.csv", f"--{role}", name], truth)


WEIGHTS = [
    "finalwt",
    "WTSSALL",
    "gewicht",
    "pondera",
    "poids",
    "PESO",
    "weight_final",
    "pspwght",
    "wt",
]
WEIGHTS += [
    "WTFINL",
    "perwt",
    "hgew",
    "dweight",
    "ponderador",
    "pond\u00e9ration",
    "vikt",
    "weights",
]
WEIGHTS += [
    "nr_weight",
    "rakedweight",
    "wgt",
    "Gewichtung",
    "waga",
    "\u6743\u91cd",
    "finalweight2024",
]


def weight_of_other_name(rng):
    human, model, _ = pair(rng, size=30)
    name = rng.choice(WEIGHTS)
    weight = pd.Series([round(rng.uniform(0.2, 3.0), 3) for _ in range(len(human))])
    truth = counts(HUMAN, human, weight) | counts("model", model)
    if rng.random() < 0.5:
        text = csv(human.assign(**{name: weight}))
    else:
        ids = [f"r{i}" for i in range(len(human))]
        parts = [long(human[[q]]).assign(respondent=ids, **{name: weight}) for q in human]
        text = csv(pd.concat(parts))
    files = {"human.csv": text, "model.csv": either_form(rng, model)}
    return Variant(files, ["human.csv", "model.csv"], truth, wanted=[f"--weight {name}"])


def wide_model_column(rng):
    labels, names = rng.choice(SCALES), questions(rng)
    column = rng.choice(["model", "llm", "source", "Model", "agent", "model_name"])
    human = draw(rng, names, labels, 15)
    truth, parts = counts(HUMAN, human), []
    for source in rng.sample(MODELS, rng.randint(1, 3)):
        table = draw(rng, names, labels, 8)
        truth |= counts(source, table)
        parts.append(table.assign(**{column: source}))
    rows = pd.concat(parts)
    rows = rows[rng.sample(list(rows), len(rows.columns))]
    files = {"human.csv": csv(human), "model.csv": csv(rows)}
    return Variant(files, ["human.csv", "model.csv"], truth, wanted=[f"--simulator {column}"])


def groups_in_columns(rng):
    names, labels, base = questions(rng, 2), rng.choice(SCALES), rng.choice([500, 1043])
    rows, model = percents(rng, names, labels), draw(rng, names, labels, 20)
    rows["p"] = rows.groupby("scenario")["p"].transform(lambda p: p / p.sum() * 100)
    shown = rows["p"].map(lambda p: f"{p:.6f}".replace(".", rng.choice([".", ","])))
    shown += rng.choice(["", "%", " %"])
    table = pd.DataFrame({"question": rows["scenario"], "answer": rows["value"], "Total": shown})
    table = table.assign(Men=shown, Women=shown, young=rng.choice(["*", "<1", "-"]))
    if rng.random() < 0.5:  # merged cells
        table["question"] = table["question"].mask(table["question"].duplicated())
    files = {"human.csv": csv(table, ";"), "model.csv": csv(long(model))}
    arguments = ["human.csv", "model.csv", "--separator", ";"]
    truth = of_base(rows.assign(p=rows["p"].round(6)), base) | counts("model", model)
    told = ["'Men', 'Women', 'young'"]
    return Variant(files, arguments, truth, told, wanted=[f"--base {base}"])


def other_labels(rng):
    labels, spelled = rng.choice(
        [
            (["1", "2", "3", "4"], ["1 - never", "2", "3", "4 - always"]),
            (["1", "2", "3"], ["1. never", "2. often", "3. always"]),
            (["never", "often", "always"], ["(1) never", "(2) often", "(3) always"]),
            (["Yes", "No"], ["Y", "N"]),
            (["1", "0"], ["Checked", "Unchecked"]),
            (["1-2", "3-5", "6+"], ["02-Jan", "05-Mar", "6+"]),
            (["1", "2", "3", "4", "5"], ["low", "2", "3", "4", "high"]),
        ]
    )
    human, model, truth = pair(rng, labels)
    one, two = csv(human), csv(model.replace(dict(zip(labels, spelled, strict=True))))
    files = {"human.csv": one, "model.csv": two}
    first = "--recode high 5" if "high" in spelled else "--recode"
    return Variant(files, ["human.csv", "model.csv"], truth, wanted=[first])


def repeated_header(rng):
    human, model, truth = pair(rng)
    head, *rows = either_form(rng, human).splitlines()
    at = rng.randrange(1, len(rows))
    text = "\n".join([head, *rows[:at], head, *rows[at:]]) + "\n"
    files = {"human.csv": text, "model.csv": csv(model)}
    return Variant(files, ["human.csv", "model.csv"], truth, told=[f"row {at + 2} repeats"])


def points_between_thousands(rng):
    names = questions(rng)
    numbers = pd.DataFrame({n: [250 * rng.randint(1, 60) for _ in range(40)] for n in names})
    numbers.iloc[:2] = [[750] * len(names), [2500] * len(names)]
    texts = numbers.map(lambda n: f"{n:,}".replace(",", "."))
    files = {"human.csv": csv(texts, ";"), "model.csv": csv(numbers, ";")}
    arguments = [*files, "--separator", ";", "--kind", "real"]
    truth = {**counts(HUMAN, numbers.map(str)), **counts("model", numbers.map(str))}
    return Variant(files, arguments, truth, told=["2.500"], wanted=["--decimal ,"])


def written_otherwise(rng):
    """Return files of other signs and separators, with titles above and notes below."""
    labels = rng.choice([["s\u00ed", "no", "quiz\u00e1s"], ["gr\u00fcn", "wei\u00df", "rot"]])
    human, model, truth = pair(rng, labels, size=30)
    sep, code = rng.choice(",;\t|"), rng.choice(["utf-8", "utf-16", "cp1252", "utf-8-sig"])
    above = rng.choice(["", "Wave 3 of adults\n", "Umfrage 2024\n\n", f"sep={sep}\n", "# n=30\n"])
    below = rng.choice(
        ["", "\nSource: Ipsos\n", "Quelle: eigene\n", "\n\nAll answers are weighted\n"]
    )
    padded = sep * (human.shape[1] - 1) if above[:1] in "WU" else ""
    text = above.replace("\n", f"{padded}\n", 1) + csv(human, sep) + below
    title = ["what is above is not read"] if above else []
    told = [*title, *(["below its rows, not read"] if below else [])]
    told += ["are separated by"] if sep != "," and above[:3] != "sep" else []
    told += ["its text is"] if code in ("utf-16", "cp1252") else []
    files = {"human.csv": text.encode(code, "replace"), "model.csv": csv(model)}
    return Variant(files, [*files], truth, told)


def facts_beside(rng):
    """Return people's files with facts that no simulator has, and a model's that names itself."""
    human, model, truth = pair(rng, size=40)
    facts = {
        rng.choice(["participant_id", "respondent"]): [f"S{i}" for i in human.index],
        "age": [rng.randint(18, 90) for _ in human.index],
        rng.choice(["fecha", "interviewed"]): [f"{i % 27 + 1:02}/03/2024" for i in human.index],
    }
    name, column = rng.choice(MODELS), rng.choice(["model", "llm"])
    truth = {(q, name if who != HUMAN else who): count for (q, who), count in truth.items()}
    files = {
        "human.csv": csv(human.assign(**facts)),
        "model.csv": csv(model.assign(**{column: name})),
    }
    return Variant(files, [*files], truth, ["not compared", "its column of those who answer"])


def usual_names(rng):
    """Return long files whose columns have other usual names, and events in words."""
    asked, answer, who = (
        rng.choice(names) for names in (("item", "qid"), ("answer", "choice"), MODELS)
    )
    if rng.random() < 0.5:
        human, model, truth = pair(rng, size=30)
        rows = long(model, asked, answer, model=who)
        truth = {(q, who if s != HUMAN else s): count for (q, s), count in truth.items()}
        return Variant(
            {"h.csv": csv(long(human, asked, answer)), "m.csv": csv(rows)},
            ["h.csv", "m.csv"],
            truth,
        )
    no, yes = rng.choice([("no", "yes"), ("False", "True"), ("nein", "ja")])
    events = {f"event {i}": rng.choice([no, yes]) for i in range(9)} | {
        "a": no,
        "b": yes,
        "c": "annulled",
    }
    p = {name: round(rng.random(), 2) for name in events}
    outcomes = pd.DataFrame({asked: [*events], "outcome": events.values()})
    forecasts = pd.DataFrame({asked: [*events], "model": who, "probability": p.values()})
    if rng.random() < 0.5:
        forecasts["resolution"] = [*events.values()]
    truth = {(name, HUMAN): {label: 1.0} for name, label in events.items() if name != "c"}
    truth |= {(name, who): {yes: p[name], no: 1 - p[name]} for name in events if name != "c"}
    return Variant({"o.csv": csv(outcomes), "f.csv": csv(forecasts)}, ["o.csv", "f.csv"], truth)


def code_of_no_tick(rng):
    names = [f"media_{i}" for i in range(rng.randint(2, 4))]
    human, model, truth = pair(rng, ["1", "0"], names)
    files = {
        "human.csv": csv(human.replace("0", rng.choice(["-99", "-999", "99"]))),
        "model.csv": csv(model),
    }
    return Variant(files, ["human.csv", "model.csv"], truth, wanted=["--recode"])


def comma_in_option(rng):
    name, atoms = rng.choice(TOPICS), ["Bus, tram or metro", "Car", "Bike, scooter"]
    files, truth = {}, {}
    for source, size in ((HUMAN, 40), ("model", 30)):
        chosen = [[a for a in atoms if rng.random() < 0.5] or atoms[:1] for _ in range(size)]
        chosen[:4] = [atoms[:1], atoms[:2], atoms[1:], atoms[2:]]
        for atom in atoms:
            number = float(sum(atom in c for c in chosen))
            truth[f"{name}: {atom}", source] = {"1": number, "0": size - number}
        files[f"{source}.csv"] = csv(pd.DataFrame({name: [",".join(c) for c in chosen]}))
    return Variant(files, [*files, "--multiple", name], truth)


def models_beside_type(rng):
    labels, names = rng.choice(SCALES), questions(rng)
    human, truth, parts = draw(rng, names, labels, 12), {}, []
    truth |= counts(HUMAN, human)
    if rng.random() < 0.3:
        model = draw(rng, names, labels, 9)
        rows = pd.concat([human.assign(is_ai="0"), model.assign(is_ai="1")])
        return Variant({"data.csv": csv(rows)}, ["data.csv"], truth | counts("1", model))
    for source in rng.sample(MODELS, 2):
        table = draw(rng, names, labels, 9)
        truth |= counts(f"llm {source}", table)
        parts.append(table.assign(type="llm", model=source))
    rows = pd.concat([human.assign(type="human", model=None), *parts])
    return Variant({"data.csv": csv(rows)}, ["data.csv"], truth, ["are people's"])


KINDS: dict[str, Callable[[random.Random], Variant]] = {
    each.__name__: each
    for each in (
        *(annulled_question, answers_over_several_lines, bounds_other_unit, checkbox_columns),
        *(written_otherwise, facts_beside, usual_names),
        *(codebook_with_more_questions, decimal_comma_answers, dk_codes_next_to_scale, far_cell),
        *(group_value_with_bar, groups_respondent, kind_real_counts_refusals, lone_surrogate),
        *(mixed_scales, multi_select_one_cell, one_file_source_column, one_forecaster_file),
        *(pandas_index, percent_column, percent_in_count),
        *(question_without_people, recode_mixed_keys, shifted_codes, totals, two_columns_of_names),
        *(value_named_differently, weight_of_other_name, wide_model_column),
        *(groups_in_columns, other_labels, repeated_header, points_between_thousands),
        *(code_of_no_tick, comma_in_option, models_beside_type),
    )
}


def variant(kind: str, number: int) -> Variant:
    """Return a variant of a kind, the same for the same number."""
    return KINDS[kind](random.Random(f"{kind} {number}"))
