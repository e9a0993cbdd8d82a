// The page: limit, questions, links, data as files. Every picture is there without it.
"use strict";

const NAMES = { w: "within", b: "beyond", o: "open", "-": "" };
const FIRST_CARDS = 24;

const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const rounded = (value, digits) => (Math.sign(value) * Math.round(Math.abs(value) * 10 ** digits) / 10 ** digits + 0).toFixed(digits);
const shown = (value, unit) => (value === null ? "–" : rounded(value, unit.digits === 0 && Math.abs(value) > 0 && Math.abs(value) < 0.95 ? 1 : unit.digits));
const signed = (value) => { const whole = rounded(Math.abs(value), 0); return whole === "0" ? "0" : `${value < 0 ? "−" : "+"}${whole}`; };
// A list is kept as the steps at which a question enters or leaves it.
const isOn = (steps, at) => (typeof steps === "number" ? steps <= at : steps.filter((step) => step <= at).length % 2 === 1);

class Dataset {
  constructor(section, data) {
    Object.assign(this, { section, data, name: section.dataset.dataset, number: 0, moved: null, more: false });
    this.wall = section.querySelector("[data-wall]");
    this.cards = all("[data-i]", this.wall);
    for (const card of this.cards) card.tabIndex = 0;
    this.first = this.find("who").value;
    for (const card of this.cards) card.words = card.textContent.toLowerCase();
    for (const key of ["who", "second", "cluster", "list"]) this.find(key)?.addEventListener("change", () => this.changed());
    this.find("find").addEventListener("input", () => this.changed(true));
    this.find("more").addEventListener("click", () => { this.more = true; this.draw(); });
    this.section.querySelector("[data-view]")?.addEventListener("change", (event) => this.choose(Number(event.target.value)));
    for (const slider of all("[data-slider]", section)) slider.addEventListener("input", () => { this.moved = Number(slider.value); this.limit(); this.address(true); });
    for (const button of all("[data-reset]", section)) button.addEventListener("click", () => { this.moved = null; this.limit(); this.address(); });
    this.draw();
  }

  find(key) { return this.section.querySelector(`[data-${key}]`); }
  get view() { return this.data.views[this.number]; }
  get roots() { return all(`.view[data-number="${this.number}"]`, this.section); }

  choose(number) {
    this.number = number;
    this.moved = null;
    for (const view of all(".view", this.section)) view.hidden = Number(view.dataset.number) !== number;
    this.limit();
    this.draw();
  }

  // The list of a question: of the config's limit by its table, of another by the steps.
  listOf(name, i) {
    if (this.moved === null) return NAMES[this.view.verdicts[name]?.[i] ?? "-"];
    const own = this.view.limits[name];
    if (!own || this.view.distances[name][i] === null) return "";
    return isOn(own.within[i], this.moved) ? "within" : isOn(own.beyond[i], this.moved) ? "beyond" : "open";
  }

  counts(name) {
    const found = { within: 0, beyond: 0, open: 0 };
    this.data.id.forEach((_, i) => { const list = this.listOf(name, i); if (list) found[list] += 1; });
    return found;
  }

  limit() {
    const [root] = this.roots, { view } = this;
    const value = this.moved === null ? view.tolerance : view.steps[this.moved];
    if (view.tolerance === null) return;
    const limit = shown(value, { ...view.unit, digits: Math.max(view.unit.digits, this.moved !== null && this.moved % 2 ? 1 : 0) });
    for (const words of all("[data-limit]", root)) words.textContent = limit;
    root.querySelector("[data-moved]").hidden = this.moved === null;
    root.querySelector("[data-chosen]").hidden = this.moved !== null;
    const slider = root.querySelector("[data-slider]");
    if (slider) slider.value = this.moved ?? Math.round(view.step);
    root.querySelector(".ranking").style.setProperty("--limit", `${Math.min((100 * value) / view.drawn_to, 100).toFixed(3)}%`);
    for (const row of all("[data-row]", root)) {
      if (!row.querySelector("[data-count]")) continue;
      const counts = this.counts(row.dataset.row);
      for (const [list, count] of Object.entries(counts)) {
        row.querySelector(`[data-count=${list}]`).textContent = count;
        const part = row.querySelector(`i.${list}`);
        part.style.flexGrow = count;
        if (list === "open") part.firstChild.textContent = count;
      }
      const lead = root.querySelector("[data-lead=within]")?.closest(".lead").dataset.of;
      if (row.dataset.row === lead) for (const list of ["within", "open", "beyond"]) root.querySelector(`[data-lead=${list}]`).textContent = counts[list];
    }
    // What holds for the config's limit only: words are greyed or hidden, the scatter's band follows.
    for (const words of all("[data-greyed]", root)) words.classList.toggle("before", this.moved !== null);
    for (const words of all("[data-unmoved]", root)) words.hidden = this.moved !== null;
    const band = root.querySelector(".scatter .band");
    if (band) band.setAttribute("d", banded(band.getAttribute("d"), value / 100 / root.querySelector("[data-top]").dataset.top));
    this.draw();
  }

