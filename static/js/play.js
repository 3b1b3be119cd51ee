// The play page: a round through the plays API, or a free game in the browser's own engine.
import { el, byId, number } from "./dom.js";
import { get, Problem } from "./api.js";
import { BoardView } from "./board.js";
import { loadEngine } from "./engine.js";
import { tilesOf } from "./filmstrip.js";
import { BONUS, RISE, pointsOf } from "./points.js";
import { FreeTable, RankedTable, beginRanked } from "./table.js";

const STEP_MS = 150;
const COLUMNS = [0, 1, 2, 3, 4, 5, 6];
const WAVES = 10; // whose points are told
const BEST_KEY = "drop7-best";
const PLAY_KEY = "drop7-play:";
const still = matchMedia("(prefers-reduced-motion: reduce)");
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

let engine = null;
let view = null;
let table = null;
let again = null; // begins the same game anew; null: ranked
let looked = null; // the column looked at
let advise = false;
let moving = false; // an answer of the server is awaited
let token = 0; // a newer picture ends the animation of an older one
let animating = false;
let buttons = [];

/** Storage may be forbidden; the game goes on without. */
const kept = {
  get: (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  },
  set: (key, value) => {
    try {
      localStorage.setItem(key, value);
    } catch {
      /* not kept */
    }
  },
};

// --- drawing ---------------------------------------------------------------------------------------------

const plural = (n, one, many = `${one}s`) => `${number(n)} ${n === 1 ? one : many}`;

/** What a drop there would do, in words, as far as hidden numbers leave it certain. */
function foretell(steps) {
  if (!steps) return "full";
  const row = 7 - Math.floor(steps[0].cells[0] / 7);
  const bursts = steps.filter((step) => step.kind === "burst");
  const rise = steps.some((step) => step.kind === "rise") ? ", then a row rises" : "";
  if (!bursts.length) return `lands at height ${row}, nothing clears${rise}`;
  const points = bursts.reduce((sum, b) => sum + b.points.reduce((a, p) => a + p, 0), 0);
  const discs = bursts.reduce((sum, b) => sum + b.cells.length, 0);
  return `lands at height ${row}, clears ${plural(discs, "disc")}${bursts.length > 1 ? ` in ${bursts.length} waves` : ""}, at least +${number(points)}${rise}`;
}

function settle() {
  const s = table.state;
  const steps = s.done || looked === null ? null : engine.preview(s, looked);
  animating = false;
  view.show(s.board, s.nextDisc, s.done ? null : looked);
  if (steps) view.preview(steps, s.nextDisc);
  view.hint(advise && !s.done ? (engine.greedy(s)?.column ?? null) : null);
  byId("look").textContent = s.done || looked === null ? "" : `Column ${looked + 1}: ${foretell(steps)}.`;
}

function labels() {
  const s = table.state;
  for (const column of COLUMNS) {
    const legal = !s.done && s.legal.includes(column);
    buttons[column].setAttribute("aria-disabled", String(!legal));
    buttons[column].setAttribute("aria-label", s.done ? `Column ${column + 1}` : `Column ${column + 1}: ${foretell(legal ? engine.preview(s, column) : null)}`);
    buttons[column].classList.toggle("looked", column === looked);
    buttons[column].tabIndex = column === (looked ?? 3) ? 0 : -1;
  }
}

/** What a disc pays in each wave, and what else pays; drawn once. */
function price() {
  const entry = (head, points, wave) => el("li", { "data-wave": wave }, el("span", { class: "soft" }, head), el("b", {}, number(points)));
  const waves = Array.from({ length: WAVES }, (_, i) => entry(`wave ${i + 1}`, pointsOf(i + 1), i + 1));
  byId("prices").replaceChildren(...waves, entry("a rise", RISE, null), entry("empty board", BONUS, null));
}

