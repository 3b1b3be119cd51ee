// Two policies on the same rounds: the paired numbers and what they mean, then two replays in step.
import { el, byId, isolated, number, signed, visible } from "./dom.js";
import { againLink, get } from "./api.js";
import { BoardView } from "./board.js";
import { redraw } from "./redraw.js";
import { comparePath, gamePath, policyLink, shortRound } from "./policies.js";

const OPENING = "0".repeat(42) + "8888888";
const MOVE_MS = 650;

const query = new URLSearchParams(location.search);
let names = new Map();
let rounds = new Map();
let suite = null; // of the comparison: {id, rounds}
let sides = null; // [{replay, view}, {replay, view}]
let at = 0;
let parting = null; // move before which both boards are the same; null: they never part
let timer = null;
let markRace = () => {};
let wanted = 0; // a newer round ends the loading of an older one

const nameOf = (id) => names.get(id) ?? id;
const told = (id) => isolated(nameOf(id)); // within a sentence
const longest = () => Math.max(...sides.map((s) => s.replay.frames.length));

/* --- the numbers ---------------------------------------------------------------------------- */

/** What the interval and the sign test allow to be said. */
export function verdict(result, nameA, nameB) {
  const { rounds: pairs, paired: p } = result;
  const n = pairs.length;
  if (!n) return "They have no round in common yet: nothing to compare.";
  const better = p.meanDelta > 0 ? nameA : nameB;
  const other = p.meanDelta > 0 ? nameB : nameA;
  if (pairs.every((r) => r.delta === 0)) return `They score the same on all ${n} rounds.`;
  if (!p.deltaCi95) return `${better} is ${number(Math.abs(p.meanDelta))} a game ahead, but under five rounds say nothing about the next one.`;
  const [low, high] = p.deltaCi95;
  if (low <= 0 && high >= 0) return `${n} rounds cannot separate these two: the true difference may be anything from ${signed(low)} to ${signed(high)} a game, zero included.`;
  const [least, most] = [Math.min(Math.abs(low), Math.abs(high)), Math.max(Math.abs(low), Math.abs(high))];
  const sure = p.signTestP < 0.05;
  return `${better} is better than ${other} on these ${n} rounds, by ${number(least)} to ${number(most)} a game. ${sure ? "Counting won rounds alone says so too." : `Counting won rounds alone does not: ${p.wins} to ${p.losses} can be chance (p = ${number(p.signTestP, 2)}), so a few large wins decide.`}`;
}

