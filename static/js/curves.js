// The curves of a replay: score and height over its moves, with the current move marked in each.
import { svg } from "./dom.js";

const WIDE = 1000;
const HIGH = 150;

/** Heights of the seven columns of a board. */
function heights(board) {
  return [0, 1, 2, 3, 4, 5, 6].map((c) => [0, 1, 2, 3, 4, 5, 6].filter((row) => board[7 * row + c] !== "0").length);
}

function draw(root, shapes, count, jump) {
  const here = svg("line", { class: "here", y1: 0, y2: HIGH });
  root.replaceChildren(...shapes, here);
  root.addEventListener("click", (event) => {
    const box = root.getBoundingClientRect();
    jump(Math.round(((event.clientX - box.left) / box.width) * count));
  });
  return (k) => here.setAttribute("transform", `translate(${(WIDE * k) / Math.max(1, count)} 0)`);
}

/** Draws both; returns the function that marks move k. `jump` is told the move that was clicked. */
export function curves(scoreRoot, heightRoot, frames, opening, jump) {
  const count = frames.length;
  const x = (k) => ((WIDE * k) / Math.max(1, count)).toFixed(1);
  const line = (values, top) => values.map((v, k) => `${x(k)},${(HIGH - 4 - ((HIGH - 10) * v) / top).toFixed(1)}`).join(" ");
  const rises = () => frames.flatMap((f, i) => (f.levelAdvanced ? [svg("line", { class: "rise", x1: x(i + 1), x2: x(i + 1), y1: 0, y2: HIGH })] : []));
  const columns = [opening, ...frames.map((f) => f.board)].map(heights);
  const mean = columns.map((h) => h.reduce((a, b) => a + b, 0) / 7);
  const marks = [
    draw(scoreRoot, [...rises(), svg("polyline", { class: "line", points: line([0, ...frames.map((f) => f.score)], Math.max(1, frames.at(-1)?.score ?? 1)) })], count, jump),
    draw(heightRoot, [svg("polygon", { class: "area", points: `0,${HIGH} ${line(mean, 7)} ${WIDE},${HIGH}` }), svg("polyline", { class: "line", points: line(columns.map((h) => Math.max(...h)), 7) })], count, jump),
  ];
  return (k) => marks.forEach((mark) => mark(k));
}
