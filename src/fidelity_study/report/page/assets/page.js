// The page: views, curves, deep links.
"use strict";

const MOST_CURVES = 5;

class Curves {
  constructor(root, view, open) {
    Object.assign(this, { root, view, open, redraw: inTurn(() => this.chartOf()) });
    this.figure = root.querySelector("[data-curve]");
    const first = view.simulators.filter((each) => !each.baseline).slice(0, MOST_CURVES - 2);
    const beside = view.simulators.filter((each) => each.baseline).slice(0, Math.max(2, MOST_CURVES - first.length));
    this.names = new Set([...first, ...beside].map((each) => each.name));
    for (const row of root.querySelectorAll("[data-simulator]")) {
      const own = view.simulators.find((each) => each.name === row.dataset.simulator);
      const box = row.querySelector("[data-show]");
      box.checked = this.names.has(own.name);
      box.addEventListener("change", () => { box.checked ? this.names.add(own.name) : this.names.delete(own.name); this.draw(); this.changed?.(); });
    }
    for (const box of this.figure.querySelectorAll("[data-layer]")) box.addEventListener("change", () => this.draw());
    this.people = this.figure.querySelector("[data-n]");
    this.people?.addEventListener("change", () => this.draw());
    this.slider = this.figure.querySelector("[data-tau]");
    this.slider.addEventListener("input", () => this.read());
    this.place = this.figure.querySelector("[data-chart]");
    this.place.addEventListener("click", (event) => this.click(event));
    this.colour();
    this.draw();
  }

  // While colours last, no two simulators shown share one; a simulator keeps the colour it was given.
  colour() {
    const { simulators, palette } = this.view;
    const shown = simulators.filter((one) => this.names.has(one.name));
    const isNew = (one) => !this.coloured?.has(one.name);
    const taken = new Set(shown.filter((one) => !isNew(one)).map((one) => one.colour));
    for (const each of shown.filter(isNew)) {
      const free = palette.filter((colour) => !taken.has(colour));
      each.colour = taken.has(each.own) && free.length ? free[0] : each.own;
      taken.add(each.colour);
    }
    this.coloured = new Set(this.names);
    for (const row of this.root.querySelectorAll("[data-simulator]")) {
      const own = simulators.find((each) => each.name === row.dataset.simulator);
      row.style.setProperty("--c", this.names.has(own.name) ? own.colour : "#8a929b");
    }
  }

  get tau() { return Number(this.slider.value) / 100; }

  draw() {
    this.colour();
    this.drawing = this.redraw();
  }

  async chartOf() {
    const layers = new Set([...this.figure.querySelectorAll("[data-layer]:checked")].map((each) => each.dataset.layer));
    this.chart = await drawCurves(this.place, this.view, this.names, layers, this.people?.value ?? "", this.tau);
    this.chart.addEventListener("click", (_, item) => { if (item?.datum?.i !== undefined) this.open(item.datum.i); });
    this.read();
    return this.chart;
  }

  read() {
    this.figure.querySelector("[data-share]").textContent = `${this.slider.value} %`;
    this.chart?.signal("at", this.tau).runAsync();
    const { tau, of } = this.view.curves;
    const at = tau.findIndex((each) => each >= this.tau - 1e-9);
    const shown = this.view.simulators.filter((each) => this.names.has(each.name) && of[each.name]);
    const bounds = shown.map((each) => (this.people?.value ? null : of[each.name].certified?.[at] ?? null)); // of all people only
    const parts = shown.map((each, i) => {
      const name = element("b", { textContent: each.label });
      name.style.color = each.colour;
      return [name, bounds[i] === null ? " no bound" : ` at most ${digits(bounds[i])}`];
    });
    const where = `${this.slider.value} % of ${this.view.bounded}`;
    const told = bounds.some((each) => each !== null) ? [`On ${where}: `, ...parts.flatMap((part, i) => (i ? ["; ", ...part] : part)), "."] : [`No bound is known on ${where}.`];
    this.figure.querySelector("[data-reading]").replaceChildren(...(shown.length ? told : ["Choose a simulator in the table."]));
  }

  click(event) {
    const plot = this.place.querySelector(".mark-group.role-frame .background, .background");
    if (!plot || event.target.__data__?.datum?.i !== undefined) return;
    const { left, width } = plot.getBoundingClientRect();
    const share = Math.round((100 * (event.clientX - left)) / width);
    if (share >= 1 && share <= 99) { this.slider.value = share; this.read(); }
  }
}

const prepareView = (section, data, view, name) => {
  const root = section.querySelector(`.view[data-number="${data.views.indexOf(view)}"]`);
  view.titleOf = (i) => [data.questions.texts[data.questions.text[i]], data.questions.group ? readable(data.questions.group[i]) : ""].filter(Boolean).join(" – ");
  view.nouns = data.nouns;
  view.bounded = data.bounded;
  const curves = new Curves(root, view, (i) => opened(i));
  const questions = new Questions(root.querySelector("[data-questions]"), data, view, name);
  const place = root.querySelector("[data-topics]");
  const topics = place ? inTurn(() => drawTopics(place, view, curves.names)) : () => {};
  curves.changed = () => { questions.show(questions.chosen); topics(); };
  const opened = (i) => { questions.open(i); root.querySelector("[data-questions]").scrollIntoView(); };
  return { root, questions, curves, topics };
};

const drawRest = async ({ root, topics }, data) => {
  if (!root.querySelector("[data-topics]")?.childElementCount) await topics();
  await drawDiagrams(root, data);
};

const drawDiagrams = async (root, data) => {
  const reliability = root.querySelector("[data-reliability]");
  if (reliability && !reliability.childElementCount) await drawReliability(reliability, data.reliability, data.stated, data.came);
};

const pages = {};

const prepareDataset = (section, name, data) => {
  const own = { section, data, views: [] };
  pages[name] = own;
  own.ready = async (number) => {
    own.views[number] ??= prepareView(section, data, data.views[number], name);
    await own.views[number].curves.drawing;
    await drawRest(own.views[number], data);
    return own.views[number];
  };
  const chooser = section.querySelector("[data-view]");
  chooser?.addEventListener("change", () => {
    for (const view of section.querySelectorAll(".view")) view.hidden = view.dataset.number !== chooser.value;
    own.ready(Number(chooser.value));
  });
};

// #dataset/question opens the question.
const follow = async () => {
  const [name, question] = location.hash.slice(1).split("/").map(decodeURIComponent);
  const own = pages[name];
  if (!own || question === undefined || !own.data.views.length) return;
  const shown = await own.ready(Number(own.section.querySelector("[data-view]")?.value ?? 0));
  const i = own.data.questions.id.indexOf(question);
  if (i >= 0) { shown.questions.show(i); shown.root.querySelector("[data-questions]").scrollIntoView(); }
};

const whenIdle = () => new Promise((done) => (window.requestIdleCallback ?? setTimeout)(done));

const start = async () => {
  prepareTables();
  const shown = JSON.parse(document.getElementById("data").textContent);
  for (const section of document.querySelectorAll("[data-dataset]")) prepareDataset(section, section.dataset.dataset, shown[section.dataset.dataset]);
  window.addEventListener("hashchange", follow);
  await follow();
  for (const own of Object.values(pages)) {
    await (own.data.views.length ? own.ready(0) : drawDiagrams(own.section, own.data));
    await whenIdle();
  }
  document.body.dataset.ready = "";
};

start();
