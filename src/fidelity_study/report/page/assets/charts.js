// Charts, drawn by Vega-Lite from a specification and the page's own data.
"use strict";

const CONFIG = {
  background: null,
  font: "system-ui, 'DejaVu Sans', sans-serif",
  view: { stroke: null },
  axis: { labelFontSize: 12, titleFontSize: 12, titleFontWeight: 500, gridColor: "#e6e9ed", domainColor: "#9aa3ad", tickColor: "#9aa3ad", labelColor: "#3d4650", titleColor: "#1c1f23" },
  header: { labelFontSize: 12, labelLimit: 260 },
};

// One chart at a time is drawn in a place; of those asked for meanwhile only the last is drawn.
const inTurn = (draw) => {
  let last = null, wanted = false, turn = Promise.resolve();
  return () => {
    wanted = true;
    turn = turn.then(async () => {
      if (!wanted) return;
      wanted = false;
      last?.finalize();
      last = await draw();
    });
    return turn;
  };
};

const embed = (place, spec) =>
  vegaEmbed(place, { $schema: "https://vega.github.io/schema/vega-lite/v6.json", config: CONFIG, ...spec }, { mode: "vega-lite", renderer: "svg", actions: false });

const curveRows = (tau, values, row) =>
  tau.map((at, i) => ({ tau: at, t: values[i], ...row })).filter((each) => each.t !== null);

// The layers of the chart of curves; each has rows of (tau, t) and how it is drawn.
const curveLayers = (view, names, layers, n) => {
  const { tau, of } = view.curves;
  const simulators = view.simulators.filter((each) => names.has(each.name) && of[each.name]);
  const line = (key, mark, values) => ({
    data: { values: simulators.flatMap((each) => { const own = values(of[each.name]); return own ? curveRows(tau, own, { simulator: each.label }) : []; }) },
    mark: { type: "line", clip: true, aria: false, ...mark },
    encoding: { detail: { field: "simulator" } },
    name: key,
  });
  const step = "step-before"; // up to each tau the bound there: never too low
  const found = [];
  const own = (each) => (n ? each.at[n] : each.upper);
  if (layers.has("upper")) found.push(line("upper", { interpolate: step, strokeWidth: 2.2 }, own));
  if (layers.has("certified") && !n) found.push(line("certified", { interpolate: step, strokeWidth: 1.6, strokeDash: [1, 3], strokeCap: "round" }, (each) => each.certified));
  if (layers.has("lower") && !n) found.push(line("lower", { interpolate: "step-after", strokeWidth: 1 }, (each) => each.lower));
  if (layers.has("other") && !n) found.push(line("other", { interpolate: step, strokeWidth: 1.4, strokeDash: [6, 4] }, (each) => each.other));
  if (layers.has("dots") && simulators.length) found.push({ ...dotLayer(view, simulators[0]), name: "dots" });
  return { layers: found, simulators };
};

const dotLayer = (view, simulator) => {
  const answers = view.answers[simulator.name];
  const order = answers.plugin.map((value, i) => [value, i]).filter(([value]) => value !== null).sort((a, b) => a[0] - b[0]);
  return {
    data: { values: order.map(([t, i], rank) => ({ tau: (rank + 1) / order.length, t, i, title: view.titleOf(i), simulator: simulator.label })) },
    mark: { type: "circle", size: 22, opacity: 0.55, clip: true, aria: false, cursor: "pointer" },
    encoding: { tooltip: [{ field: "title", title: "opens" }, { field: "t", title: "measured distance", format: ".3f" }, { field: "simulator" }] },
  };
};

