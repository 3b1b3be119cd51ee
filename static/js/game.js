// The replay viewer: position k is the board after k moves; steps of a move are shown when going forward by one.
import { el, svg, byId, number } from "./dom.js";
import { get } from "./api.js";
import { BoardView } from "./board.js";

const OPENING = "0".repeat(42) + "8888888";
const STEP_MS = 170;
const MOVE_MS = 420;
const still = matchMedia("(prefers-reduced-motion: reduce)");

let replay = null;
let view = null;
let at = 0;
let playing = false;
let token = 0; // a newer action ends the animation of an older one

const count = () => replay.frames.length;
const boardAt = (k) => (k === 0 ? OPENING : replay.frames[k - 1].board);
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const pace = () => Number(byId("speed").value);

function facts(k) {
  const frame = k ? replay.frames[k - 1] : null;
  const rises = replay.frames.slice(0, k).filter((f) => f.levelAdvanced).length;
  const left = frame ? frame.movesRemaining : 5;
  byId("score").textContent = number(frame?.score ?? 0);
  byId("delta").textContent = frame ? `+${number(frame.scoreDelta)}` : "-";
  byId("move").textContent = `${k} / ${count()}`;
  byId("waves").textContent = frame ? number(frame.chainDepth) : "-";
  byId("level").textContent = number(rises + 1);
  byId("clock").textContent = "\u25cf".repeat(left) + "\u25cb".repeat(5 - left);
  byId("clock").setAttribute("aria-label", `${left} drops`);
  const next = replay.frames[k];
  byId("status").textContent = next ? `Disc ${next.disc} goes to column ${next.column + 1}.` : `The game is ${replay.outcome === "censored" ? "cut at its last move" : replay.outcome}${replay.reason ? `: ${replay.reason}` : ""}.`;
  byId("scrub").value = k;
  for (const id of ["first", "back"]) byId(id).disabled = k === 0;
  for (const id of ["forward", "last"]) byId(id).disabled = k === count();
  byId("curve").querySelector(".here")?.setAttribute("transform", `translate(${(1000 * k) / Math.max(1, count())} 0)`);
  history.replaceState(null, "", k ? `#m=${k}` : location.pathname);
}

function settle(k) {
  const next = replay.frames[k];
  view.show(boardAt(k), next ? next.disc : null, next ? next.column : null);
}

/** Straight to position k. */
function jump(k) {
  token++;
  at = Math.max(0, Math.min(count(), k));
  facts(at);
  settle(at);
}

/** One move forward with its waves; true when it was not interrupted. */
async function forward() {
  if (at >= count()) return false;
  const mine = ++token;
  const frame = replay.frames[at];
  let before = boardAt(at);
  at++;
  facts(at);
  for (const step of still.matches ? [] : (frame.steps ?? [])) {
    view.showStep(step, before);
    before = step.board;
    await wait(STEP_MS * pace());
    if (mine !== token) return false;
  }
  settle(at);
  return true;
}

async function play() {
  if (playing) return pause();
  playing = true;
  byId("play").textContent = "Pause";
  if (at === count()) jump(0);
  while (playing && (await forward()) && at < count()) await wait(MOVE_MS * pace());
  pause();
}

function pause() {
  playing = false;
  byId("play").textContent = "Play";
}

function curve() {
  const top = Math.max(1, count() ? replay.frames[count() - 1].score : 1);
  const x = (k) => ((1000 * k) / Math.max(1, count())).toFixed(1);
  const points = [`0,146`, ...replay.frames.map((f, i) => `${x(i + 1)},${(146 - (140 * f.score) / top).toFixed(1)}`)];
  const rises = replay.frames.flatMap((f, i) => (f.levelAdvanced ? [svg("line", { class: "rise", x1: x(i + 1), x2: x(i + 1), y1: 0, y2: 150 })] : []));
  byId("curve").replaceChildren(...rises, svg("polyline", { class: "line", points: points.join(" ") }), svg("line", { class: "here", y1: 0, y2: 150 }));
  byId("curve").addEventListener("click", (event) => {
    const box = byId("curve").getBoundingClientRect();
    pause();
    jump(Math.round(((event.clientX - box.left) / box.width) * count()));
  });
}

