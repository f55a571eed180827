(() => {
"use strict";
const find = (id) => document.getElementById(id);
const gallery = document.querySelector(".gallery"), total = Number(gallery.dataset.total);
let cards = [...gallery.children];
const form = find("filters"), text = find("text"), rule = find("rule"), branch = find("branch");

// Filters

let texts = null;  // of all cards, read when somebody searches
const searched = (card) => [...card.querySelectorAll("h3, .code, .message")].map((one) => one.textContent).join("\n");
let taken = null;  // names of branches, and for each a row of bits: the tests that take it

const unpacked = async (packed) => {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
};

const textsIn = async (packed) => JSON.parse(new TextDecoder().decode(await unpacked(packed)));

// Of a large run, most tests and all source are packed: tests are added when there is time, source when it is opened

let later = null, coming = null;
const append = () => {
  gallery.insertAdjacentHTML("beforeend", later.shift());
  if (!later.length) cards = [...gallery.children];
};
const unpack = () => coming ??= textsIn(find("more-tests").textContent).then((found) => { later = found; });
const everything = async () => {
  if (cards.length === total) return;
  await unpack();
  while (later.length) append();
};
const idle = window.requestIdleCallback ?? ((work) => setTimeout(() => work({ timeRemaining: () => 9 }), 50));
const gradually = (deadline) => {
  while (later.length && deadline.timeRemaining() > 8) append();
  if (later.length) idle(gradually);
};
const fill = async (module) => {
  const packed = module?.dataset.packed;
  if (!packed) return;
  delete module.dataset.packed;
  module.insertAdjacentHTML("beforeend", (await textsIn(packed))[0]);
};
document.addEventListener("toggle", (event) => event.target.open && fill(event.target), true);

const takers = async (wanted) => {
  if (!taken) {
    const names = await textsIn(find("feature-names").textContent);
    taken = { names, rows: await unpacked(find("feature-hits").textContent) };
  }
  const width = Math.ceil(total / 8), found = new Uint8Array(width);
  const exact = taken.names.indexOf(wanted), lower = wanted.toLowerCase();
  taken.names.forEach((name, place) => {
    if (exact >= 0 ? place === exact : name.toLowerCase().includes(lower))
      for (let i = 0; i < width; i++) found[i] |= taken.rows[place * width + i];
  });
  return found;
};

let turn = 0;
const filter = async () => {
  const mine = ++turn;
  if (cards.length < total) await everything();
  const kind = form.elements.kind.value, wanted = text.value.trim().toLowerCase();
  const takes = branch.value.trim() ? await takers(branch.value.trim()) : null;
  if (mine !== turn) return;
  if (wanted && !texts) texts = cards.map((card) => searched(card).toLowerCase());
  let shown = 0;
  cards.forEach((card, place) => {
    const fits = (!kind || card.classList.contains(kind))
      && (!rule.value || card.dataset.rules.split(" ").includes(rule.value))
      && (!wanted || texts[place].includes(wanted))
      && (!takes || takes[place >> 3] >> (place & 7) & 1);
    card.hidden = !fits;
    shown += fits ? 1 : 0;
  });
  const tests = cards.length === 1 ? "test" : "tests";
  find("count").textContent = shown === cards.length ? `${shown} ${tests}` : `${shown} of ${cards.length} ${tests}`;
  find("nothing").hidden = shown > 0;
};
const clear = () => { form.reset(); return filter(); };
form.addEventListener("input", filter);
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", () => setTimeout(filter));
find("clear").addEventListener("click", clear);

// Links: what they lead to is made visible first

const reveal = async () => {
  const name = decodeURIComponent(location.hash.slice(1));
  if (/^t\d+$/.test(name)) await everything();
  if (/^m\d+-/.test(name)) await fill(find(name.split("-")[0]));
  const place = find(name);
  if (!place) return;
  for (let around = place; around; around = around.parentElement?.closest("details")) {
    if (around.tagName === "DETAILS") around.open = true;
  }
  if (place.matches(".test")) {
    if (place.hidden) await clear();
    const details = place.querySelector("details");
    if (details) details.open = true;
    place.focus({ preventScroll: true });
  }
  settle(place, 8);
};
// Cards are laid out when they come into view, which moves what is below them: look again in the next few frames
const settle = (place, frames) => {
  place.scrollIntoView();
  if (frames) requestAnimationFrame(() => settle(place, frames - 1));
};
addEventListener("hashchange", reveal);
document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[href^='#']");
  if (!link) return;
  if (link.dataset.branch) {
    form.reset();
    branch.value = link.dataset.branch;
    await filter();
  } else if (link.getAttribute("href") === location.hash) {
    reveal();  // the same place again
  }
});

