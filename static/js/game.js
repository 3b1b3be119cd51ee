// The replay viewer: position k is the board after k moves; steps of a move are shown when going forward by one.
// Wave by wave, `inside` steps of the next move have been shown.
import { duration, el, byId, isolated, number, visible, when } from "./dom.js";
import { againLink, get } from "./api.js";
import { BoardView } from "./board.js";
import { tilesOf } from "./filmstrip.js";
import { faultText, policyLink } from "./policies.js";

const OPENING = "0".repeat(42) + "8888888";
const STEP_MS = 170;
const MOVE_MS = 420;
const still = matchMedia("(prefers-reduced-motion: reduce)");

let replay = null;
let view = null;
let at = 0;
let inside = 0;
let markCurves = () => {};
let engine = null; // of the pages, loaded when it is first asked
let advise = false;
let addressing = 0;
let filmed = null; // the position whose move is on the filmstrip
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
  markCurves(k);
  byId("on").href = `/play?from=${encodeURIComponent(replay.id)}&m=${k}`;
  byId("on").hidden = !next;
  byId("less").disabled = k === 0;
  byId("more").disabled = k === count();
  clearTimeout(addressing); // browsers refuse an address a frame
  addressing = setTimeout(() => history.replaceState(null, "", k ? `#m=${k}` : location.pathname), 150);
}

/** The filmstrip of the move that led to position k. */
function film(k) {
  markWave(null);
  if (filmed === k) return;
  filmed = k;
  byId("strip-head").textContent = k ? `Waves of move ${k}` : "Waves of a move";
  byId("strip").replaceChildren(...(k ? tilesOf(replay.frames[k - 1], boardAt(k - 1)) : [el("li", { class: "soft" }, "Nothing has been played yet.")]));
}

/** Marks the tile of a wave; null: none. */
function markWave(wave) {
  const strip = byId("strip");
  strip.querySelector(".now")?.classList.remove("now");
  const tile = wave === null ? null : strip.querySelector(`[data-wave="${wave}"]`);
  tile?.classList.add("now");
  if (tile && strip.children.length > 3) strip.scrollLeft = tile.offsetLeft - strip.offsetLeft; // a layout: only where it may not fit
}

function settle(k) {
  const next = replay.frames[k];
  inside = 0;
  film(k);
  view.show(boardAt(k), next ? next.disc : null, next ? next.column : null);
  const choice = advise && next ? engine.greedy({ board: boardAt(k), nextDisc: next.disc, movesRemaining: k ? replay.frames[k - 1].movesRemaining : 5 }) : null;
  view.hint(choice ? choice.column : null);
  if (choice) byId("status").textContent = `Disc ${next.disc} goes to column ${next.column + 1}; greedy would ${choice.column === next.column ? "do the same" : `play column ${choice.column + 1}`}.`;
}

/** Straight to position k. */
function jump(k) {
  token++;
  at = Math.max(0, Math.min(count(), k));
  facts(at);
  settle(at);
}

/** One picture of the filmstrip forward or back: from position k through the steps of move k + 1. */
function wave(by) {
  token++;
  const steps = (k) => replay.frames[k]?.steps ?? [];
  if (by < 0 && inside === 0) {
    if (at === 0) return;
    at--;
    inside = steps(at).length + 1;
  }
  inside += by;
  if (inside > steps(at).length) {
    if (at < count()) jump(at + 1);
    return;
  }
  const shown = inside;
  facts(at);
  if (!shown) return settle(at);
  film(at + 1);
  const step = steps(at)[shown - 1];
  view.hint(null);
  view.showStep(step, shown > 1 ? steps(at)[shown - 2].board : boardAt(at));
  byId("less").disabled = false;
  byId("more").disabled = false;
  markWave(step.wave);
  const about = {
    drop: () => "the disc lands",
    burst: () => `wave ${step.wave}, ${step.cells.length} \u00d7 ${number(step.points[0])} points`,
    impact: () => `wave ${step.wave}, ${step.cracked.length} cracked, ${step.revealed.length} opened`,
    settle: () => `wave ${step.wave}, discs fall`,
    rise: () => "a row rises",
  };
  byId("status").textContent = `Move ${at + 1}: ${about[step.kind]()}.`;
}

