// A policy: who it is, what it has shown against the field, every game, and what its owner may do.
import { el, byId, isolated, number, signed, visible, when } from "./dom.js";
import { getAll, getChanged, keepFresh, send } from "./api.js";
import { redraw } from "./redraw.js";
import { badges, comparePath, faultCount, faultText, gamePath, KINDS, shortRound, STATUS } from "./policies.js";
import { methodOf } from "./methods.js";
import { OwnerTools } from "./owner.js";
import { token } from "./session.js";

const id = decodeURIComponent(location.pathname.split("/")[2] ?? "");
const owner = new OwnerTools(byId("owner"), { showLog, changed: () => policy && refresh().then(draw) });
const path = `/policies/${encodeURIComponent(id)}`;
const FRESH_S = 10;
let policy = null;
let board = null;
let games = [];
let revisions = [];
let chart = null; // chart.js, which comes after the tables
let decision = []; // nodes; of built-in policies

const term = (name, ...value) => el("div", {}, el("dt", {}, name), el("dd", {}, ...value));
const section = (heading, ...content) => el("section", {}, el("h2", {}, heading), ...content);
const current = () => games.filter((g) => g.counted && g.policyRevision === policy.revision?.number);
const roundName = (roundId) => board?.rounds.find((r) => r.id === roundId)?.name ?? roundId;

function standing() {
  const row = board?.summaries.find((s) => s.policyId === id);
  if (!row) return [];
  const range = (pair, text) => (pair ? el("span", { class: "soft" }, ` ${text(pair[0])}\u2013${text(pair[1])}`) : "");
  const p = row.paired;
  const other = board.policies.find((o) => o.id === board.reference)?.name ?? board.reference;
  const rounds = p && `${p.wins} won, ${p.ties ? `${p.ties} tied, ` : ""}${p.losses} lost`;
  const versus = board.reference && board.reference !== id && p && p.meanDelta !== null ? [term(el("bdi", {}, `Against ${isolated(other)}`), el("a", { href: comparePath(id, board.reference) }, signed(p.meanDelta)), el("span", { class: "soft" }, rounds))] : [];
  return [
    el(
      "dl",
      { class: "facts wide-facts" },
      term("Rank", row.rank === null ? "provisional" : String(row.rank), row.rankCi95?.[0] === row.rankCi95?.[1] ? "" : range(row.rankCi95, String)),
      term("Mean score", number(row.meanScore), range(row.meanScoreCi95, number)),
      ...versus,
      term("Median", number(row.medianScore)),
      term("Moves a game", number(row.meanMoves, 1)),
      term("Clears a move", number(row.meanClearsPerMove, 2)),
      term("Reveals a move", number(row.meanRevealsPerMove, 2)),
      term("Longest chain", number(row.maxChain)),
      term("Faults", el("span", { class: faultCount(row) ? "fault" : null }, faultCount(row) ? faultText(row) : "none")),
    ),
  ];
}

function identity() {
  const r = policy.revision;
  const next = policy.pending;
  const rows = [
    ["Id", policy.id],
    ["Kind", KINDS[policy.kind] ?? policy.kind],
    ["Family", el("a", { href: `/leaderboard?family=${encodeURIComponent(policy.family)}` }, el("bdi", {}, policy.family || "-"))],
    ["Owner", policy.owner ? el("bdi", {}, policy.owner) : "the server"],
    ["Information", policy.publicInformation ? "the public state only" : "more than the public state"],
    ["Registered", when(policy.createdAt)],
    ["Revision", r ? el("span", {}, `${r.number} (${r.format}${r.sizeBytes ? `, ${number(r.sizeBytes)} bytes` : ""}), `, when(r.createdAt)) : "none has passed its check yet"],
    r?.sha256 ? ["SHA-256", el("code", {}, r.sha256)] : null,
    next ? ["Candidate", `revision ${next.number} is ${next.status}${next.reason ? `: ${next.reason.message}` : ""}`] : null,
    policy.latestRunId ? ["Latest run", el("a", { href: `/runs/${encodeURIComponent(policy.latestRunId)}` }, "how it went")] : null,
  ].filter(Boolean);
  return el("dl", { class: "about" }, ...rows.flatMap(([key, value]) => [el("dt", {}, key), el("dd", {}, value)]));
}

