// Charts from numbers. Scales, axes, bins and shapes are d3's (the build makes d3.js of its packages); colours are the style sheet's, so that
// both themes and paper show the same drawing. Each figure has its numbers as a table too.
import { d3 } from "../d3.js";
import { duration, el, isolated, number, short, signed } from "./dom.js";

const LABELS = [16, 22]; // letters of a name beside a row: where there is little room, and else

// Drawn for the room there is, so that letters keep their size on a phone.
const room = () => (matchMedia("(max-width: 700px)").matches ? 360 : 640);

/** As much of a name as fits beside a row: wide letters count twice, marks upon a letter not at all, and more than two are left out. */
export function clip(name) {
  let left = LABELS[room() < 500 ? 0 : 1];
  let shown = "";
  for (const letter of name.replace(/(\p{M}{2})\p{M}+/gu, "$1")) {
    left -= /\p{M}/u.test(letter) ? 0 : letter.codePointAt(0) >= 0x1100 ? 2 : 1;
    if (left < 0) return `${shown}\u2026`;
    shown += letter;
  }
  return shown;
}

export function drawing(height, label, role = "img", wide = room()) {
  return [d3.create("svg").attr("viewBox", `0 0 ${wide} ${height}`).attr("role", role).attr("aria-label", label), wide];
}

/** A drawing, what it shows in words, and the same as a table: head is a list of names, rows are lists of texts. */
export function figure(root, caption, head, rows) {
  const cells = (kind, list, scope) => list.map((text, i) => el(kind, { scope, class: `${kind === "th" ? "plain " : ""}${i ? "num" : "text"}` }, text));
  const table = el("table", { class: "board" }, el("thead", {}, el("tr", {}, ...cells("th", head, "col"))), el("tbody", {}, ...rows.map((row) => el("tr", {}, ...cells("td", row)))));
  const details = el("details", { class: "as-table" }, el("summary", {}, "As a table"), el("div", { class: "scroll narrow", tabindex: 0, role: "region", "aria-label": "The chart as a table" }, table));
  return el("figure", { class: "chart" }, root.node(), el("figcaption", {}, caption), details);
}

/** Grid lines with numbers below; `high` is how far up they reach. */
export function below(root, scale, y, high, format = short, count = 5) {
  root.append("g").attr("class", "axis").attr("transform", `translate(0 ${y})`).call(d3.axisBottom(scale).ticks(count).tickFormat(format).tickSize(-high).tickPadding(7));
}

export function beside(root, scale, x, wide, format = short) {
  root.append("g").attr("class", "axis").attr("transform", `translate(${x} 0)`).call(d3.axisLeft(scale).ticks(4).tickFormat(format).tickSize(-wide).tickPadding(6));
}

/** A name for each row, at the left. */
function names(root, rows, x, y) {
  const texts = root.append("g").selectAll("text").data(rows).enter().append("text").attr("class", (r) => (r.strong ? "strong" : null));
  texts.attr("x", x).attr("y", (r, i) => y(i)).attr("dy", "0.35em").attr("text-anchor", "end").text((r) => clip(r.label));
  texts.filter((r) => clip(r.label) !== r.label).append("title").text((r) => r.label);
}

const linked = (group, points) => group.selectAll("a").data(points).enter().append("a").attr("href", (p) => p.href).attr("aria-label", (p) => p.label);

/** A dot for each game on one line of scores, the field's games behind: [{score, label, href}]. */
export function distribution(mine, field, caption) {
  const [root, wide] = drawing(176, "Distribution of scores", "group");
  const x = d3.scaleLinear().domain([0, d3.max([...mine.map((g) => g.score), ...field, 1])]).range([16, wide - 16]);
  below(root, x, 146, 138);
  const bins = d3.bin().domain(x.domain()).thresholds(x.ticks(40))(field);
  const y = d3.scaleLinear().domain([0, d3.max(bins, (b) => b.length) || 1]).range([0, 104]);
  const bars = root.append("g").selectAll("rect").data(bins.filter((b) => b.length)).enter().append("rect").attr("class", "field");
  bars.attr("x", (b) => x(b.x0) + 0.5).attr("width", (b) => Math.max(1, x(b.x1) - x(b.x0) - 1)).attr("y", (b) => 120 - y(b.length)).attr("height", (b) => y(b.length));
  const mean = d3.mean(mine, (g) => g.score);
  if (mine.length) root.append("line").attr("class", "mean").attr("x1", x(mean)).attr("x2", x(mean)).attr("y1", 8).attr("y2", 144);
  linked(root.append("g"), mine).append("circle").attr("class", "mine").attr("cx", (g) => x(g.score)).attr("cy", 132).attr("r", 7).append("title").text((g) => g.label);
  return figure(root, caption, ["Scores from", "to", "Games of it", "Of the others"], bins.map((b) => [number(b.x0), number(b.x1), number(mine.filter((g) => g.score >= b.x0 && g.score < b.x1).length), number(b.length)]).filter((row) => row[2] !== "0" || row[3] !== "0"));
}

