// The best recent game of the board plays by itself beside the heading; it comes after the table and waits for whoever wants no motion.
import { el, svg, number } from "./dom.js";
import { get } from "./api.js";
import { BoardView } from "./board.js";
import { gamePath, policyLink } from "./policies.js";

const STEP_MS = 190;
const MOVE_MS = 520;
const END_MS = 3000;
const LEAD = 2; // moves before the longest chain
const RECENT_MS = 7 * 24 * 3600 * 1000; // before the newest game
const OPENING = "0".repeat(42) + "8888888";
const still = matchMedia("(prefers-reduced-motion: reduce)");
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

let shown = null; // id of the game that plays
let state = null; // of its playing: {playing, over}

/** Settles when the page is looked at and the game is wanted. */
async function awake(mine) {
  while ((!mine.playing || document.hidden) && !mine.over) await wait(300);
}

/** Where it becomes lively: shortly before the longest chain. */
function opening(frames) {
  const chain = frames.reduce((best, frame, k) => (frame.chainDepth > frames[best].chainDepth ? k : best), 0);
  return Math.max(0, chain - LEAD);
}

async function playOn(view, replay, mine, tell) {
  const { frames } = replay;
  for (let k = opening(frames); !mine.over; k = (k + 1) % frames.length) {
    await awake(mine);
    let before = k ? frames[k - 1].board : OPENING;
    const frame = frames[k];
    view.show(before, frame.disc, frame.column);
    await wait(MOVE_MS);
    for (const step of frame.steps ?? []) {
      view.showStep(step, before);
      if (step.kind === "burst") tell.wave(step.wave);
      before = step.board;
      await wait(STEP_MS);
    }
    tell.move(k + 1, frame);
    if (k === frames.length - 1) await wait(END_MS);
  }
}

/** The best of the last seven days that anything was played in. */
export function bestRecent(games) {
  const time = (game) => Date.parse(game.createdAt);
  const newest = Math.max(...games.map(time));
  return games.filter((game) => newest - time(game) <= RECENT_MS).reduce((best, game) => (game.score > best.score ? game : best));
}

/** What changes with each move: nodes, and how to tell them. */
function figures(replay) {
  const score = el("strong", {}, number(replay.score));
  const line = el("span", {}, `${number(replay.moves)} moves, longest chain ${replay.maxChain}`);
  const bar = el("progress", { max: Math.max(1, replay.frames.length), value: replay.frames.length, "aria-label": "How far the game is" });
  const call = el("p", { class: "call", "aria-hidden": "true" });
  const move = (k, frame) => {
    score.textContent = number(frame.score);
    line.textContent = `Move ${k} of ${number(replay.frames.length)}${frame.chainDepth > 1 ? `, chain of ${frame.chainDepth}` : ""}`;
    bar.value = k;
  };
  const wave = (depth) => {
    if (depth < 2) return;
    call.textContent = `Chain \u00d7${depth}`;
    call.classList.remove("shown");
    requestAnimationFrame(() => call.classList.add("shown"));
  };
  return { score, line, bar, call, move, wave };
}

function pauseButton(mine) {
  const button = el("button", { type: "button", class: "button small" });
  const label = () => (button.textContent = mine.playing ? "Pause" : "Play");
  button.addEventListener("click", () => {
    mine.playing = !mine.playing;
    label();
  });
  label();
  return button;
}

/** Asked with each new board; a better game takes the place of the one that plays. */
export async function hero(place, board) {
  const game = bestRecent(board.games);
  if (shown === game.id) return;
  shown = game.id;
  const policy = board.policies.find((p) => p.id === game.policyId);
  const round = board.rounds.find((r) => r.id === game.roundId);
  let replay;
  try {
    replay = await get(`/games/${encodeURIComponent(game.id)}/replay?steps=1`);
  } catch {
    return; // an ornament: the table is what counts
  }
  if (shown !== game.id) return;
  const mine = { playing: state?.playing ?? !still.matches, over: false };
  if (state) state.over = true;
  state = mine;
  const drawing = svg("svg", { viewBox: "0 0 70 80", role: "img", "aria-label": "The best recent game, playing by itself" });
  const tell = figures(replay);
  const words = el("figcaption", {}, el("span", { class: "over" }, "Best recent game"), tell.score, el("span", {}, policyLink(game.policyId, policy?.name), ` on ${round?.name ?? game.roundId}, ended with ${number(game.score)}`), tell.line, tell.bar, el("span", { class: "actions" }, pauseButton(mine), el("a", { class: "button small", href: gamePath(game.id) }, "Open replay")));
  place.replaceChildren(el("div", { class: "stage" }, drawing, tell.call), words);
  place.hidden = false;
  const view = new BoardView(drawing);
  view.show(replay.frames.at(-1)?.board ?? OPENING); // until it plays: how it ended
  if (replay.frames.length) await playOn(view, replay, mine, tell);
}
