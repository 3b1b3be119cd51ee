// Two games of one round against each other: both scores over the moves, where they part, and the move that is shown.
import { d3 } from "../d3.js";
import { below, beside, clip, drawing, figure } from "./chart.js";
import { el, isolated, number, signed } from "./dom.js";

const HIGH = 240;
const ROW = 5; // moves from one row of the table to the next: a rise

const scoresOf = (side) => [0, ...side.frames.map((f) => f.score)];
const at = (scores, k) => scores[Math.min(k, scores.length - 1)];

function rows(a, b, last) {
  const moves = [...d3.range(0, last, ROW), last];
  return moves.map((k) => [String(k), number(at(a, k)), number(at(b, k)), signed(at(a, k) - at(b, k))]);
}

/** {node, mark}: the figure, and what marks move k in it. `sides` are two {name, frames}; `parting` is the move before which they part, or null. */
export function race(sides, parting) {
  const [a, b] = sides.map(scoresOf);
  const last = Math.max(a.length, b.length) - 1;
  const [root, wide] = drawing(HIGH + 26, "Both scores over the moves", "img", 420);
  const x = d3.scaleLinear().domain([0, Math.max(1, last)]).range([46, wide - 12]);
  const y = d3.scaleLinear().domain([0, Math.max(1, a.at(-1), b.at(-1))]).nice().range([HIGH, 12]);
  below(root, x, HIGH, 0, String, 5);
  beside(root, y, 46, wide - 58);
  if (parting !== null) {
    const line = root.append("g").attr("transform", `translate(${x(parting)} 0)`);
    line.append("line").attr("class", "parted").attr("y1", 12).attr("y2", HIGH);
    line.append("text").attr("x", 5).attr("y", 20).text("they part");
  }
  const path = d3.line().x((v, k) => x(k)).y(y);
  [b, a].forEach((scores, i) => root.append("path").attr("class", `side-${"ba"[i]}`).attr("d", path(scores)));
  const here = root.append("line").attr("class", "now").attr("y1", 12).attr("y2", HIGH);
  const key = sides.map(({ name }, i) => el("span", { class: `key key-${"ab"[i]}` }, el("bdi", { title: isolated(name) }, clip(name))));
  const caption = el("span", {}, el("span", { class: "keys-of" }, ...key), "Score over the moves. A step is a rise; what a policy clears on the way decides how many rises it lives to see.");
  const node = figure(root, caption, ["Move", clip(sides[0].name), clip(sides[1].name), "Difference"], rows(a, b, last));
  return { node, mark: (k) => here.attr("transform", `translate(${x(k)} 0)`) };
}