/** Points of a field with one of them marked: [{name, x, y, label, href, mine}]. */
export function scatter(points, labels, caption) {
  const [root, wide] = drawing(282, `${labels.y} against ${labels.x}`, "group");
  const spread = (key) => [d3.min(points, (p) => p[key]) * 0.92, d3.max(points, (p) => p[key]) * 1.08 || 1];
  const x = d3.scaleLinear().domain(spread("x")).range([44, wide - 16]);
  const y = d3.scaleLinear().domain(spread("y")).range([240, 22]);
  below(root, x, 240, 218);
  beside(root, y, 44, wide - 60);
  root.append("text").attr("x", wide - 16).attr("y", 278).attr("text-anchor", "end").text(`${labels.x} \u2192`);
  root.append("text").attr("x", 4).attr("y", 11).text(`\u2191 ${labels.y}`);
  const marks = linked(root.append("g"), d3.sort(points, (p) => (p.mine ? 1 : 0))).append("circle").attr("class", (p) => (p.mine ? "mine" : "field"));
  marks.attr("cx", (p) => x(p.x)).attr("cy", (p) => y(p.y)).attr("r", (p) => (p.mine ? 8 : 6)).append("title").text((p) => p.label);
  return figure(root, caption, ["Policy", labels.x, labels.y], points.map((p) => [el("bdi", {}, p.name), number(p.x, 2), number(p.y, 2)]));
}

/** From the middle of the moves to their slowest, a line a row, on a scale of powers of ten: [{label, p50, p95, max}] in ms. */
export function spans(rows, caption) {
  const bottom = 14 + rows.length * 22;
  const [root, wide] = drawing(bottom + 24, "Time a move");
  const least = 0.001;
  const x = d3.scaleLog().domain([Math.max(least, d3.min(rows, (r) => r.p50)), Math.max(2 * least, d3.max(rows, (r) => r.max))]).nice().range([60, wide - 20]).clamp(true);
  const powers = x.ticks().filter((v) => Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9);
  root.append("g").attr("class", "axis").attr("transform", `translate(0 ${bottom})`).call(d3.axisBottom(x).tickValues(powers).tickFormat(duration).tickSize(-bottom + 4).tickPadding(7));
  const y = (i) => 18 + i * 22;
  names(root, rows, 50, y);
  const told = (r) => `${r.label}: half of the moves within ${duration(r.p50)}, 95 % within ${duration(r.p95)}, the slowest ${duration(r.max)}`;
  const lines = root.append("g").selectAll("g").data(rows).enter().append("g").attr("transform", (r, i) => `translate(0 ${y(i)})`);
  lines.append("title").text(told);
  lines.append("line").attr("class", "zero").attr("x1", (r) => x(r.p50)).attr("x2", (r) => x(r.max));
  lines.append("rect").attr("class", "bar").attr("x", (r) => x(r.p50)).attr("y", -5).attr("width", (r) => Math.max(2, x(r.p95) - x(r.p50))).attr("height", 10).attr("rx", 2);
  lines.append("circle").attr("class", "mine").attr("cx", (r) => x(r.p50)).attr("r", 4);
  return figure(root, caption, ["Round", "Median", "95 % within", "Slowest"], rows.map((r) => [r.label, duration(r.p50), duration(r.p95), duration(r.max)]));
}

