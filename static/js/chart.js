// Small charts as SVG: marks are drawn from numbers, texts come from a caption the caller writes. Widths are in user units of a 640 wide view.
import { el, svg, number, short, signed } from "./dom.js";

const WIDTH = 640;
const at = (value) => value.toFixed(1);

/** 1, 2, 5 times a power of ten: about `count` steps from low to high. */
export function ticks(low, high, count = 5) {
  const rough = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= rough) ?? 10);
  const list = [];
  for (let v = Math.ceil(low / step) * step; v <= high + step * 1e-6; v += step) list.push(v);
  return list;
}

function frame(height, label, ...children) {
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "group", "aria-label": label }, ...children);
}

const figure = (drawing, caption) => el("figure", { class: "chart" }, drawing, el("figcaption", {}, caption));
const title = (text) => svg("title", {}, text);

function axisBelow(x, low, high, y, format) {
  return ticks(low, high).flatMap((v) => [svg("line", { class: "axis", x1: at(x(v)), x2: at(x(v)), y1: 8, y2: y }), svg("text", { x: at(x(v)), y: y + 16, "text-anchor": "middle" }, format(v))]);
}

/** A dot for each game on one line of scores, the field's games behind: [{score, label, href}]. */
export function distribution(mine, field, caption) {
  const scores = [...mine.map((g) => g.score), ...field];
  const high = Math.max(...scores, 1);
  const x = (v) => 16 + ((WIDTH - 32) * v) / high;
  const bins = 40;
  const counts = new Array(bins).fill(0);
  for (const score of field) counts[Math.min(bins - 1, Math.floor((bins * score) / high))]++;
  const most = Math.max(...counts, 1);
  const columns = counts.map((n, i) => n && svg("rect", { class: "field", x: at(x((i * high) / bins)), y: at(120 - (100 * n) / most), width: at((WIDTH - 32) / bins - 1), height: at((100 * n) / most) })).filter(Boolean);
  const mean = mine.reduce((sum, g) => sum + g.score, 0) / Math.max(1, mine.length);
  const dots = mine.map((g) => svg("a", { href: g.href, "aria-label": g.label }, svg("circle", { class: "mine", cx: at(x(g.score)), cy: 132, r: 7 }, title(g.label))));
  const line = mine.length ? [svg("line", { class: "mean", x1: at(x(mean)), x2: at(x(mean)), y1: 8, y2: 144 })] : [];
  return figure(frame(176, "Distribution of scores", ...axisBelow(x, 0, high, 146, short), ...columns, ...line, ...dots), caption);
}

/** Points of a field with one of them marked: [{x, y, label, href, mine}]. */
export function scatter(points, labels, caption) {
  const [maxX, maxY] = [Math.max(...points.map((p) => p.x)) * 1.08 || 1, Math.max(...points.map((p) => p.y)) * 1.12 || 1];
  const [minX, minY] = [Math.min(...points.map((p) => p.x)) * 0.92, Math.min(...points.map((p) => p.y)) * 0.88];
  const x = (v) => 48 + ((WIDTH - 68) * (v - minX)) / (maxX - minX || 1);
  const y = (v) => 240 - (224 * (v - minY)) / (maxY - minY || 1);
  const rows = ticks(minY, maxY, 4).flatMap((v) => [svg("line", { class: "axis", x1: 48, x2: WIDTH - 16, y1: at(y(v)), y2: at(y(v)) }), svg("text", { x: 42, y: at(y(v) + 4), "text-anchor": "end" }, short(v))]);
  const dots = [...points].sort((a, b) => (a.mine ? 1 : 0) - (b.mine ? 1 : 0)).map((p) => {
    const mark = svg("circle", { class: p.mine ? "mine" : "field", cx: at(x(p.x)), cy: at(y(p.y)), r: p.mine ? 8 : 6 }, title(p.label));
    return svg("a", { href: p.href, "aria-label": p.label }, mark);
  });
  const names = [svg("text", { x: WIDTH - 16, y: 276, "text-anchor": "end" }, `${labels.x} \u2192`), svg("text", { x: 6, y: 10 }, `\u2191 ${labels.y}`)];
  return figure(frame(282, `${labels.y} against ${labels.x}`, ...axisBelow(x, minX, maxX, 240, short), ...rows, ...names, ...dots), caption);
}