/** One move forward with its waves; true when it was not interrupted. */
async function forward() {
  if (at >= count()) return false;
  const mine = ++token;
  const frame = replay.frames[at];
  const steps = (frame.steps ?? []).slice(inside);
  let before = inside ? frame.steps[inside - 1].board : boardAt(at);
  inside = 0;
  at++;
  facts(at);
  film(at);
  view.hint(null);
  for (const step of still.matches ? [] : steps) {
    markWave(step.wave);
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

function about(policy) {
  const name = visible(policy?.name ?? replay.player, replay.policyId ?? "somebody");
  document.title = `${isolated(name)} on ${replay.round.name}: ${number(replay.score)}`;
  byId("title").replaceChildren(el("bdi", {}, name), ` on ${replay.round.name}`);
  const end = { forfeit: ` Forfeit: ${replay.reason ?? "no reason recorded"}.`, censored: " Cut at its last move." }[replay.outcome] ?? "";
  byId("subtitle").textContent = `${number(replay.score)} points in ${number(replay.moves)} moves, longest chain ${replay.maxChain}.${end}`;
  byId("subtitle").classList.toggle("fault", replay.outcome === "forfeit");
  byId("raw").download = `${replay.policyId ?? "play"}--${replay.roundId}.json`;
  byId("raw").href = `/api/v1/games/${encodeURIComponent(replay.id)}/replay`;
  const rows = [
    ...(replay.policyId
      ? [
          ["Policy", policyLink(replay.policyId, replay.policyId)],
          ["Revision", replay.policyRevision],
        ]
      : [["Player", el("bdi", {}, visible(replay.player, "somebody"))]]),
    ["Outcome", replay.reason ? `${replay.outcome}: ${replay.reason}` : replay.outcome],
    ["Faults", faultText(replay)],
    ["Discs cleared", number(replay.discsCleared)],
    ["Gray discs revealed", number(replay.coveredRevealed)],
    ["Thinking", replay.moveMs ? `half of the moves within ${duration(replay.moveMs.p50)}, 95 % within ${duration(replay.moveMs.p95)}` : "-"],
    ["Round", `${replay.round.name}, seed ${replay.round.generatorSeedHex}`],
    ["Checksum", el("code", {}, replay.checksum)],
    ["Played", when(replay.createdAt)],
  ];
  byId("about").replaceChildren(...rows.flatMap(([key, value]) => [el("dt", {}, key), el("dd", {}, value instanceof Node ? value : String(value))]));
}

function biggestChain() {
  let best = 0;
  replay.frames.forEach((f, i) => {
    if (f.chainDepth > (replay.frames[best]?.chainDepth ?? -1)) best = i;
  });
  pause();
  jump(best);
}

/** To the next position behind a rise, or the one before. */
function toRise(by) {
  const rises = replay.frames.flatMap((f, i) => (f.levelAdvanced ? [i + 1] : []));
  const wanted = by > 0 ? rises.find((k) => k > at) : rises.findLast((k) => k < at);
  pause();
  jump(wanted ?? (by > 0 ? count() : 0));
}

async function advice() {
  try {
    engine ??= await (await import("./engine.js")).loadEngine();
  } catch (problem) {
    byId("status").textContent = `The engine could not be started: ${problem.message}`;
    return;
  }
  advise = !advise;
  byId("greedy").setAttribute("aria-pressed", String(advise));
  pause();
  jump(at);
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
    ".": () => wave(1),
    ",": () => wave(-1),
    PageDown: () => toRise(1),
    PageUp: () => toRise(-1),
    c: biggestChain,
    C: biggestChain,
    g: advice,
    G: advice,
  };
  const action = actions[event.key];
  if (!action || (event.key === " " && event.target.matches("button, a"))) return;
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
  byId("less").addEventListener("click", stop(() => wave(-1)));
  byId("more").addEventListener("click", stop(() => wave(1)));
  byId("rise").addEventListener("click", () => toRise(1));
  byId("greedy").addEventListener("click", advice);
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
    byId("subtitle").replaceChildren(problem.status === 404 ? "There is no such game." : `The replay could not be loaded: ${problem.message}. `, problem.status === 404 ? "" : againLink());
    return;
  }
  view = new BoardView(byId("board"));
  byId("scrub").max = count();
  about(null);
  wire();
  byId("game").hidden = false;
  jump(fromHash());
  import("./curves.js").then(({ curves }) => {
    markCurves = curves(replay.frames, OPENING, (k) => {
      pause();
      jump(k);
    });
    markCurves(at);
  });
  if (replay.policyId) get(`/policies/${encodeURIComponent(replay.policyId)}`).then(about, () => {}); // the name is a nicety
}

start();