/** A bar a pair from zero to its difference, and below them their mean with its interval. */
export function deltas(pairs, mean, interval, caption) {
  const rows = [...pairs, { label: "mean", delta: mean, strong: true }];
  const bottom = 14 + rows.length * 24;
  const [root, wide] = drawing(bottom + 26, "Differences round by round");
  const x = d3.scaleLinear().domain(d3.extent([...rows.map((r) => r.delta), ...(interval ?? []), 0])).nice().range([52, wide - 72]);
  const y = (i) => 16 + i * 24;
  below(root, x, bottom, bottom - 4, short, wide < 500 ? 3 : 5);
  root.append("line").attr("class", "zero").attr("x1", x(0)).attr("x2", x(0)).attr("y1", 4).attr("y2", bottom);
  names(root, rows, 44, y);
  const bars = root.append("g").selectAll("rect").data(pairs).enter().append("rect").attr("class", (p) => (p.delta < 0 ? "lossbar" : "gainbar"));
  bars.attr("x", (p) => Math.min(x(0), x(p.delta))).attr("width", (p) => Math.max(1, Math.abs(x(p.delta) - x(0)))).attr("y", (p, i) => y(i) - 8).attr("height", 16).attr("rx", 2);
  bars.append("title").text((p) => `${p.label}: ${signed(p.delta)}`);
  const ends = root.append("g").selectAll("text").data(rows).enter().append("text").attr("class", (r) => (r.strong ? "strong" : null));
  ends.attr("x", wide - 4).attr("y", (r, i) => y(i)).attr("dy", "0.35em").attr("text-anchor", "end").text((r) => signed(r.delta));
  const last = y(pairs.length);
  if (interval) root.append("line").attr("class", "whisker").attr("x1", x(interval[0])).attr("x2", x(interval[1])).attr("y1", last).attr("y2", last);
  root.append("circle").attr("class", "mine").attr("cx", x(mean)).attr("cy", last).attr("r", 6);
  return figure(root, caption, ["Round", "Difference"], rows.map((r) => [r.label, signed(r.delta)]));
}

/** A bar each: [{label, value}]. `tell` writes the number on top of a bar. */
export function columns(values, caption, { label, head, tell = short, best = null, wide: want = room() }) {
  const [root, wide] = drawing(192, label, "img", want);
  const x = d3.scaleBand().domain(values.map((v) => v.label)).range([8, wide - 8]).padding(0.15);
  const y = d3.scaleLinear().domain([Math.min(0, d3.min(values, (v) => v.value)), d3.max(values, (v) => v.value) || 1]).range([0, 150]);
  const bars = root.append("g").selectAll("rect").data(values).enter().append("rect").attr("class", (v) => (v.label === best ? "bar best" : "bar"));
  bars.attr("x", (v) => x(v.label)).attr("width", x.bandwidth()).attr("y", (v) => 170 - y(v.value)).attr("height", (v) => Math.max(1, y(v.value))).attr("rx", 2);
  bars.append("title").text((v) => `${v.label}: ${number(v.value)}`);
  const middle = (v) => x(v.label) + x.bandwidth() / 2;
  const texts = (kind, at, text) => root.append("g").selectAll("text").data(values).enter().append("text").attr("class", kind).attr("x", middle).attr("y", at).attr("text-anchor", "middle").text(text);
  texts(null, 186, (v) => v.label);
  texts("strong", (v) => 165 - y(v.value), (v) => tell(v.value));
  return figure(root, caption, head, values.map((v) => [v.label, number(v.value)]));
}

/** The field of a board: a row a policy with a dot a game, its mean and the interval of the mean: [{label, mean, interval, scores, href}]. */
export function field(rows, caption) {
  const bottom = 12 + rows.length * 24;
  const [root, wide] = drawing(bottom + 26, "Scores of every policy", "group", room() > 500 ? 1100 : room());
  const left = wide < 500 ? 128 : 168;
  const x = d3.scaleLinear().domain([0, d3.max(rows, (r) => Math.max(...r.scores, r.interval?.[1] ?? 0)) || 1]).nice().range([left, wide - 14]);
  const y = (i) => 16 + i * 24;
  below(root, x, bottom, bottom - 4, short, wide < 500 ? 3 : 6);
  const lines = root.append("g").selectAll("g").data(rows).enter().append("g").attr("transform", (r, i) => `translate(0 ${y(i)})`);
  const link = lines.append("a").attr("href", (r) => r.href);
  link.append("text").attr("x", left - 10).attr("dy", "0.35em").attr("text-anchor", "end").text((r) => clip(r.label));
  link.filter((r) => clip(r.label) !== r.label).append("title").text((r) => r.label);
  lines.selectAll("circle.field").data((r) => r.scores).enter().append("circle").attr("class", "field").attr("cx", (score) => x(score)).attr("r", 3.5);
  lines.filter((r) => r.interval).append("line").attr("class", "whisker").attr("x1", (r) => x(r.interval[0])).attr("x2", (r) => x(r.interval[1]));
  lines.append("circle").attr("class", "mine").attr("cx", (r) => x(r.mean)).attr("r", 5.5).append("title").text((r) => `${isolated(r.label)}: mean ${number(r.mean)}${r.interval ? `, 95 % interval ${number(r.interval[0])} to ${number(r.interval[1])}` : ""}`);
  return figure(root, caption, ["Policy", "Mean", "95 % interval", "Lowest", "Highest"], rows.map((r) => [el("bdi", {}, r.label), number(r.mean), r.interval ? `${number(r.interval[0])} to ${number(r.interval[1])}` : "-", number(Math.min(...r.scores)), number(Math.max(...r.scores))]));
}