  changed(replace) { this.more = false; this.draw(); this.address(replace); }

  // Cards in the order of the simulator's distances; only its marks move, no chart is drawn anew.
  draw() {
    const who = this.find("who").value, second = this.find("second").value;
    const topic = this.find("cluster")?.value ?? "", list = this.find("list")?.value ?? "";
    const words = this.find("find").value.toLowerCase().split(/\s+/).filter(Boolean);
    const far = this.view.distances[who];
    const cards = [...this.cards].sort((a, b) => (far[b.dataset.i] ?? -1) - (far[a.dataset.i] ?? -1));
    let many = 0;
    for (const card of cards) {
      const i = Number(card.dataset.i);
      const fits = (topic === "" || this.data.topic[i] === topic) && (list === "" || this.listOf(who, i) === list) && words.every((word) => card.words.includes(word));
      many += fits;
      card.hidden = !fits || (!this.more && many > FIRST_CARDS);
      if (!card.hidden) this.mark(card, i, who, second);
    }
    if (cards.some((card, place) => card !== this.placed?.[place])) this.wall.append(...cards);
    this.placed = cards;
    this.find("more").hidden = this.more || many <= FIRST_CARDS;
    this.find("more").textContent = `Show all ${many}`;
    const few = this.more || many <= FIRST_CARDS ? "" : `${FIRST_CARDS} of `;
    this.find("said").textContent = many ? `${few}${many} ${many === 1 ? this.data.noun : this.data.nouns}` : `No ${this.data.noun} fits.`;
  }

  mark(card, i, who, second) {
    const list = this.listOf(who, i), label = card.querySelector("[data-listed]"), drawn = JSON.stringify([who, second, this.number]);
    if (label && label.className !== list) { label.textContent = list; label.className = list; }
    if (card.drawn === drawn) return;
    card.drawn = drawn;
    card.style.setProperty("--c", this.data.simulators[who].colour);
    card.querySelector("[data-far]").textContent = shown(this.view.distances[who][i], this.view.unit);
    const own = this.data.simulators[who].shares[i], other = this.data.simulators[second], beside = other?.shares[i];
    const people = this.data.people[i], paths = card.querySelectorAll("path");
    all("tr", card).forEach((row, o) => { row.lastElementChild.textContent = own ? signed(100 * (own[o] - people[o])) : "–"; });
    paths[2].setAttribute("d", own ? own.map((share, o) => `M${percent(people[o])} ${10 * o + 5}H${percent(share)}`).join("") : "");
    paths[3].setAttribute("d", own ? dots(own) : "");
    paths[4]?.remove();
    if (!beside) return;
    const marks = paths[3].cloneNode();
    marks.setAttribute("d", dots(beside));
    marks.style.setProperty("--c", other.colour);
    paths[3].after(marks);
  }

  // The address holds the whole state, so that a link and the back button lead to it.
  address(replace) {
    const state = new URLSearchParams();
    if (this.open !== undefined && this.open !== null) state.set("question", this.data.id[this.open]);
    if (this.find("who").value !== this.first) state.set("simulator", this.find("who").value);
    for (const [key, name] of [["second", "beside"], ["cluster", "topic"], ["list", "list"], ["find", "search"]]) if (this.find(key)?.value) state.set(name, this.find(key).value);
    if (this.moved !== null) state.set("limit", this.moved / 2);
    if (this.number) state.set("distance", this.number);
    const told = state.toString();
    history[replace ? "replaceState" : "pushState"](null, "", `#${encodeURIComponent(this.name)}${told ? `?${told}` : ""}`);
  }

