// The list of questions, and what people and simulators answered to the one chosen.
"use strict";

const MOST_ROWS = 100;
const MOST_LETTERS = 70;
const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children.filter((each) => each !== null && each !== undefined));
  return made;
};
const digits = (value) => (value === null || value === undefined ? "∞" : value.toFixed(3));
const perCent = (value) => `${(100 * value).toFixed(1)} %`;
const chance = (p) => (p < 0.0001 ? "< 0.0001" : p.toFixed(4));
const readable = (name) => name.replaceAll("|", " · ");

class Questions {
  constructor(root, data, view, dataset) {
    Object.assign(this, { root, data, view, dataset, all: false, chosen: null });
    this.find = (key) => root.querySelector(`[data-${key}]`);
    this.texts = data.questions.id.map((id, i) => [id, this.text(i), this.group(i), this.cluster(i)].join(" ").toLowerCase());
    const clusters = this.find("cluster");
    if (clusters) clusters.append(...data.questions.clusters.map((name, i) => element("option", { value: i, textContent: this.clusterTitle(name, i) })));
    for (const key of ["who", "cluster", "list", "order"]) this.find(key)?.addEventListener("change", () => this.list());
    this.find("who").addEventListener("change", () => this.show(this.chosen));
    this.find("find").addEventListener("input", () => this.list());
    for (const button of root.querySelectorAll("[data-preset]")) button.addEventListener("click", () => this.preset(button.dataset.preset));
    this.find("rows").addEventListener("click", (event) => {
      const row = event.target.closest("[data-i]");
      if (row) { this.open(Number(row.dataset.i)); this.find("detail").scrollIntoView({ block: "nearest" }); }
      if (event.target.matches("[data-all]")) { this.all = true; this.list(); }
    });
    this.find("rows").addEventListener("keydown", (event) => this.step(event));
    this.list();
    this.show(this.order()[0]);
  }

  text(i) { return this.data.questions.texts[this.data.questions.text[i]]; }
  group(i) { const groups = this.data.questions.group; return groups ? readable(groups[i]) : ""; }
  cluster(i) { return this.data.questions.clusters[this.data.questions.cluster[i]]; }
  // A cluster's name may be a code: where all its rows ask the same question, the wording is added.
  clusterTitle(name, i) {
    const asked = new Set(this.data.questions.text.filter((_, j) => this.data.questions.cluster[j] === i));
    const [text] = [...asked].map((each) => this.data.questions.texts[each]);
    return asked.size === 1 && text !== name && !name.includes(text) ? `${name} – ${text.slice(0, MOST_LETTERS)}` : name;
  }
  // Where a question was put to many groups, the group comes first, since it tells rows apart.
  get groupFirst() { return this.data.questions.group !== null && this.data.questions.texts.length < this.data.questions.id.length / 2; }
  options(i) { return this.data.questions.sets[this.data.questions.options[i]]; }
  get who() { return this.find("who").value; }
  get answers() { return this.view.answers[this.who]; }
  simulator(name) { return this.view.simulators.find((each) => each.name === name); }

  preset(name) {
    this.find("find").value = "";
    for (const key of ["cluster", "list"]) if (this.find(key)) this.find(key).value = "";
    this.find("order").value = name === "worst" ? "plugin-" : "plugin";
    this.list();
    this.open(this.order()[0]);
    this.find("rows").scrollTop = 0;
  }

  order() {
    const { answers, data } = this;
    const words = this.find("find").value.toLowerCase().split(/\s+/).filter(Boolean);
    const cluster = this.find("cluster")?.value ?? "", list = this.find("list")?.value ?? "";
    const kept = data.questions.id.map((_, i) => i).filter((i) =>
      answers.plugin[i] !== null || answers.q[i] !== null ? words.every((word) => this.texts[i].includes(word)) && (cluster === "" || data.questions.cluster[i] === Number(cluster)) && (list === "" || answers.verdict?.[i] === list) : false);
    const [key, falls] = [this.find("order").value.replace("-", ""), this.find("order").value.endsWith("-")];
    if (key === "place") return kept;
    const value = key === "n" ? (i) => data.questions.n[i] : (i) => answers[key][i] ?? Infinity;
    return kept.sort((a, b) => (falls ? value(b) - value(a) : value(a) - value(b)) || a - b);
  }

  list() {
    const order = this.order();
    const shown = this.all ? order : order.slice(0, MOST_ROWS);
    this.find("about").textContent = `Each line has the measured distance, and a lower and an upper bound, each of which holds with ${(100 * Number(this.data.coverage) || 0).toFixed(0)} % confidence for this ${this.data.noun} alone.`;
    this.find("count").textContent = order.length === 1 ? `1 ${this.data.noun}` : `${order.length} ${this.data.nouns}`;
    const rows = shown.map((i) => this.row(i));
    if (!order.length) rows.push(element("p", { className: "row", textContent: `No ${this.data.noun} fits the search and the filters.` }));
    if (shown.length < order.length) rows.push(element("button", { className: "row", type: "button", textContent: `Show all ${order.length}` }));
    if (shown.length < order.length) rows.at(-1).dataset.all = "";
    this.find("rows").replaceChildren(...rows);
    this.mark();
  }