/** From the middle of the moves to their slowest, a line a row, on a scale of powers of ten: [{label, p50, p95, max}] in ms. */
export function spans(rows, caption) {
  const floor = 0.001;
  const log = (v) => Math.log10(Math.max(floor, v));
  const low = Math.floor(Math.min(...rows.map((r) => log(r.p50))));
  const high = Math.max(low + 1, Math.ceil(Math.max(...rows.map((r) => log(r.max)))));
  const x = (v) => 110 + ((WIDTH - 130) * (log(v) - low)) / (high - low);
  const bottom = 14 + rows.length * 22;
  const unit = (ms) => (ms >= 1000 ? `${short(ms / 1000)} s` : ms >= 1 ? `${short(ms)} ms` : `${+(ms * 1000).toFixed(0)} \u00b5s`);
  const axis = [];
  for (let e = low; e <= high; e++) axis.push(svg("line", { class: "axis", x1: at(x(10 ** e)), x2: at(x(10 ** e)), y1: 4, y2: bottom }), svg("text", { x: at(x(10 ** e)), y: bottom + 16, "text-anchor": "middle" }, unit(10 ** e)));
  const lines = rows.flatMap((r, i) => {
    const y = 18 + i * 22;
    return [
      svg("text", { x: 100, y: y + 4, "text-anchor": "end" }, r.label),
      svg("line", { class: "zero", x1: at(x(r.p50)), x2: at(x(r.max)), y1: y, y2: y }),
      svg("rect", { class: "bar", x: at(x(r.p50)), y: y - 5, width: at(Math.max(2, x(r.p95) - x(r.p50))), height: 10, rx: 2 }, title(`${r.label}: half of the moves within ${unit(r.p50)}, 95 % within ${unit(r.p95)}, the slowest ${unit(r.max)}`)),
      svg("circle", { class: "mine", cx: at(x(r.p50)), cy: y, r: 4 }),
    ];
  });
  return figure(frame(bottom + 24, "Time a move", ...axis, ...lines), caption);
}

/** A bar a pair from zero to its difference, and below them their mean with its interval. */
export function deltas(pairs, mean, interval, caption) {
  const all = [...pairs.map((p) => p.delta), ...(interval ?? []), mean, 0];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const room = (high - low) * 0.04 || 1;
  const x = (v) => 110 + ((WIDTH - 200) * (v - low + room)) / (high - low + 2 * room);
  const bottom = 14 + (pairs.length + 1) * 24;
  const bars = pairs.flatMap((p, i) => {
    const y = 8 + i * 24;
    const [from, to] = [Math.min(x(0), x(p.delta)), Math.max(x(0), x(p.delta))];
    return [svg("text", { x: 100, y: y + 13, "text-anchor": "end" }, p.label), svg("rect", { class: p.delta < 0 ? "lossbar" : "gainbar", x: at(from), y, width: at(Math.max(1, to - from)), height: 16, rx: 2 }, title(`${p.label}: ${signed(p.delta)}`)), svg("text", { x: WIDTH - 4, y: y + 13, "text-anchor": "end" }, signed(p.delta))];
  });
  const y = 8 + pairs.length * 24 + 8;
  const range = interval ? [svg("line", { class: "whisker", x1: at(x(interval[0])), x2: at(x(interval[1])), y1: y, y2: y })] : [];
  return figure(
    frame(bottom + 26, "Differences round by round", ...axisBelow(x, low, high, bottom, short), svg("line", { class: "zero", x1: at(x(0)), x2: at(x(0)), y1: 4, y2: bottom }), ...bars, ...range, svg("circle", { class: "mine", cx: at(x(mean)), cy: y, r: 6 }), svg("text", { class: "strong", x: 100, y: y + 4, "text-anchor": "end" }, "mean"), svg("text", { class: "strong", x: WIDTH - 4, y: y + 4, "text-anchor": "end" }, signed(mean))),
    caption,
  );
}

/** Points a wave: a bar each. */
export function columns(values, caption) {
  const high = Math.max(...values.map((v) => v.value));
  const step = (WIDTH - 40) / values.length;
  const bars = values.flatMap((v, i) => {
    const height = (150 * v.value) / high;
    const x = 20 + i * step;
    return [svg("rect", { class: "bar", x: at(x + 3), y: at(170 - height), width: at(step - 6), height: at(Math.max(1, height)), rx: 2 }, title(`${v.label}: ${number(v.value)}`)), svg("text", { x: at(x + step / 2), y: 186, "text-anchor": "middle" }, v.label), svg("text", { class: "strong", x: at(x + step / 2), y: at(164 - height), "text-anchor": "middle" }, short(v.value))];
  });
  return figure(frame(192, "Points by wave", ...bars), caption);
}
