// A run as it is played: from the event stream, by asking again where there is none.
import { el, byId, isolated, number, visible, when } from "./dom.js";
import { get } from "./api.js";
import { faultCount, faultText, gamePath, policyLink, policyPath, STATUS } from "./policies.js";

const ASK_MS = 2000;
const id = decodeURIComponent(location.pathname.split("/")[2] ?? "");
const path = `/runs/${encodeURIComponent(id)}`;
let run = null;
let policy = null;
let names = new Map();
let asking = false;
let again = false; // something changed while the answer was under way

const isOver = () => !["queued", "playing"].includes(run.status);
const SAYS = {
  queued: () => (policy?.status === "checking" ? STATUS.checking : run.queuePosition ? `Waiting, number ${run.queuePosition} in the queue.` : "Waiting for a free worker."),
  playing: () => `${run.progress.playing} ${run.progress.playing === 1 ? "game is" : "games are"} being played.`,
  done: () => "All games are played.",
  stopped: () => "The run was stopped.",
  cancelled: () => "The run was cancelled.",
  failed: () => "The run failed, and not through a fault of the policy.",
};

function cell(state) {
  const game = run.games.find((g) => g.roundId === state.roundId && g.score !== undefined);
  const forfeit = game?.outcome === "forfeit";
  const shown = game ? (forfeit ? "forfeit" : "done") : state.state;
  const name = names.get(state.roundId) ?? state.roundId;
  const inside = game
    ? [el("strong", {}, el("a", { href: gamePath(game.id) }, number(game.score))), el("span", { class: "state" }, `${number(game.moves)} moves, chain ${game.maxChain}`), el("span", { class: faultCount(game) ? "state fault" : "state" }, forfeit ? `forfeit: ${game.reason ?? ""}` : faultCount(game) ? faultText(game) : game.outcome === "censored" ? "to the last disc" : "")]
    : [el("strong", {}, "\u2026"), el("span", { class: "state" }, { playing: "being played", queued: "waiting", waiting: "waiting" }[state.state] ?? state.state)];
  return el("li", { "data-state": shown, "data-round": state.roundId }, el("span", {}, name), ...inside);
}

function drawFaults() {
  const bad = run.games.filter((g) => g.score !== undefined && (faultCount(g) || g.nondeterministic));
  byId("faults").hidden = !bad.length;
  byId("fault-list").replaceChildren(...bad.map((g) => el("li", {}, el("a", { href: gamePath(g.id) }, names.get(g.roundId) ?? g.roundId), `: ${faultText(g)}${g.nondeterministic ? ", answered one position in two ways" : ""}${g.reason ? ` (${g.reason})` : ""}`)));
}

function draw() {
  const { games, done, playing, moves } = run.progress;
  byId("status").textContent = run.status;
  byId("status").className = `pill ${run.status}`;
  byId("line").textContent = `${SAYS[run.status]?.() ?? ""}${run.reason ? ` ${run.reason}` : ""}`;
  const bar = byId("progress");
  bar.max = Math.max(1, games);
  bar.value = done;
  bar.textContent = `${done} of ${games}`;
  const mean = run.games.filter((g) => g.score !== undefined);
  byId("tally").textContent = `${done} of ${games} games finished${playing ? `, ${playing} being played` : ""}, ${number(moves)} moves${mean.length ? `, mean score ${isOver() ? "" : "so far "}${number(mean.reduce((sum, g) => sum + g.score, 0) / mean.length)}` : ""}.`;
  byId("rounds").replaceChildren(...run.states.map(cell));
  drawFaults();
  byId("after").replaceChildren(
    ...(isOver()
      ? [el("a", { class: "button main", href: policyPath(run.policyId) }, "What it has shown"), el("a", { class: "button", href: "/leaderboard" }, "Leaderboard"), el("span", { class: "soft" }, "Finished ", when(run.finishedAt))]
      : [el("a", { class: "button", href: policyPath(run.policyId) }, "The policy"), el("span", { class: "soft" }, "Asked for ", when(run.createdAt))]),
  );
  byId("content").hidden = false;
}

function head() {
  const name = visible(policy?.name, run.policyId);
  document.title = `Run of ${isolated(name)} - Drop7 policies`;
  byId("title").replaceChildren("Run of ", policyLink(run.policyId, name));
  const rejected = policy && ["rejected", "suspended"].includes(policy.status);
  byId("subtitle").textContent = rejected ? `The policy is ${policy.status}: ${policy.reason?.message ?? STATUS[policy.status]}` : `Revision ${run.policyRevision}${run.suite ? ` on the suite ${run.suite}` : ""}.`;
  byId("subtitle").classList.toggle("fault", Boolean(rejected));
}

/** The whole run again, and its policy while that may still be checked. */
async function reload() {
  if (asking) {
    again = true;
    return;
  }
  asking = true;
  try {
    run = await get(path);
    if (!policy || policy.status === "checking") policy = await get(`/policies/${encodeURIComponent(run.policyId)}`);
    head();
    draw();
  } catch (problem) {
    if (!run) byId("subtitle").textContent = problem.status === 404 ? "There is no such run." : `The run could not be loaded: ${problem.message}. It is asked for again.`;
    else byId("line").textContent = `Not fresh: ${problem.message}. It is asked for again.`;
  } finally {
    asking = false;
  }
  if (again) {
    again = false;
    await reload();
  }
}

function poll() {
  const timer = setInterval(async () => {
    if (document.hidden) return;
    await reload();
    if (run && isOver()) clearInterval(timer);
  }, ASK_MS);
}

/** One finished game: its cell fills at once, the rest of the run follows with `progress`. */
function takeGame(game) {
  const other = run.games.filter((g) => g.roundId !== game.roundId);
  run.games = [...other, game];
  const state = run.states.find((s) => s.roundId === game.roundId);
  if (state) state.state = "done";
  draw();
}

function follow() {
  if (!window.EventSource) return poll();
  const stream = new EventSource(`/api/v1${path}/events`);
  let ended = false;
  stream.addEventListener("game", (event) => takeGame(JSON.parse(event.data)));
  stream.addEventListener("progress", reload); // which rounds are being played is not part of the event
  stream.addEventListener("end", (event) => {
    // A server that stops says `end` of a run that goes on: the browser comes back by itself.
    ended = !["queued", "playing"].includes(JSON.parse(event.data).status);
    if (ended) reload();
  });
  stream.addEventListener("error", () => {
    // The server closes after `end`; closing before it would break off its answer.
    if (ended) stream.close();
    // Closed for good (no such stream, or a proxy's answer): ask instead. Otherwise the browser tries again.
    else if (stream.readyState === EventSource.CLOSED) poll();
    else byId("line").textContent = "The connection is lost; it is being tried again.";
  });
  stream.addEventListener("open", reload); // what happened while it was away
}

async function start() {
  await reload();
  if (!run) return setTimeout(start, ASK_MS);
  get("/rounds?limit=500").then((list) => {
    names = new Map(list.items.map((r) => [r.id, r.name]));
    draw();
  }, () => {}); // ids do as well
  if (!isOver()) follow();
}

start();
