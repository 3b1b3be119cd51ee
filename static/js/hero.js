// The best game of the board plays by itself beside the heading; it comes after the table and waits for whoever wants no motion.
import { el, svg, number } from "./dom.js";
import { get } from "./api.js";
import { BoardView } from "./board.js";
import { gamePath, policyLink } from "./policies.js";

const STEP_MS = 190;
const MOVE_MS = 520;
const OPENING = "0".repeat(42) + "8888888";
const still = matchMedia("(prefers-reduced-motion: reduce)");
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

/** Settles when the page is looked at and the game is wanted. */
async function awake(state) {
  while (!state.playing || document.hidden) await wait(300);
}

async function playOn(view, replay, state, score) {
  for (let k = 0; ; k = (k + 1) % replay.frames.length) {
    await awake(state);
    let before = k ? replay.frames[k - 1].board : OPENING;
    const frame = replay.frames[k];
    view.show(before, frame.disc, frame.column);
    await wait(MOVE_MS);
    for (const step of frame.steps ?? []) {
      view.showStep(step, before);
      before = step.board;
      await wait(STEP_MS);
    }
    score.textContent = number(frame.score);
    if (k === replay.frames.length - 1) await wait(3000);
  }
}

export async function hero(place, board) {
  const game = board.games.reduce((best, g) => (g.score > best.score ? g : best));
  const policy = board.policies.find((p) => p.id === game.policyId);
  const round = board.rounds.find((r) => r.id === game.roundId);
  let replay;
  try {
    replay = await get(`/games/${encodeURIComponent(game.id)}/replay?steps=1`);
  } catch {
    return; // an ornament: the table is what counts
  }
  const drawing = svg("svg", { viewBox: "0 0 70 80", role: "img", "aria-label": "The best game of this board, playing by itself" });
  const score = el("strong", {}, "0");
  const toggle = el("button", { type: "button", class: "button small" }, "Play");
  const state = { playing: !still.matches };
  const label = () => (toggle.textContent = state.playing ? "Pause" : "Play");
  toggle.addEventListener("click", () => {
    state.playing = !state.playing;
    label();
  });
  label();
  const line = el("figcaption", {}, score, el("span", {}, policyLink(game.policyId, policy?.name), " on ", el("a", { href: gamePath(game.id) }, round?.name ?? game.roundId), `: ${number(game.score)}, the best game here.`), toggle);
  place.replaceChildren(drawing, line);
  place.hidden = false;
  const view = new BoardView(drawing);
  view.show(replay.frames.at(-1)?.board ?? OPENING); // until it plays: how it ended
  score.textContent = number(replay.score);
  if (replay.frames.length) await playOn(view, replay, state, score);
}