function numbers(result) {
  const p = result.paired;
  const [a, b] = [result.a, result.b];
  const label = (id) => rounds.get(id) ?? id;
  const row = (r) => {
    const button = el("button", { type: "button", class: "button small" }, "Side by side");
    button.addEventListener("click", () => {
      byId("round").value = r.roundId;
      load(r.roundId);
      byId("side").scrollIntoView();
    });
    return el("tr", {}, el("td", { class: "text whole" }, label(r.roundId)), el("td", { class: `num${r.delta > 0 ? " gain" : ""}` }, number(r.a)), el("td", { class: `num${r.delta < 0 ? " gain" : ""}` }, number(r.b)), el("td", { class: "num" }, signed(r.delta)), el("td", {}, button));
  };
  const cell = (name, value) => el("div", {}, el("dt", {}, name), el("dd", {}, value));
  const facts = el("dl", { class: "facts" }, cell("Won \u2013 tied \u2013 lost", `${p.wins} \u2013 ${p.ties} \u2013 ${p.losses}`), cell("Mean difference", signed(p.meanDelta)), cell("95 % interval", p.deltaCi95 ? `${signed(p.deltaCi95[0])} to ${signed(p.deltaCi95[1])}` : "none under 5 rounds"), cell("Median difference", signed(p.medianDelta)), cell("Sign test", `p = ${number(p.signTestP, 3)}`));
  const text = (value, kind = "num") => el("th", { scope: "col", class: `plain ${kind}` }, value);
  const table = el("table", { class: "board" }, el("thead", {}, el("tr", {}, text("Round", "text"), text(el("bdi", {}, nameOf(a))), text(el("bdi", {}, nameOf(b))), text("Difference"), text(el("span", { class: "hidden" }, "Replays")))), el("tbody", {}, ...result.rounds.map(row)));
  const chart = el("div", { class: "chart-place" });
  if (result.rounds.length) import("./chart.js").then(({ deltas }) => chart.replaceChildren(deltas(result.rounds.map((r) => ({ label: shortRound(label(r.roundId)), delta: r.delta })), p.meanDelta, p.deltaCi95, `To the right ${told(a)} scored more, to the left ${told(b)}. ${p.deltaCi95 ? "The line through the mean is its 95 % interval." : "Under five rounds the mean has no interval."}`)));
  byId("result").replaceChildren(el("p", { class: "verdict", role: "status" }, verdict(result, told(a), told(b))), ...(result.rounds.length ? [facts, el("div", { class: "sections" }, chart, el("div", {}, el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Round by round" }, table)))] : []));
}

/* --- two replays in step -------------------------------------------------------------------- */

const boardAt = (replay, k) => (k === 0 ? OPENING : (replay.frames[Math.min(k, replay.frames.length) - 1]?.board ?? OPENING));

function findParting(a, b) {
  const most = Math.max(a.frames.length, b.frames.length);
  for (let k = 0; k < most; k++) if (a.frames[k]?.column !== b.frames[k]?.column) return k;
  return null;
}

function show(k) {
  at = Math.max(0, Math.min(longest(), k));
  sides.forEach(({ replay, view }, i) => {
    const next = replay.frames[at];
    view.show(boardAt(replay, at), next?.disc ?? null, next?.column ?? null);
    const frame = replay.frames[Math.min(at, replay.frames.length) - 1];
    const over = at >= replay.frames.length ? ` (${replay.outcome} after ${replay.frames.length})` : "";
    byId(`score-${"ab"[i]}`).textContent = `${number(frame?.score ?? 0)}${over}`;
  });
  byId("scrub").value = at;
  markRace(at);
  byId("move").textContent = `move ${at} of ${longest()}${parting !== null && at > parting ? `, ${at - parting} after they part` : ""}`;
  for (const id of ["first", "back"]) byId(id).disabled = at === 0;
  for (const id of ["forward", "last"]) byId(id).disabled = at === longest();
}

function pause() {
  clearInterval(timer);
  timer = null;
  byId("play").textContent = "Play";
}

function play() {
  if (timer) return pause();
  if (at === longest()) show(0);
  byId("play").textContent = "Pause";
  timer = setInterval(() => {
    show(at + 1);
    if (at === longest()) pause();
  }, MOVE_MS);
}

function announce() {
  const [a, b] = sides.map((s) => s.replay);
  const [x, y] = [a.frames[parting]?.column, b.frames[parting]?.column];
  byId("parting").textContent = parting === null ? "They play the same game to the end." : x === undefined || y === undefined ? `They play the same ${parting} moves; then one game has ended.` : `They part at move ${parting + 1}: with disc ${a.frames[parting].disc} in hand, ${told(a.policyId)} plays column ${x + 1} and ${told(b.policyId)} column ${y + 1}.`;
  byId("part").disabled = parting === null;
  const mark = byId("mark");
  mark.hidden = parting === null;
  mark.style.left = `${(100 * (parting ?? 0)) / Math.max(1, longest())}%`;
}

async function load(roundId) {
  const mine = ++wanted;
  pause();
  try {
    const replays = await Promise.all([query.get("a"), query.get("b")].map((id) => get(`/policies/${encodeURIComponent(id)}/rounds/${encodeURIComponent(roundId)}/replay`)));
    if (mine !== wanted) return;
    sides = replays.map((replay, i) => ({ replay, view: sides?.[i].view ?? new BoardView(byId(`board-${"ab"[i]}`)) }));
  } catch (problem) {
    if (mine === wanted) byId("parting").textContent = `The replays could not be loaded: ${problem.message}. Choose the round again to try again.`;
    return;
  }
  sides.forEach(({ replay }, i) => byId(`name-${"ab"[i]}`).replaceChildren(el("a", { href: gamePath(replay.id) }, el("bdi", {}, nameOf(replay.policyId)))));
  parting = findParting(sides[0].replay, sides[1].replay);
  byId("scrub").max = longest();
  byId("side").hidden = false;
  announce();
  show(parting ?? 0);
  const { race } = await import("./race.js");
  if (mine !== wanted) return;
  const drawn = race(sides.map(({ replay }) => ({ name: nameOf(replay.policyId), frames: replay.frames })), parting);
  markRace = drawn.mark;
  redraw(byId("race"), drawn.node);
  markRace(at);
}

function wire() {
  const stop = (action) => () => {
    pause();
    action();
  };
  const actions = { first: () => show(0), back: () => show(at - 1), forward: () => show(at + 1), last: () => show(longest()), part: () => show(parting ?? 0) };
  for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", stop(action));
  byId("play").addEventListener("click", play);
  byId("scrub").addEventListener("input", stop(() => show(Number(byId("scrub").value))));
  byId("round").addEventListener("change", () => load(byId("round").value));
  document.addEventListener("keydown", (event) => {
    if (!sides || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input:not([type=range])")) return;
    const far = event.shiftKey ? 10 : 1;
    const keys = { ArrowLeft: () => show(at - far), ArrowRight: () => show(at + far), Home: actions.first, End: actions.last, p: actions.part, P: actions.part, " ": play };
    const action = keys[event.key];
    if (!action || (event.key === " " && event.target.closest("button, a, summary"))) return;
    event.preventDefault();
    if (event.key !== " ") pause();
    action();
  });
}

/* --- the choice ----------------------------------------------------------------------------- */

function choose() {
  const [a, b] = [byId("a").value, byId("b").value];
  const chosen = byId("suite").selectedOptions[0];
  if (a && b) location.assign(comparePath(a, b, chosen?.dataset.default ? "" : chosen?.value));
}

async function offer() {
  const [policies, suites, list] = await Promise.all([get("/policies?limit=500"), get("/suites"), get("/rounds?limit=500")]);
  names = new Map(policies.items.map((p) => [p.id, visible(p.name, p.id)]));
  rounds = new Map(list.items.map((r) => [r.id, r.name]));
  for (const side of ["a", "b"]) {
    const now = query.get(side) ?? "";
    const ids = [...names.keys()];
    if (now && !names.has(now)) ids.push(now); // a retired one is not listed, its games are there
    byId(side).replaceChildren(el("option", { value: "" }, "choose..."), ...ids.map((id) => el("option", { value: id, selected: id === now }, nameOf(id))));
    byId(side).addEventListener("change", choose);
  }
  const suiteId = query.get("suite");
  byId("suite").replaceChildren(...suites.items.map((s) => el("option", { value: s.id, selected: suiteId ? s.id === suiteId : s.default, "data-default": s.default ? "yes" : null }, s.name)));
  byId("suite").addEventListener("change", choose);
  suite = suites.items.find((s) => (suiteId ? s.id === suiteId : s.default)) ?? null;
}

async function start() {
  byId("controls").addEventListener("submit", (event) => event.preventDefault());
  wire();
  try {
    await offer();
    const [a, b] = [query.get("a"), query.get("b")];
    if (!a || !b) {
      byId("result").replaceChildren(el("p", { class: "notice" }, "Choose two policies above, or tick two on the ", el("a", { href: "/leaderboard" }, "leaderboard"), "."));
      return;
    }
    document.title = `${told(a)} and ${told(b)} - Drop7 policies`;
    byId("title").replaceChildren(policyLink(a, nameOf(a)), " and ", policyLink(b, nameOf(b)));
    const result = await get(`/compare?a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}${suite ? `&suite=${encodeURIComponent(suite.id)}` : ""}`);
    numbers(result);
    byId("round").replaceChildren(...result.rounds.map((r) => el("option", { value: r.roundId }, rounds.get(r.roundId) ?? r.roundId)));
    if (result.rounds.length) await load(result.rounds[0].roundId);
  } catch (problem) {
    byId("result").replaceChildren(el("p", { class: "notice bad", role: "alert" }, `The comparison could not be loaded: ${problem.message}. `, againLink()));
  }
}

start();