  row(i) {
    const { answers } = this;
    const [what, beside] = this.groupFirst ? [this.group(i), this.text(i)] : [this.text(i), this.group(i)];
    const where = [beside, this.data.clustered ? this.cluster(i) : ""].filter(Boolean).join(" – ");
    const verdict = answers.verdict?.[i];
    const made = element("button", { className: "row", type: "button" },
      element("span", {}, element("span", { className: "what", textContent: what }), element("span", { className: "where", textContent: where || this.nameBeside(i, what) })),
      element("span", { className: "far" }, digits(answers.plugin[i]), element("small", { textContent: `${digits(answers.lower[i])} to ${digits(answers.upper[i])}` }),
        verdict ? element("small", { className: verdict, textContent: { within: "surely within", farther: "surely farther", undecided: "undecided" }[verdict] }) : null));
    made.dataset.i = i;
    return made;
  }

  nameBeside(i, what) {
    const name = readable(this.data.questions.id[i]);
    return name === what ? "" : name;
  }

  step(event) {
    const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!way) return;
    event.preventDefault();
    const rows = [...this.find("rows").querySelectorAll("[data-i]")];
    const at = rows.findIndex((row) => Number(row.dataset.i) === this.chosen);
    const next = rows[Math.max(0, Math.min(rows.length - 1, at + way))];
    if (next) { this.open(Number(next.dataset.i)); next.scrollIntoView({ block: "nearest" }); }
  }

  mark() {
    for (const row of this.find("rows").querySelectorAll("[data-i]")) row.setAttribute("aria-current", Number(row.dataset.i) === this.chosen);
  }

  open(i) {
    if (i === undefined || i === null) return;
    this.show(i);
    history.replaceState(null, "", `#${encodeURIComponent(this.dataset)}/${encodeURIComponent(this.data.questions.id[i])}`);
  }

  show(i) {
    if (i === undefined || i === null) return;
    this.chosen = i;
    this.mark();
    const asked = this.data.questions, own = this.answers;
    const ours = [{ label: "people", colour: "#7b8590", shares: asked.people[i], lower: asked.lower[i], upper: asked.upper[i] }];
    const names = [this.who, ...this.view.simulators.filter((each) => each.baseline && each.name !== this.who).map((each) => each.name)];
    for (const name of names) {
      const { q: { [i]: shares }, k } = this.view.answers[name];
      const given = k ? `, ${k[i]} answers` : "";
      if (shares) ours.push({ label: this.simulator(name).label + given, colour: this.simulator(name).colour, shares });
    }
    const key = element("p", { className: "key" }, ...ours.map((each) => { const swatch = element("span", { className: "swatch" }); swatch.style.setProperty("--c", each.colour); return element("span", {}, swatch, each.label); }));
    const body = element("tbody", {}, ...this.options(i).map((option, o) => element("tr", {}, element("th", { scope: "row", textContent: option }), element("td", {}, ...ours.map((each) => shareLine(each, o))))));
    const draws = own.k?.[i];
    const facts = [
      ["people", `${asked.n[i].toLocaleString("en")}${asked.group ? `: ${this.group(i)}` : ""}${asked.worth ? `; they tell as much as ${asked.worth[i]}` : ""}`],
      [this.simulator(this.who).label, draws ? `${draws} answers` : "stated probabilities"],
      ["distance", `${digits(own.plugin[i])} as measured; at least ${digits(own.lower[i])}, and at most ${digits(own.upper[i])}, each with ${(100 * Number(this.data.coverage) || 0).toFixed(0)} % confidence`],
    ];
    if (own.verdict?.[i]) facts.push(["list", `${{ within: "surely within", farther: "surely farther than", undecided: "not settled for" }[own.verdict[i]]} the tolerance of ${this.view.tolerance} (p-values: within it ${chance(own.within[i])}, farther ${chance(own.farther[i])})`]);
    if (this.data.clustered) facts.push([this.data.cluster, this.cluster(i)]);
    facts.push(["name in the data", asked.id[i]]);
    this.find("detail").replaceChildren(
      element("h4", { textContent: this.text(i) }), key,
      element("table", { className: "shares" }, element("caption", { className: "hidden", textContent: "Share of each option" }), body),
      element("small", { textContent: "Whiskers: 95 % interval of people's share." }),
      element("dl", { className: "numbers" }, ...facts.flatMap(([name, told]) => [element("dt", { textContent: name }), element("dd", { textContent: told })])));
  }
}

const shareLine = (each, o) => {
  const value = each.shares[o] ?? 0;
  const bar = element("i");
  bar.style.width = `${100 * value}%`;
  const track = element("span", { className: "track" }, bar);
  track.style.setProperty("--c", each.colour);
  if (each.lower) {
    const whisker = element("u");
    whisker.style.left = `${100 * each.lower[o]}%`;
    whisker.style.width = `${100 * (each.upper[o] - each.lower[o])}%`;
    track.append(whisker);
  }
  const told = each.lower ? `${perCent(value)} (${(100 * each.lower[o]).toFixed(0)}–${(100 * each.upper[o]).toFixed(0)})` : perCent(value);
  return element("div", { className: "line", title: each.label }, track, element("span", { textContent: told }));
};