function earlier() {
  if (revisions.length < 2) return [];
  const row = (r) =>
    el("tr", {}, el("td", { class: "num" }, String(r.number)), el("td", { class: "text" }, `${r.status}${r.current ? " (current)" : ""}`), el("td", { class: "text" }, r.reason?.message ?? ""), el("td", { class: "text" }, el("code", {}, (r.sha256 ?? "-").slice(0, 12))), el("td", { class: "num" }, number(r.sizeBytes)), el("td", { class: "text soft" }, when(r.createdAt)));
  const head = ["Revision", "Status", "Reason", "SHA-256", "Bytes", "Sent"].map((label, i) => el("th", { scope: "col", class: `plain ${i === 0 || i === 4 ? "num" : "text"}` }, label));
  return [section("Revisions", el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Revisions" }, el("table", { class: "board" }, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...revisions.map(row)))))];
}

function charts() {
  const mine = current();
  if (!mine.length || !board) return [];
  const field = board.games.filter((g) => g.policyId !== id).map((g) => g.score);
  const shown = mine.map((g) => ({ score: g.score, href: gamePath(g.id), label: `${roundName(g.roundId)}: ${number(g.score)} points in ${number(g.moves)} moves` }));
  const best = mine.reduce((a, b) => (b.score > a.score ? b : a));
  const worst = mine.reduce((a, b) => (b.score < a.score ? b : a));
  const ends = el("p", {}, "Best game: ", el("a", { href: gamePath(best.id) }, `${roundName(best.roundId)}, ${number(best.score)}`), ". Worst game: ", el("a", { href: gamePath(worst.id) }, `${roundName(worst.roundId)}, ${number(worst.score)}`), ".");
  if (!chart) return [section("Scores", ends)];
  const names = new Map(board.policies.map((p) => [p.id, p.name]));
  const flow = board.summaries
    .filter((s) => s.meanClearsPerMove !== null)
    .map((s) => ({ name: names.get(s.policyId) ?? s.policyId, x: s.meanClearsPerMove, y: s.meanRevealsPerMove, mine: s.policyId === id, href: `/policies/${encodeURIComponent(s.policyId)}`, label: `${isolated(names.get(s.policyId) ?? s.policyId)}: ${number(s.meanClearsPerMove, 2)} clears, ${number(s.meanRevealsPerMove, 2)} reveals a move` }));
  const times = mine.filter((g) => g.moveMs && g.moves).sort((a, b) => a.roundId.localeCompare(b.roundId)).map((g) => ({ label: shortRound(roundName(g.roundId)), ...g.moveMs }));
  return [
    section("Scores", ends, chart.distribution(shown, field, "Each dot is a counted game and opens it; the dashed line is their mean. Behind them, in gray, every game of the other policies.")),
    flow.length > 1 && flow.some((f) => f.mine) ? section("Flow", chart.scatter(flow, { x: "clears a move", y: "reveals a move" }, "A board is survived by clearing what comes in: a disc each move and seven gray ones every fifth. This policy among the field; the others open their page.")) : null,
    times.length ? section("Time a move", chart.spans(times, "From the median move (dot) over 95 % of the moves (bar) to the slowest (line), on a scale of powers of ten.")) : null,
  ].filter(Boolean);
}

function gameRow(game) {
  const mark = game.voided ? "voided" : game.counted ? "" : "not counted";
  const log = owner.trusted && policy.kind !== "builtin" ? el("button", { type: "button", class: "button small" }, "Log") : null;
  log?.addEventListener("click", () => showLog(`/games/${encodeURIComponent(game.id)}/log`, `${roundName(game.roundId)}, game ${game.id}`));
  return el(
    "tr",
    {},
    el("td", { class: "text whole" }, el("a", { href: gamePath(game.id) }, roundName(game.roundId))),
    el("td", { class: "num" }, number(game.score)),
    el("td", { class: "num" }, number(game.moves)),
    el("td", { class: "num" }, number(game.maxChain)),
    el("td", { class: `text ${game.outcome === "forfeit" ? "fault" : "soft"}` }, game.reason ? `${game.outcome}: ${game.reason}` : game.outcome),
    el("td", { class: faultCount(game) ? "text fault" : "text soft" }, faultText(game)),
    el("td", { class: "num" }, number(game.moveMs?.p50, 2)),
    el("td", { class: "num soft" }, String(game.policyRevision ?? "-")),
    el("td", { class: "text soft" }, mark),
    log ? el("td", {}, log) : null,
  );
}

function gameTable() {
  if (!games.length) return section("Games", el("p", { class: "notice" }, policy.status === "rejected" ? "It did not pass its check and has played no game." : "No game is finished yet."));
  const rows = [...games].sort((a, b) => b.policyRevision - a.policyRevision || a.roundId.localeCompare(b.roundId) || (a.createdAt < b.createdAt ? -1 : 1));
  const head = [["Round", "text"], ["Score"], ["Moves"], ["Chain"], ["Outcome", "text"], ["Faults", "text"], ["ms a move"], ["Rev."], ["", "text"]].map(([label, kind]) => el("th", { scope: "col", class: `plain ${kind ?? "num"}` }, label || el("span", { class: "hidden" }, "Notes")));
  if (owner.trusted && policy.kind !== "builtin") head.push(el("th", { scope: "col", class: "plain" }, el("span", { class: "hidden" }, "Log")));
  return section("Games", el("div", { class: "scroll", id: "games", tabindex: 0, role: "region", "aria-label": "Games" }, el("table", { class: "board" }, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows.map(gameRow)))));
}

/** What only the owner reads: a game's faults and standard error, or those of a check. */
async function showLog(from, heading) {
  const place = byId("log");
  place.hidden = false;
  try {
    const log = await send("GET", from, { token: token() });
    const faults = (log.faults ?? []).map((f) => `move ${f.move}: ${f.kind}${f.detail ? `: ${f.detail}` : ""}`);
    const told = log.faults ? (faults.length ? faults : ["no faults"]) : [`${log.status}${log.reason ? `: ${log.reason.message}` : ""}`];
    place.textContent = [heading, ...told, "", "--- standard error, its end ---", log.stderr || "(nothing)"].join("\n");
  } catch (problem) {
    place.textContent = problem.message;
  }
  place.focus();
}

function draw() {
  document.title = `${isolated(policy.name)} - Drop7 policies`;
  byId("title").replaceChildren(el("bdi", {}, policy.name), ...badges(policy));
  const status = [el("span", { class: `pill ${policy.status}` }, policy.status), ` ${policy.reason ? policy.reason.message : STATUS[policy.status] ?? ""}`];
  byId("subtitle").replaceChildren(...(policy.status === "ready" && !policy.reason ? [`${KINDS[policy.kind] ?? policy.kind}, `, el("bdi", {}, policy.family || "no family")] : status));
  const method = policy.kind === "builtin" ? methodOf(policy.id) : null;
  byId("owner").hidden = policy.kind === "builtin" && !token();
  redraw(place("standing"), ...standing());
  redraw(place("words"), policy.description ? el("p", { class: "prose" }, el("bdi", {}, policy.description)) : "", method ? el("p", { class: "soft" }, el("a", { href: "#method" }, "How it thinks, in plain words"), ", and one decision of it, are below its games.") : "");
  redraw(place("charts"), el("div", { class: "sections" }, ...charts(), section("Identity", identity())));
  redraw(place("games-place"), gameTable());
  place("log-place").append(byId("log") ?? el("pre", { id: "log", class: "code log", tabindex: 0, role: "region", "aria-label": "Log", hidden: true }));
  if (method) redraw(place("method-place"), el("div", { class: "sections" }, el("section", { class: "prose", id: "method" }, el("h2", {}, "How it thinks"), ...method), el("section", { id: "decision" }, ...decision)));
  redraw(place("revisions"), ...earlier());
}

/** A part of the page, made when it is first drawn. */
function place(name) {
  const made = byId(name) ?? el("div", { id: name });
  if (!made.isConnected) byId("content").append(made);
  return made;
}

/** Charts and the decision come when the tables are there. */
async function drawMore() {
  chart = await import("./chart.js");
  if (policy.kind === "builtin") {
    const { decisionOf } = await import("./decision.js");
    decision = (await decisionOf(policy.id, board).catch(() => null)) ?? [];
  }
  draw();
  if (location.hash === "#method") byId("method")?.scrollIntoView();
}

async function refresh() {
  try {
    const [fresh, table, first] = await Promise.all([getChanged(path), getChanged("/leaderboard").catch(() => null), getChanged(`/games?policy=${encodeURIComponent(id)}&limit=500`)]);
    if (!fresh && !table && !first) return trouble(null);
    if (fresh) policy = { ...fresh, name: visible(fresh.name, fresh.id) };
    board = table ?? board;
    if (first) games = first.next ? await getAll(`/games?policy=${encodeURIComponent(id)}`, 5000) : first.items;
    // Earlier revisions are only asked for where there can be any.
    if (fresh && ((policy.revision?.number ?? 0) > 1 || policy.pending)) revisions = await getAll(`${path}/revisions`).catch(() => []);
    if (fresh) await owner.show(policy);
    draw();
    trouble(null);
    if (!chart) drawMore();
  } catch (problem) {
    if (!policy && problem.status === 404) byId("subtitle").replaceChildren(el("span", { class: "fault" }, "There is no policy of that name."));
    else trouble(problem);
  }
}

/** Says that what is shown may be old, or that there is nothing to be shown yet; null: neither. */
function trouble(problem) {
  const again = `${problem?.message}. It is asked for again every ${FRESH_S} seconds.`;
  if (problem && !policy) byId("subtitle").replaceChildren(el("span", { class: "fault" }, `The policy could not be loaded: ${again}`));
  byId("fresh").textContent = problem && policy ? `Not fresh: ${again}` : "";
}

refresh();
keepFresh(FRESH_S, refresh);