// Keys

const step = (by) => {
  const visible = cards.filter((card) => !card.hidden);
  const here = visible.indexOf(document.activeElement.closest("article.test"));
  const next = visible[Math.min(Math.max(here + by, 0), visible.length - 1)];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "nearest" });
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && form.contains(document.activeElement)) return void clear();
  if (document.activeElement.matches("input, select, textarea")) return;
  const card = document.activeElement.closest("article.test");
  if (event.key === "/") text.focus();
  else if (event.key === "j") step(1);
  else if (event.key === "k") step(-1);
  else if (event.key === "o" && card) card.querySelector("details").toggleAttribute("open");
  else return;
  event.preventDefault();
});

// Charts

const data = JSON.parse(find("chart-data").textContent);
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const axis = (more) => ({
  stroke: colour("--quiet"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 },
  font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif", ...more,
});
const number = (u, value) => value == null ? "–" : value.toLocaleString("en", { maximumFractionDigits: 1 });
const short = (u, values) => values.map((value) =>
  value == null ? "" : value.toLocaleString("en", { notation: "compact", maximumFractionDigits: 2 }));
const line = (label, stroke, more) => ({ label, stroke: colour(stroke), width: 2, points: { size: 5 }, value: number, ...more });
const steps = () => ({ paths: uPlot.paths.stepped({ align: 1 }) });

const growth = (series, range) => ({
  height: 260, scales: { x: { time: false }, y: { range } }, cursor: { y: false },
  axes: [axis({ label: "executions", labelSize: 20, values: short }), axis({ size: 48, values: short })],
  series: [{ label: "executions", value: number }, ...series],
});
const violin = (last) => ({
  height: last ? 130 : 90, legend: { show: false }, cursor: { show: false },
  scales: { x: { time: false, distr: 3, range: () => [1, data.grid.at(-1)] }, y: { range: [-1.1, 1.1] } },
  axes: [axis({ show: true, size: last ? 36 : 8, values: last ? (u, values) => values.map((value) => value) : () => [],
    filter: (u, splits) => splits.map((value) => [1, 2, 5].includes(Number(String(value)[0])) ? value : null) }),
    { show: false }],
  series: [{}, line("", "--leaf", { width: 1.5, points: { show: false } }), line("", "--leaf", { width: 1.5, points: { show: false } })],
  bands: [{ series: [1, 2], fill: colour("--leaf") + "66" }],
});
const drawings = () => [
  ["coverage-chart", () => growth([line("covered", "--accent", steps()), line("by valid tests", "--pot", steps())],
    () => [0, data.total || 1]), () => [data.executions, data.covered, data.valid]],
  ["size-chart", () => growth([line("mean size", "--accent", steps())],
    (u, low, high) => [0, (high || 1) * 1.1]), () => [data.executions, data.mean]],
];

let charts = [];
const draw = () => {
  charts.forEach((chart) => chart.destroy());
  charts = [];
  const add = (place, options, values) => {
    charts.push(new uPlot({ width: Math.max(place.clientWidth, 200), ...options }, values, place));
  };
  for (const [id, options, values] of drawings()) if (find(id)) add(find(id), options(), values());
  const violins = document.querySelectorAll("[data-violin]");
  violins.forEach((place, number) => {
    const upper = data.sizes[number];
    add(place, violin(number === violins.length - 1), [data.grid, upper, upper.map((value) => -value)]);
  });
};
draw();
for (const medium of ["(prefers-color-scheme: dark)", "print"]) matchMedia(medium).addEventListener("change", draw);
let waiting = 0;
addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(draw, 120); });
if (location.hash) reveal();
if (cards.length < total) idle(() => unpack().then(() => idle(gradually)));
})();