  // Take the state of an address; say so where it names what is not here.
  follow(state) {
    const unknown = [];
    const set = (key, name) => {
      const field = this.find(key), value = state.get(name) ?? "";
      if (!field) return;
      if (field.tagName === "SELECT" && value && ![...field.options].some((each) => each.value === value)) unknown.push(`${name} ${value}`);
      else field.value = value;
    };
    const number = Number(state.get("distance") ?? 0);
    if (this.data.views[number]) this.choose(number);
    const chooser = this.section.querySelector("[data-view]");
    if (chooser) chooser.value = this.number;
    if (state.has("simulator")) set("who", "simulator"); else this.find("who").value = this.first;
    for (const [key, name] of [["second", "beside"], ["cluster", "topic"], ["list", "list"], ["find", "search"]]) set(key, name);
    const step = Math.round(2 * Number(state.get("limit")));
    this.moved = state.has("limit") && this.view.tolerance !== null && this.view.steps[step] !== undefined ? step : null;
    this.more = state.has("question");
    this.limit();
    this.draw();
    this.open = state.has("question") ? this.data.id.indexOf(state.get("question")) : null;
    if (this.open === -1) { unknown.push(`${this.data.noun} ${state.get("question")}`); this.open = null; }
    if (unknown.length) this.find("said").textContent = `This page has no ${unknown.join(", no ")}.`;
    for (const card of this.cards) card.toggleAttribute("data-open", Number(card.dataset.i) === this.open);
    const card = this.cards.find((each) => each.hasAttribute("data-open"));
    (card ?? (unknown.length ? this.find("said") : this.section)).scrollIntoView({ block: card ? "center" : "start" });
  }

  rows(kind) {
    if (kind === "ranking") return this.view.ranking.map((row) => ({ ...row, ...(this.view.verdicts[row.name] ? this.counts(row.name) : {}) }));
    return this.cards.flatMap((card) => {
      const i = Number(card.dataset.i), options = all("th", card).map((each) => each.textContent);
      const asked = { question: this.data.id[i], text: card.querySelector("h4").textContent, topic: this.data.topic[i] };
      return Object.entries(this.data.simulators).flatMap(([name, own]) => options.map((option, o) => ({
        ...asked, simulator: name, distance: this.view.distances[name][i], list: this.listOf(name, i), option, people: this.data.people[i][o], share: own.shares[i]?.[o],
      })));
    });
  }
}

// The scatter's band with another width, a share of the axes; its first and fourth corner stay.
const banded = (path, share) => {
  const [[x0, y0], , , [x1, y1]] = path.slice(1).split("L").map((corner) => corner.split(" ").map(Number));
  const part = Math.min(share, 1), x = part * (x1 - x0), y = part * (y1 - y0);
  return `M${[[x0, y0], [x0, y0 + y], [x1 - x, y1], [x1, y1], [x1, y1 - y], [x0 + x, y0]].map((corner) => corner.map((end) => end.toFixed(1)).join(" ")).join("L")}`;
};

const percent = (share) => (100 * share).toFixed(1);
const dots = (shares) => shares.map((share, o) => `M${percent(share)} ${10 * o + 5}h0`).join("");

const datasets = {};

const follow = () => {
  const [name, state] = location.hash.slice(1).split("?");
  const own = datasets[decodeURIComponent(name)];
  if (own) own.follow(new URLSearchParams(state ?? ""));
};

const printAll = () => {
  for (const each of Object.values(datasets)) { each.more = true; each.draw(); }
  document.documentElement.classList.add("whole");
  window.print();
};

const start = () => {
  prepareTables();
  const data = JSON.parse(document.getElementById("data").textContent);
  for (const section of all("[data-dataset]")) {
    const own = data[section.dataset.dataset];
    if (own?.views.length) datasets[section.dataset.dataset] = new Dataset(section, own);
  }
  document.addEventListener("click", (event) => {
    const section = event.target.closest("[data-dataset]"), own = datasets[section?.dataset.dataset];
    const saved = event.target.closest("[data-data]"), chart = event.target.closest("[data-svg]"), card = event.target.closest("[data-wall] [data-i]");
    if (own && saved) saveText(`${own.name}_${saved.dataset.data}.csv`, csvOf(own.rows(saved.dataset.data)), "text/csv");
    if (event.target.closest("[data-print]")) printAll();
    if (chart) saveText(`${section.dataset.dataset}_shares.svg`, alone(section.querySelector(".scatter")), "image/svg+xml");
    if (own && card) { own.open = Number(card.dataset.i); own.address(); for (const each of own.cards) each.toggleAttribute("data-open", each === card); }
  });
  document.addEventListener("keydown", (event) => { if (event.key === "Enter" && event.target.matches("[data-wall] [data-i]")) event.target.click(); });
  window.addEventListener("hashchange", follow);
  window.addEventListener("popstate", follow);
  window.addEventListener("afterprint", () => document.documentElement.classList.remove("whole"));
  if (location.hash) follow();
  document.body.dataset.ready = "";
};

start();
