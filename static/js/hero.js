// The best recent game of the board plays by itself beside the heading; it comes after the table and waits for whoever wants no motion.
import { el, svg, number } from "./dom.js";
import { get } from "./api.js";
import { BoardView } from "./board.js";
import { gamePath, policyLink } from "./policies.js";

const STEP_MS = 190;
const MOVE_MS = 520;
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

async function playOn(view, replay, mine, score) {
  for (let k = 0; !mine.over; k = (k + 1) % replay.frames.length) {
    await awake(mine);
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

/** The best of the last seven days that anything was played in. */
export function bestRecent(games) {
  const time = (game) => Date.parse(game.createdAt);
  const newest = Math.max(...games.map(time));
  return games.filter((game) => newest - time(game) <= RECENT_MS).reduce((best, game) => (game.score > best.score ? game : best));
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
  const drawing = svg("svg", { viewBox: "0 0 70 80", role: "img", "aria-label": "The best recent game, playing by itself" });
  const score = el("strong", {}, number(replay.score));
  const toggle = el("button", { type: "button", class: "button small" });
  const mine = { playing: state?.playing ?? !still.matches, over: false };
  if (state) state.over = true;
  state = mine;
  const label = () => (toggle.textContent = mine.playing ? "Pause" : "Play");
  toggle.addEventListener("click", () => {
    mine.playing = !mine.playing;
    label();
  });
  label();
  place.replaceChildren(drawing, el("figcaption", {}, score, el("span", {}, policyLink(game.policyId, policy?.name), " on ", el("a", { href: gamePath(game.id) }, round?.name ?? game.roundId), `: ${number(game.score)}, the best game of the last days.`), toggle));
  place.hidden = false;
  const view = new BoardView(drawing);
  view.show(replay.frames.at(-1)?.board ?? OPENING); // until it plays: how it ended
  if (replay.frames.length) await playOn(view, replay, mine, score);
}
