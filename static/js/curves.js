// The curves of a replay: score and height over its moves, with the current move marked in each.
import { d3 } from "../d3.js";
import { svg } from "./dom.js";

const WIDE = 1000;
const HIGH = 150;

/** Heights of the seven columns of a board. */
function heights(board) {
  return d3.range(7).map((c) => d3.range(7).filter((row) => board[7 * row + c] !== "0").length);
}

function draw(root, shapes, x, jump) {
  const here = svg("line", { class: "here", y1: 0, y2: HIGH });
  root.replaceChildren(...shapes, here);
  root.addEventListener("click", (event) => {
    const box = root.getBoundingClientRect();
    jump(Math.round(x.invert((WIDE * (event.clientX - box.left)) / box.width)));
  });
  return (k) => here.setAttribute("transform", `translate(${x(k)} 0)`);
}

/** Draws both; returns the function that marks move k. `jump` is told the move that was clicked. */
export function curves(scoreRoot, heightRoot, frames, opening, jump) {
  const x = d3.scaleLinear().domain([0, Math.max(1, frames.length)]).range([0, WIDE]);
  const upTo = (top) => d3.scaleLinear().domain([0, top]).range([HIGH - 4, 6]);
  const line = (values, top) => svg("path", { class: "line", d: d3.line().x((v, k) => x(k)).y(upTo(top))(values) });
  const area = (values, top) => svg("path", { class: "area", d: d3.area().x((v, k) => x(k)).y0(HIGH).y1(upTo(top))(values) });
  const rises = frames.flatMap((f, i) => (f.levelAdvanced ? [svg("line", { class: "rise", x1: x(i + 1), x2: x(i + 1), y1: 0, y2: HIGH })] : []));
  const columns = [opening, ...frames.map((f) => f.board)].map(heights);
  const scores = [0, ...frames.map((f) => f.score)];
  const marks = [draw(scoreRoot, [...rises, line(scores, Math.max(1, scores.at(-1)))], x, jump), draw(heightRoot, [area(columns.map((h) => d3.mean(h)), 7), line(columns.map((h) => d3.max(h)), 7)], x, jump)];
  return (k) => marks.forEach((mark) => mark(k));
}
