// The curves of a replay: score and height over its moves, with the current move marked in each, and the same numbers as a table.
import { d3 } from "../d3.js";
import { byId, el, number, svg } from "./dom.js";

const WIDE = 1000;
const HIGH = 150;
const FULL = 7;

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

function table(frames, levels) {
  const head = [["Move"], ["Disc"], ["Column"], ["Points"], ["Score"], ["Chain"], ["Highest"], ["Mean height"]].map(([label]) => el("th", { scope: "col", class: "plain num" }, label));
  const row = (f, i) => {
    const cells = [el("a", { href: `#m=${i + 1}` }, String(i + 1)), String(f.disc), String(f.column + 1), `+${number(f.scoreDelta)}`, number(f.score), String(f.chainDepth), String(levels[i + 1].highest), number(levels[i + 1].mean, 1)];
    return el("tr", {}, ...cells.map((cell) => el("td", { class: "num" }, cell)));
  };
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Score and height move by move" }, el("table", { class: "board" }, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...frames.map(row))));
}

/** The table is made when somebody wants it: a game may have two thousand moves. Returns the function that marks the row of move k. */
function tableView(place, frames, levels) {
  let rows = null;
  let at = 0;
  const mark = (k) => {
    rows?.[at - 1]?.classList.remove("here");
    at = k;
    rows?.[at - 1]?.classList.add("here");
  };
  const opened = () => {
    if (!place.open || rows) return;
    const made = table(frames, levels);
    place.append(made);
    rows = made.querySelectorAll("tbody tr");
    mark(at);
  };
  place.addEventListener("toggle", opened);
  opened(); // by somebody who was quicker than this program
  return mark;
}

/** Draws both; returns the function that marks move k. `jump` is told the move that was clicked. */
export function curves(frames, opening, jump) {
  const x = d3.scaleLinear().domain([0, Math.max(1, frames.length)]).range([0, WIDE]);
  const upTo = (top) => d3.scaleLinear().domain([0, top]).range([HIGH - 4, 6]);
  const line = (values, top) => svg("path", { class: "line", d: d3.line().x((v, k) => x(k)).y(upTo(top))(values) });
  const area = (values, top) => svg("path", { class: "area", d: d3.area().x((v, k) => x(k)).y0(HIGH).y1(upTo(top))(values) });
  const rises = frames.flatMap((f, i) => (f.levelAdvanced ? [svg("line", { class: "rise", x1: x(i + 1), x2: x(i + 1), y1: 0, y2: HIGH })] : []));
  const levels = [opening, ...frames.map((f) => f.board)].map(heights).map((columns) => ({ highest: d3.max(columns), mean: d3.mean(columns) }));
  const scores = [0, ...frames.map((f) => f.score)];
  const top = scores.at(-1);
  const marks = [
    draw(byId("curve"), [...rises, line(scores, Math.max(1, top))], x, jump),
    draw(byId("heights"), [area(levels.map((l) => l.mean), FULL), line(levels.map((l) => l.highest), FULL)], x, jump),
    tableView(byId("moves"), frames, levels),
  ];
  byId("score-top").textContent = number(top);
  byId("score-end").textContent = `move ${number(frames.length)}`;
  return (k) => {
    marks.forEach((mark) => mark(k));
    byId("score-here").textContent = number(scores[k]);
    byId("height-here").textContent = `${levels[k].highest}, mean ${number(levels[k].mean, 1)}`;
  };
}