const drawCurves = async (place, view, names, layers, n, tau) => {
  const { layers: drawn, simulators } = curveLayers(view, names, layers, n);
  const spec = {
    width: "container",
    height: 300,
    params: [{ name: "at", value: tau }],
    encoding: {
      x: { field: "tau", type: "quantitative", scale: { domain: [0, 1] }, axis: { format: "%", values: [0, 0.2, 0.4, 0.6, 0.8, 1], title: `share of ${view.nouns}` } },
      y: { field: "t", type: "quantitative", scale: { domainMin: 0, nice: true }, axis: { title: `distance from people (${view.discrepancy})` } },
      color: { field: "simulator", type: "nominal", scale: { domain: simulators.map((each) => each.label), range: simulators.map((each) => each.colour) }, legend: null },
    },
    layer: [
      ...drawn,
      { data: { values: [{}] }, transform: [{ calculate: "at", as: "tau" }], mark: { type: "rule", color: "#5b6470", aria: false }, encoding: { y: null, color: { value: "#5b6470" } }, name: "rule" },
      ...(view.tolerance === null ? [] : [{ data: { values: [{ t: view.tolerance }] }, mark: { type: "rule", strokeDash: [4, 4], aria: false }, encoding: { x: null, color: { value: "#00704f" } }, name: "tolerance" },
        { data: { values: [{ t: view.tolerance, tau: 1, text: `tolerance ${view.tolerance}` }] }, mark: { type: "text", align: "right", baseline: "bottom", dy: -3, fontSize: 12, aria: false }, encoding: { text: { field: "text" }, color: { value: "#00704f" } }, name: "label" }]),
    ],
  };
  return (await embed(place, spec)).view;
};

const drawTopics = (place, view, names) => {
  const known = new Set(view.topics.map((row) => row.label));
  const shown = view.simulators.filter((each) => names.has(each.name) && known.has(each.label));
  if (!shown.length) { place.replaceChildren(); return null; }
  const labels = shown.map((each) => each.label);
  const rows = view.topics.filter((row) => labels.includes(row.label));
  const spec = {
    width: "container",
    height: new Set(rows.map((row) => row.cluster)).size * Math.max(26, 11 * labels.length),
    data: { values: rows },
    mark: { type: "rule", strokeWidth: 4, strokeCap: "butt", aria: false },
    encoding: {
      y: { field: "cluster", type: "nominal", sort: null, axis: { title: null, labelLimit: 200, tickBand: "extent", grid: true } },
      yOffset: { field: "label", type: "nominal", sort: labels },
      x: { field: "lower", type: "quantitative", scale: { zero: true }, axis: { title: `mean distance from people (${view.discrepancy})` } },
      x2: { field: "upper" },
      color: { field: "label", type: "nominal", sort: labels, scale: { domain: labels, range: shown.map((each) => each.colour) }, legend: { title: null, orient: "top", columns: 4, labelLimit: 260 } },
      tooltip: [{ field: "cluster" }, { field: "label", title: "simulator" }, { field: "lower", format: ".3f" }, { field: "upper", format: ".3f" }],
    },
  };
  return embed(place, spec);
};

const drawReliability = (place, rows, stated, came) => {
  const values = rows.flatMap((row) => row.bins.map((bin) => ({ label: row.label, ...bin })));
  const x = { field: "confidence", type: "quantitative", scale: { domain: [0, 1] }, axis: { format: "%", title: stated } };
  const colour = { field: "label", type: "nominal", scale: { domain: rows.map((row) => row.label), range: rows.map((row) => row.colour) }, legend: null };
  const spec = {
    data: { values },
    facet: { field: "label", type: "nominal", title: null, sort: rows.map((row) => row.label) },
    columns: Math.max(1, Math.min(4, rows.length, Math.floor(place.clientWidth / 270))),
    spec: {
      width: 200,
      height: 200,
      layer: [
        { data: { values: [{ a: 0, b: 0 }, { a: 1, b: 1 }] }, mark: { type: "line", color: "#9aa3ad", strokeDash: [4, 4], aria: false }, encoding: { x: { field: "a", type: "quantitative" }, y: { field: "b", type: "quantitative" } } },
        { mark: { type: "rule", strokeWidth: 1.5, aria: false }, encoding: { x, y: { field: "frequency_lower", type: "quantitative" }, y2: { field: "frequency_upper" }, color: colour } },
        { mark: { type: "point", filled: true, aria: false }, encoding: { x, y: { field: "frequency", type: "quantitative", scale: { domain: [0, 1] }, axis: { format: "%", title: came } }, size: { field: "share", type: "quantitative", scale: { range: [20, 160] }, legend: null }, color: colour, tooltip: [{ field: "confidence", format: ".1%" }, { field: "frequency", format: ".1%" }, { field: "share", title: "share of people", format: ".1%" }] } },
      ],
    },
  };
  return embed(place, spec);
};
