// Tables: sorted by a click on a heading, searched; data saved as files.
"use strict";

const cellValue = (row, column) => {
  const cell = row.cells[column];
  if (!cell) return "";
  const value = cell.dataset.value;
  if (value === undefined) return cell.textContent.trim();
  return value === "" ? "" : Number(value);
};

const compared = (a, b) => {
  if (a === "" || b === "") return (a === "") - (b === ""); // empty cells come last
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
};

const sortTable = (heading) => {
  const table = heading.closest("table");
  const column = heading.cellIndex;
  const falls = heading.getAttribute("aria-sort") === "ascending";
  for (const each of table.tHead.rows[0].cells) each.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", falls ? "descending" : "ascending");
  for (const body of table.tBodies) {
    const rows = [...body.rows];
    rows.sort((one, two) => {
      const a = cellValue(one, column), b = cellValue(two, column);
      return falls && a !== "" && b !== "" ? compared(b, a) : compared(a, b);
    });
    body.append(...rows);
  }
};

const searchTable = (block, words) => {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of block.querySelectorAll("tbody tr")) {
    const text = row.textContent.toLowerCase();
    row.hidden = !wanted.every((word) => text.includes(word));
  }
};

// No spreadsheet may take a text for a formula.
const csvCell = (value) => {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = value.replace(/\s+/g, " ").trim();
  const safe = /^[=@\t\r]|^[+-](?![\d.∞])/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
};

const csvLines = (rows) => rows.map((row) => row.map(csvCell).join(",")).join("\r\n") + "\r\n";

const csvOf = (rows) => {
  const names = [...new Set(rows.flatMap(Object.keys))];
  return `\ufeff${csvLines([names, ...rows.map((row) => names.map((name) => row[name]))])}`;
};

const csvOfTable = (table) => {
  const rows = [...table.rows].filter((row) => !row.hidden);
  return `\ufeff${csvLines(rows.map((row) => [...row.cells].map((cell) => cell.textContent)))}`;
};

const saveText = (name, text, type) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};

// A chart with its styles inside, which shows the same anywhere.
const alone = (chart) => {
  const copy = chart.cloneNode(true), inside = copy.querySelectorAll("*");
  chart.querySelectorAll("*").forEach((each, i) => {
    const style = getComputedStyle(each);
    for (const key of ["fill", "stroke", "stroke-width", "stroke-linecap", "opacity", "font-size", "font-family", "text-anchor"]) inside[i].style.setProperty(key, style.getPropertyValue(key));
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copy);
};

const prepareTables = () => {
  document.addEventListener("click", (event) => {
    const sorts = event.target.closest("[data-sort]");
    if (sorts) sortTable(sorts.closest("th"));
    const saves = event.target.closest("[data-csv]");
    if (saves) saveText(`${saves.dataset.csv}.csv`, csvOfTable(saves.closest(".block").querySelector("table")), "text/csv");
  });
  document.addEventListener("input", (event) => {
    if (event.target.matches("[data-search]")) searchTable(event.target.closest(".block"), event.target.value);
  });
};