/** Marks the waves that the last move went through; 0: none. */
function reached(depth) {
  for (const node of byId("prices").querySelectorAll("[data-wave]")) node.classList.toggle("now", Number(node.dataset.wave) <= depth);
}

/** The board for ears: rows from the top, empty ones left out. */
function inWords(board) {
  const rows = [];
  for (let r = 0; r < 7; r++) {
    const cells = [...board.slice(7 * r, 7 * r + 7)];
    if (cells.some((c) => c !== "0")) rows.push(`height ${7 - r}: ${cells.map((c) => ({ 0: "empty", 8: "gray", 9: "cracked" })[c] ?? c).join(", ")}`);
  }
  return rows.join("; ") || "empty";
}

function facts(frame) {
  const s = table.state;
  byId("score").textContent = number(s.score);
  byId("delta").textContent = frame ? `+${number(frame.scoreDelta)}` : "-";
  byId("move").textContent = number(s.moves);
  byId("chain").textContent = number(s.maxChain);
  byId("level").textContent = number(s.level);
  byId("clock").textContent = "\u25cf".repeat(s.movesRemaining) + "\u25cb".repeat(5 - s.movesRemaining);
  byId("clock").setAttribute("aria-label", plural(s.movesRemaining, "drop"));
  byId("sight").textContent = `${s.nextDisc ? `Disc ${s.nextDisc} in hand. ` : ""}Board, ${inWords(s.board)}.`;
  byId("undo").disabled = !table.canUndo;
  reached(frame?.chainDepth ?? 0);
  byId("board").classList.toggle("done", s.done);
  labels();
  ending();
}

function ending() {
  const s = table.state;
  byId("end").hidden = !s.done;
  if (!s.done) return;
  const best = Number(kept.get(BEST_KEY) ?? 0);
  const record = !table.ranked && again?.fresh && s.score > best;
  if (record) kept.set(BEST_KEY, String(s.score));
  byId("verdict").textContent = s.censored ? "The round is played out" : "Game over";
  byId("sum").textContent = `${number(s.score)} points in ${plural(s.moves, "move")}${s.maxChain ? `, longest chain ${s.maxChain}` : ""}.${record && best ? " Your best so far." : ""}`;
  byId("submit").hidden = !table.ranked || table.status === "submitted";
  const link = table.ranked && table.gameId ? el("a", { href: `/games/${encodeURIComponent(table.gameId)}` }, "See it as a replay") : null;
  byId("replay").hidden = !link;
  byId("replay").replaceChildren(...(link ? [link] : []));
}

function announce(frame) {
  const s = table.state;
  const parts = [];
  if (frame.chainDepth > 1) parts.push(`Chain of ${frame.chainDepth}`);
  else if (frame.cleared) parts.push(`${plural(frame.cleared, "disc")} cleared`);
  if (frame.levelAdvanced) parts.push("a row rose");
  const end = s.movesRemaining === 0 ? " There was no room for the row to rise: game over." : " Game over.";
  const tail = s.done ? end : ` Next: ${s.nextDisc}.`;
  byId("status").textContent = `${parts.length ? `${parts.join(", ")}: +${number(frame.scoreDelta)}.` : "Nothing cleared."}${tail}`;
  if (frame.chainDepth > 1) {
    const call = byId("call");
    call.textContent = `Chain \u00d7${frame.chainDepth}`;
    call.classList.remove("shown");
    requestAnimationFrame(() => call.classList.add("shown"));
  }
}

function show(text = "") {
  token++;
  byId("status").textContent = text;
  byId("last").hidden = true;
  byId("fresh").textContent = table.ranked ? "Begin anew" : "New game";
  byId("again").hidden = table.ranked;
  byId("undo").hidden = table.ranked;
  byId("game").hidden = false;
  facts(null);
  settle();
}

// --- acting ----------------------------------------------------------------------------------------------