function about(policy) {
  const name = policy?.name ?? replay.policyId;
  document.title = `${name} on ${replay.round.name}: ${number(replay.score)}`;
  byId("title").replaceChildren(el("bdi", {}, name), ` on ${replay.round.name}`);
  const end = { forfeit: ` Forfeit: ${replay.reason ?? "no reason recorded"}.`, censored: " Cut at its last move." }[replay.outcome] ?? "";
  byId("subtitle").textContent = `${number(replay.score)} points in ${number(replay.moves)} moves, longest chain ${replay.maxChain}.${end}`;
  byId("subtitle").classList.toggle("fault", replay.outcome === "forfeit");
  byId("raw").href = `/api/v1/games/${encodeURIComponent(replay.id)}/replay`;
  const rows = [
    ["Policy", replay.policyId],
    ["Revision", replay.policyRevision],
    ["Outcome", replay.reason ? `${replay.outcome}: ${replay.reason}` : replay.outcome],
    ["Faults", `illegal ${replay.illegalMoves}, timeouts ${replay.timeouts}, crashes ${replay.crashes}`],
    ["Discs cleared", number(replay.discsCleared)],
    ["Gray discs revealed", number(replay.coveredRevealed)],
    ["Thinking", replay.moveMs ? `median ${number(replay.moveMs.p50, 2)} ms, p95 ${number(replay.moveMs.p95, 2)} ms` : "-"],
    ["Checksum", replay.checksum],
    ["Played", replay.createdAt],
  ];
  byId("about").replaceChildren(...rows.flatMap(([key, value]) => [el("dt", {}, key), el("dd", {}, String(value))]));
}

function biggestChain() {
  let best = 0;
  replay.frames.forEach((f, i) => {
    if (f.chainDepth > (replay.frames[best]?.chainDepth ?? -1)) best = i;
  });
  pause();
  jump(best);
}

function keys(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select")) return;
  const far = event.shiftKey ? 10 : 1;
  const actions = {
    ArrowLeft: () => jump(at - far),
    ArrowRight: () => (far > 1 ? jump(at + far) : forward()),
    Home: () => jump(0),
    End: () => jump(count()),
    " ": play,
    c: biggestChain,
    C: biggestChain,
  };
  const action = actions[event.key];
  if (!action || (event.key === " " && event.target.matches("button"))) return;
  event.preventDefault();
  if (event.key !== " ") pause();
  action();
}

function wire() {
  const stop = (action) => () => {
    pause();
    action();
  };
  byId("first").addEventListener("click", stop(() => jump(0)));
  byId("back").addEventListener("click", stop(() => jump(at - 1)));
  byId("forward").addEventListener("click", stop(forward));
  byId("last").addEventListener("click", stop(() => jump(count())));
  byId("chain").addEventListener("click", biggestChain);
  byId("play").addEventListener("click", play);
  byId("scrub").addEventListener("input", stop(() => jump(Number(byId("scrub").value))));
  document.addEventListener("keydown", keys);
  addEventListener("hashchange", () => jump(fromHash()));
}

const fromHash = () => Number(/^#m=(\d{1,5})$/.exec(location.hash)?.[1] ?? 0);

async function start() {
  const id = decodeURIComponent(location.pathname.split("/")[2] ?? "");
  try {
    replay = await get(`/games/${encodeURIComponent(id)}/replay?steps=1`);
  } catch (problem) {
    byId("subtitle").textContent = problem.status === 404 ? "There is no such game." : `The replay could not be loaded: ${problem.message}`;
    return;
  }
  view = new BoardView(byId("board"));
  byId("scrub").max = count();
  about(null);
  curve();
  wire();
  byId("game").hidden = false;
  jump(fromHash());
  get(`/policies/${encodeURIComponent(replay.policyId)}`).then(about, () => {}); // the name is a nicety
}

start();
