// The rules as filmstrips. A position is either small enough to hide nothing, or the end of a short game on a generated tape; the engine plays both.
import { el, svg, byId, number } from "./dom.js";
import { BoardView } from "./board.js";
import { loadEngine } from "./engine.js";
import { BONUS, RISE, pointsOf } from "./points.js";

const OPENING = "0".repeat(42) + "8888888";
const WAVES = 12;
const low = (...rows) => rows.join("").padStart(49, "0");

// board, nextDisc, movesRemaining: a preview. seed, played: a game on that tape, whose last move is shown.
const EXAMPLES = {
  drop: { board: low("0600000", "0700050", "0888080"), nextDisc: 5, movesRemaining: 3, column: 2 },
  column: { board: low("0060000", "0070000", "0080000"), nextDisc: 4, movesRemaining: 3, column: 2 },
  row: { board: low("0650000", "0880000"), nextDisc: 3, movesRemaining: 3, column: 3 },
  crack: { board: OPENING, nextDisc: 2, movesRemaining: 5, column: 3 },
  reveal: { seed: 28041, played: "3222" },
  double: { seed: 32788, played: "3332141" },
  chain: { seed: 18411, played: "3333" },
  rise: { seed: 282, played: "22222" },
  "rise-chain": { seed: 15612, played: "55555" },
  blocked: { seed: 44355, played: "3111111111" },
  empty: { board: low("0002000"), nextDisc: 2, movesRemaining: 3, column: 3 },
};

/** {before, disc, column, left, steps, after} of an example. */
function play(engine, example) {
  if (example.board) {
    const { board, nextDisc, movesRemaining, column } = example;
    const steps = engine.preview({ board, nextDisc, movesRemaining }, column);
    return { before: board, disc: nextDisc, column, left: movesRemaining, steps, score: null };
  }
  engine.generate(example.seed, 40);
  const moves = [...example.played].map(Number);
  const last = moves.pop();
  for (const column of moves) engine.play(column);
  const { board, nextDisc, movesRemaining } = engine.state();
  const frame = engine.play(last);
  return { before: board, disc: nextDisc, column: last, left: movesRemaining, steps: frame.steps, score: frame.scoreDelta, over: engine.state().over };
}

/** Height of the empty part at the top that no board of an example needs; a free row above the discs stays. */
function spare(boards) {
  const rows = Math.max(...boards.map((board) => 7 - Math.floor(board.search(/[1-9]|$/) / 7)));
  return 10 * Math.max(0, 6 - Math.max(rows, 2));
}

function tile(board, head, text, { rings = [], held = null, column = null, cut = 0 } = {}) {
  const drawing = svg("svg", { viewBox: `0 ${cut} 70 ${80 - cut}`, role: "img", "aria-label": `${head}: ${text}` });
  const view = new BoardView(drawing);
  view.show(board, held, column);
  view.held.setAttribute("transform", `translate(0 ${cut})`);
  drawing.append(...rings.map((i) => svg("circle", { class: "target", cx: (i % 7) * 10 + 5, cy: 15 + Math.floor(i / 7) * 10, r: 4.7 })));
  return el("li", {}, drawing, el("b", {}, head), ` ${text}`);
}

const many = (count, one, more) => `${count} ${count === 1 ? one : more}`;

function tellImpact(step) {
  return [step.cracked.length && many(step.cracked.length, "gray disc cracks", "gray discs crack"), step.revealed.length && many(step.revealed.length, "opens", "open")].filter(Boolean).join(", ");
}

function film({ before, disc, column, left, steps, score, over }) {
  const cut = spare([before, ...steps.map((step) => step.board)]);
  const tiles = [tile(before, "In hand", `a ${disc}, ${many(left, "drop", "drops")} to the rise`, { held: disc, column, cut })];
  let board = before;
  steps.forEach((step, i) => {
    if (step.kind === "burst") tiles.push(tile(board, `Wave ${step.wave}`, `${many(step.cells.length, "disc", "discs")} at ${number(step.points[0])} points`, { rings: step.cells, cut }));
    if (step.kind === "impact") tiles.push(tile(step.board, "Hit", tellImpact(step), { rings: [...step.cracked, ...step.revealed], cut }));
    if (step.kind === "settle") tiles.push(tile(step.board, "Fall", "what hung in the air comes down", { cut }));
    if (step.kind === "rise") tiles.push(tile(step.board, "Rise", `a gray row comes in: ${number(RISE)} points`, { rings: step.cells, cut }));
    if (step.kind === "drop" && steps[i + 1]?.kind !== "burst") tiles.push(tile(step.board, over ? "Over" : "Drop", over ? "the rise is due and a disc is in the top row" : "it lies, nothing matches", { rings: step.cells, cut }));
    board = step.board;
  });
  if (steps.at(-1).kind === "burst") {
    const empty = !/[1-9]/.test(board);
    tiles.push(tile(board, empty ? "Empty" : "Gone", empty ? `${number(BONUS)} points` : "nothing is left to match", { cut }));
  }
  return [el("ol", { class: "film" }, ...tiles), score === null ? "" : el("p", { class: "soft" }, `This move scores ${number(score)} points.`)];
}

async function drawPoints() {
  const values = Array.from({ length: WAVES }, (_, i) => ({ label: String(i + 1), value: pointsOf(i + 1) }));
  const { columns } = await import("./chart.js");
  byId("points").replaceChildren(columns(values, "Points of one disc, by the wave it clears in.", { label: "Points by wave", head: ["Wave", "Points a disc"] }));
}

async function start() {
  drawPoints();
  const places = [...document.querySelectorAll("[data-example]")];
  try {
    const engine = await loadEngine();
    for (const place of places) place.replaceChildren(...film(play(engine, EXAMPLES[place.dataset.example])));
  } catch (problem) {
    for (const place of places) place.replaceChildren(el("p", { class: "notice bad" }, `The engine could not be loaded: ${problem.message}`));
  }
}

start();