async function animate(frame, before) {
  const mine = ++token;
  animating = true;
  for (const step of still.matches ? [] : frame.steps) {
    view.hint(null);
    view.showStep(step, before);
    before = step.board;
    await wait(step.kind === "drop" ? STEP_MS / 2 : STEP_MS);
    if (mine !== token) return;
  }
  settle();
}

async function drop(column) {
  if (moving || table.state.done) return;
  if (!table.state.legal.includes(column)) {
    byId("status").textContent = `Column ${column + 1} is full.`;
    return;
  }
  const before = table.state.board;
  const here = table;
  moving = true;
  try {
    const frame = await here.drop(column);
    if (here !== table) return; // another game was begun meanwhile
    byId("strip").replaceChildren(...tilesOf(frame, before));
    byId("last").hidden = false;
    facts(frame);
    announce(frame);
    animate(frame, before);
  } catch (problem) {
    byId("status").textContent = `The move was not taken: ${problem.message}`;
  } finally {
    moving = false;
  }
}

function look(column) {
  if (column === looked) return;
  looked = column;
  labels();
  if (!animating) settle();
}

function undo() {
  if (!table.undo()) return;
  show("The last move is taken back.");
}

function setAdvice(on) {
  advise = on;
  byId("greedy").setAttribute("aria-pressed", String(on));
  if (!animating) settle();
  const choice = on && !table.state.done ? engine.greedy(table.state) : null;
  if (choice) byId("status").textContent = `Greedy would play column ${choice.column + 1}.`;
}

async function submit(event) {
  event.preventDefault();
  byId("refusal").textContent = "";
  byId("send").disabled = true;
  try {
    await table.submit(byId("name").value.trim());
    byId("status").textContent = "Submitted.";
    ending();
    byId("replay").querySelector("a")?.focus();
  } catch (problem) {
    byId("refusal").textContent = problem.message;
  } finally {
    byId("send").disabled = false;
  }
}

// --- beginning -------------------------------------------------------------------------------------------

const hex = (seed) => `0x${seed.toString(16).padStart(8, "0")}`;

function free(seed) {
  again = Object.assign(() => free(seed), { fresh: true });
  engine.endless(seed);
  table = new FreeTable(engine);
  history.replaceState(null, "", `/play?seed=${hex(seed)}`);
  byId("which").value = "";
  byId("title").textContent = "Play";
  byId("about").textContent = `Free game ${hex(seed)}: the address brings the same discs again. Nothing is sent to the server.`;
  show();
}

const anySeed = () => crypto.getRandomValues(new Uint32Array(1))[0];

/** Plays on from move m of a recorded game, with the discs that its policy had in store. */
async function from(gameId, m) {
  const replay = await get(`/games/${encodeURIComponent(gameId)}/replay`);
  const round = await get(`/rounds/${encodeURIComponent(replay.round.id)}`);
  const columns = replay.frames.slice(0, m).map((f) => f.column);
  const begin = () => {
    engine.load(round);
    table = new FreeTable(engine, columns);
    show(`From move ${columns.length} of the replay.`);
  };
  again = begin;
  byId("title").replaceChildren("Play on from a replay");
  byId("about").replaceChildren(el("a", { href: `/games/${encodeURIComponent(gameId)}#m=${columns.length}` }, `Move ${columns.length} of the replay`), ` on ${replay.round.name}, which ended with ${number(replay.score)} points. Free play with the same discs.`);
  begin();
}

/** A round of the server; an unfinished play of this browser goes on, unless a new one is wanted. */
async function ranked(round, anew) {
  let play = null;
  const id = anew ? null : kept.get(PLAY_KEY + round);
  if (id) play = await get(`/plays/${encodeURIComponent(id)}`).catch(() => null);
  const goesOn = play && (play.status === "open" || play.status === "finished");
  table = goesOn ? new RankedTable(play) : await beginRanked(round);
  kept.set(PLAY_KEY + round, table.id);
  again = null;
  history.replaceState(null, "", `/play?round=${encodeURIComponent(round)}`);
  byId("which").value = round;
  byId("title").textContent = `Play ${byId("which").selectedOptions[0]?.textContent ?? round}`;
  byId("about").textContent = "The discs every policy met. The server keeps them hidden and records the game when you submit it; there is no undo.";
  show(goesOn ? "Your game goes on where you left it." : "");
}

async function begin(round, anew) {
  try {
    await ranked(round, anew);
  } catch (problem) {
    const known = [...byId("which").options].some((option) => option.value === round);
    const missing = problem instanceof Problem && problem.status === 404 && known; // no such path, then
    if (missing) byId("which").replaceChildren(byId("which").options[0]);
    free(anySeed());
    byId("status").textContent = missing ? "This server offers no ranked play; here is a free game." : `The round could not be begun: ${problem.message} Here is a free game.`;
  }
}

// --- wiring ----------------------------------------------------------------------------------------------

function fresh() {
  if (table?.ranked) begin(table.round, true);
  else free(anySeed());
}

function keys(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input")) return;
  const inRow = event.target.closest("#columns");
  const walk = (by) => {
    look(((looked ?? 3 - by) + by + 7) % 7);
    buttons[looked].focus();
  };
  const actions = { ArrowLeft: () => walk(-1), ArrowRight: () => walk(1), ArrowDown: () => drop(looked ?? 3), u: undo, g: () => setAdvice(!advise), n: fresh };
  if (!inRow && !event.target.matches("button, a")) actions[" "] = () => drop(looked ?? 3);
  const action = /^[1-7]$/.test(event.key) ? () => drop(Number(event.key) - 1) : actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action || (event.repeat && !event.key.startsWith("Arrow"))) return;
  event.preventDefault();
  action();
}

function wire() {
  const board = byId("board");
  buttons = COLUMNS.map((column) => {
    const button = el("button", { type: "button" }, String(column + 1));
    button.addEventListener("click", () => drop(column));
    button.addEventListener("focus", () => look(column));
    button.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && look(column));
    return button;
  });
  byId("columns").replaceChildren(...buttons);
  board.addEventListener("pointermove", (event) => look(view.columnAt(event)));
  board.addEventListener("pointerdown", (event) => look(view.columnAt(event)));
  board.addEventListener("pointerleave", () => look(null));
  board.addEventListener("pointerup", (event) => {
    const column = view.columnAt(event);
    if (event.button === 0 && column !== null) drop(column);
  });
  document.addEventListener("keydown", keys);
  byId("undo").addEventListener("click", undo);
  byId("greedy").addEventListener("click", () => setAdvice(!advise));
  byId("fresh").addEventListener("click", fresh);
  byId("again").addEventListener("click", () => again?.());
  byId("submit").addEventListener("submit", submit);
  byId("choice").addEventListener("submit", (event) => event.preventDefault());
  byId("which").addEventListener("change", () => (byId("which").value ? begin(byId("which").value, false) : free(anySeed())));
}

async function start() {
  const wish = new URLSearchParams(location.search);
  view = new BoardView(byId("board"));
  price();
  wire();
  try {
    engine = await loadEngine();
  } catch (problem) {
    byId("subtitle").textContent = `The game's engine could not be started: ${problem.message}`;
    return;
  }
  const rounds = await get("/rounds?limit=500").catch(() => ({ items: [] }));
  byId("which").append(...rounds.items.map((round) => el("option", { value: round.id }, round.name)));
  const seed = /^0x[0-9a-f]{1,8}$/i.test(wish.get("seed") ?? "") ? Number(wish.get("seed")) : anySeed();
  if (wish.get("round")) return begin(wish.get("round"), false);
  if (!wish.get("from")) return free(seed);
  try {
    await from(wish.get("from"), Math.max(0, Number(wish.get("m")) || 0));
  } catch (problem) {
    free(seed);
    byId("status").textContent = `That replay could not be opened: ${problem.message}`;
  }
}

start();
