// The leaderboard: one table, sortable, filtered in the page, fresh while visible; the address carries the selection.
import { el, byId, isolated, number, signed, visible, when } from "./dom.js";
import { get, getChanged, keepFresh } from "./api.js";
import { redraw } from "./redraw.js";
import { badges, comparePath, faultCount, faultText, gamePath, policyLink, policyPath, shortRound } from "./policies.js";

const COLUMNS = [
  { key: "rank", label: "#", title: "Rank by mean score, with the ranks it could as well have", value: (r) => r.rank ?? Infinity, up: true },
  { key: "name", label: "Policy", text: true, value: (r) => r.policy.name.toLowerCase(), up: true },
  { key: "family", label: "Family", text: true, value: (r) => r.policy.family.toLowerCase(), up: true },
  { key: "mean", label: "Mean score", title: "Mean score over the rounds; the line across the bar is its 95 % interval", value: (r) => r.meanScore },
  { key: "versus", label: "\u0394 mean", title: "Mean difference to the policy compared with, round by round", value: (r) => r.paired?.meanDelta ?? -Infinity },
  { key: "median", label: "Median", value: (r) => r.medianScore },
  { key: "quartile", label: "Quartile", title: "Lower quartile: three of four games are better", value: (r) => r.lowerQuartileScore },
  { key: "min", label: "Min", value: (r) => r.minimumScore },
  { key: "max", label: "Max", value: (r) => r.maximumScore },
  { key: "moves", label: "Moves", title: "Mean moves a game", value: (r) => r.meanMoves },
  { key: "clears", label: "Clears", title: "Discs cleared a move", value: (r) => r.meanClearsPerMove ?? -1 },
  { key: "reveals", label: "Reveals", title: "Gray discs revealed a move", value: (r) => r.meanRevealsPerMove ?? -1 },
  { key: "chain", label: "Chain", title: "Longest chain of waves", value: (r) => r.maxChain },
  { key: "faults", label: "Faults", title: "Illegal moves, timeouts, crashes and forfeits", value: faultCount },
];
const FRESH_S = 10;
const DEFAULT_SORT = { key: "rank", down: false };

let board = null;
let drawnFrom = ""; // source of the board that is shown
let games = new Map(); // "policy round": game
let sort = DEFAULT_SORT;
const FIELD_ROWS = 40;
let chart = null; // chart.js, which comes after the table
const picked = new Set(); // policy ids, in the order in which they were ticked

const choice = (id) => byId(id).value;
const gameOn = (policyId, roundId) => games.get(`${policyId} ${roundId}`);

function allRows() {
  const policies = new Map(board.policies.map((p) => [p.id, { ...p, name: visible(p.name, p.id) }]));
  return board.summaries.map((s) => ({ ...s, policy: policies.get(s.policyId) ?? { id: s.policyId, name: s.policyId, family: "", kind: "" } }));
}

function shownRows() {
  const find = choice("find").trim().toLowerCase();
  const column = COLUMNS.find((c) => c.key === sort.key);
  const value = column ? column.value : (r) => gameOn(r.policyId, sort.key)?.score ?? -1;
  return allRows()
    .filter((r) => !choice("kind") || r.policy.kind === choice("kind"))
    .filter((r) => !choice("family") || r.policy.family === choice("family"))
    .filter((r) => !find || `${r.policy.name} ${r.policy.id} ${r.policy.family}`.toLowerCase().includes(find))
    .sort((a, b) => {
      // The board's own order breaks ties: Array.prototype.sort is stable.
      const [x, y] = [value(a), value(b)];
      return (x < y ? -1 : x > y ? 1 : 0) * (sort.down ? -1 : 1);
    });
}

function heading(key, label, title, text, up) {
  const button = el("button", { type: "button", title, "data-focus": `sort ${key}` }, label);
  button.addEventListener("click", () => {
    sort = { key, down: sort.key === key ? !sort.down : !up };
    draw();
  });
  const order = sort.key === key ? (sort.down ? "descending" : "ascending") : null;
  return el("th", { scope: "col", class: `${text ? "text" : "num"} ${key}`, "aria-sort": order, "data-key": key }, button);
}

function pickCell(policy) {
  const box = el("input", { type: "checkbox", "aria-label": `Compare ${isolated(policy.name)}`, "data-focus": `pick ${policy.id}` });
  box.checked = picked.has(policy.id);
  box.addEventListener("change", () => {
    if (box.checked) picked.add(policy.id);
    else picked.delete(policy.id);
    if (picked.size > 2) picked.delete([...picked][0]); // the one ticked first gives way
    draw();
  });
  return el("td", { class: "pick" }, box);
}

function rankCell(row) {
  const range = row.rankCi95 && row.rankCi95[0] !== row.rankCi95[1] ? `${row.rankCi95[0]}\u2013${row.rankCi95[1]}` : null;
  const title = row.provisional ? `provisional: ${row.games} of ${board.rounds.length} rounds played` : range ? `with other rounds of the kind it might be ranked ${range}` : null;
  return el("td", { class: "num rank", title }, row.rank === null ? "\u2013" : String(row.rank), range && el("span", { class: "range" }, range));
}

function nameCell(policy) {
  return el("td", { class: "text name" }, policyLink(policy.id, policy.name), ...badges(policy), el("span", { class: "id" }, `${policy.id} \u00b7 ${policy.kind}`));
}

function meanCell(row, top) {
  const per = (score) => `${top > 0 ? ((100 * score) / top).toFixed(2) : 0}%`;
  const bar = el("i");
  bar.style.width = per(row.meanScore);
  const range = row.meanScoreCi95 && el("u");
  if (range) {
    range.style.left = per(row.meanScoreCi95[0]);
    range.style.width = per(row.meanScoreCi95[1] - row.meanScoreCi95[0]);
  }
  const title = row.meanScoreCi95 ? `95 % interval: ${number(row.meanScoreCi95[0])} to ${number(row.meanScoreCi95[1])}` : `no interval under five rounds; ${row.games} games`;
  return el("td", { class: "num mean", title }, el("span", { class: "meanbar" }, number(row.meanScore), bar, range));
}

function versusCell(row) {
  const p = row.paired;
  if (row.policyId === board.reference) return el("td", { class: "num soft", title: "the others are compared with this one" }, "ref.");
  if (!p || p.meanDelta === null) return el("td", { class: "num soft" }, "-");
  const sure = p.deltaCi95 && (p.deltaCi95[0] > 0 || p.deltaCi95[1] < 0);
  const title = `${p.wins} won, ${p.ties} tied, ${p.losses} lost; ${p.deltaCi95 ? `95 % interval ${signed(p.deltaCi95[0])} to ${signed(p.deltaCi95[1])}${sure ? "" : ": it could be nothing"}` : "no interval"}`;
  return el("td", { class: `num ${sure ? (p.meanDelta > 0 ? "gain" : "loss") : "soft"}`, title }, signed(p.meanDelta));
}

function roundCell(row, round, best) {
  const game = gameOn(row.policyId, round.id);
  if (!game) return el("td", { class: "num soft" }, "-");
  const mark = game.outcome === "forfeit" ? el("span", { class: "mark", title: `forfeit: ${game.reason ?? ""}` }, " \u2717") : null;
  const marked = game.score === best && best > 0;
  const link = el("a", { href: gamePath(game.id), title: `${isolated(row.policy.name)} on ${round.name}: ${game.moves} moves, ${faultText(game)}` }, number(game.score));
  const cell = el("td", { class: marked ? "num round best" : "num round" }, link, mark);
  cell.style.setProperty("--share", `${best > 0 ? Math.round((60 * game.score) / best) : 0}%`);
  return cell;
}

function rowOf(row, top, best) {
  const faults = faultCount(row);
  return el(
    "tr",
    { class: picked.has(row.policyId) ? "picked" : null },
    pickCell(row.policy),
    rankCell(row),
    nameCell(row.policy),
    el("td", { class: "text soft family" }, el("bdi", {}, row.policy.family)),
    meanCell(row, top),
    versusCell(row),
    el("td", { class: "num" }, number(row.medianScore)),
    el("td", { class: "num" }, number(row.lowerQuartileScore)),
    el("td", { class: "num" }, number(row.minimumScore)),
    el("td", { class: "num" }, number(row.maximumScore)),
    el("td", { class: "num" }, number(row.meanMoves, 1)),
    el("td", { class: "num" }, number(row.meanClearsPerMove, 2)),
    el("td", { class: "num" }, number(row.meanRevealsPerMove, 2)),
    el("td", { class: "num" }, number(row.maxChain)),
    el("td", { class: faults ? "num fault" : "num soft", title: faultText(row) }, number(faults)),
    ...board.rounds.map((round) => roundCell(row, round, best.get(round.id))),
  );
}

function bestOf(round) {
  return Math.max(...board.games.filter((g) => g.roundId === round.id).map((g) => g.score), 0);
}

/* --- sideways: where the table is wider than the page, a button goes to the rounds and back ------ */

/** How far the table scrolls until its first round stands beside the columns that stay; 0: all of it is in sight. */
function toRounds(scroll) {
  const first = board.rounds.length && scroll.querySelector(`th[data-key="${CSS.escape(board.rounds[0].id)}"]`);
  const room = scroll.scrollWidth - scroll.clientWidth;
  if (!first || room < 4) return 0;
  const name = scroll.querySelector("th.name"); // stays in sight, itself and what is left of it
  const stays = parseFloat(getComputedStyle(name).left) + name.offsetWidth;
  const from = first.getBoundingClientRect().left - scroll.getBoundingClientRect().left - scroll.clientLeft + scroll.scrollLeft;
  return Math.min(room, Math.max(4, from - stays));
}

function tellSideways() {
  const scroll = byId("table").querySelector(".scroll");
  const far = scroll ? toRounds(scroll) : 0;
  byId("sideways").hidden = !far;
  byId("sideways").textContent = scroll && scroll.scrollLeft > far / 2 ? "\u2190 Figures" : "Rounds \u2192";
}

function sideways() {
  const scroll = byId("table").querySelector(".scroll");
  const far = toRounds(scroll);
  scroll.scrollTo({ left: scroll.scrollLeft > far / 2 ? 0 : far, behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth" });
}

function draw() {
  carry();
  drawPeople();
  if (!board.summaries.length) {
    byId("table").replaceChildren(el("p", { class: "notice" }, "No games yet. The first finished game appears here by itself; ", el("a", { href: "/submit" }, "submit a policy"), " to be it."));
    return;
  }
  const rows = shownRows();
  const top = Math.max(...board.summaries.map((r) => r.meanScoreCi95?.[1] ?? r.meanScore));
  const best = new Map(board.rounds.map((round) => [round.id, bestOf(round)]));
  const head = [
    el("th", { scope: "col", class: "pick" }, el("span", { class: "hidden" }, "Compare")),
    ...COLUMNS.map((c) => heading(c.key, c.label, c.title, c.text, c.up)),
    ...board.rounds.map((r) => heading(r.id, shortRound(r.name), `${r.name}: score, the best one marked`)),
  ];
  const empty = el("tr", {}, el("td", { class: "text soft", colspan: head.length }, "No policy matches these filters."));
  const table = el(
    "table",
    { class: "board" },
    el("caption", { class: "hidden" }, "Policies by mean score"),
    el("thead", {}, el("tr", {}, ...head)),
    el("tbody", {}, ...(rows.length ? rows.map((row) => rowOf(row, top, best)) : [empty])),
  );
  drawField(rows);
  const scroll = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Leaderboard table" }, table);
  scroll.addEventListener("scroll", tellSideways, { passive: true });
  redraw(byId("table"), scroll);
  tellSideways();
}

/** The rows shown as a chart, in their order. */
function drawField(rows) {
  byId("field").hidden = !chart || !rows.length;
  if (!chart || !rows.length) return;
  const shown = rows.slice(0, FIELD_ROWS).map((r) => ({ label: r.policy.name, mean: r.meanScore, interval: r.meanScoreCi95, scores: board.games.filter((g) => g.policyId === r.policyId).map((g) => g.score), href: policyPath(r.policyId) })).filter((r) => r.scores.length);
  redraw(byId("field-chart"), chart.field(shown, `A small dot is a game, the large one their mean, the line its 95 % interval${rows.length > FIELD_ROWS ? `; the first ${FIELD_ROWS} of ${rows.length} rows` : ""}. Where lines overlap, the rounds played do not yet tell two policies apart.`));
}

function drawPeople() {
  const people = board.human ?? [];
  byId("people").hidden = !people.length;
  if (!people.length) return;
  const names = new Map(board.rounds.map((r) => [r.id, r.name]));
  const row = (game, i) =>
    el(
      "tr",
      {},
      el("td", { class: "num rank" }, String(i + 1)),
      el("td", { class: "text name" }, el("bdi", {}, visible(game.player, "somebody"))),
      el("td", { class: "text soft" }, names.get(game.roundId) ?? game.roundId),
      el("td", { class: "num round" }, el("a", { href: gamePath(game.id) }, number(game.score))),
      el("td", { class: "num" }, number(game.moves)),
      el("td", { class: "num" }, number(game.maxChain)),
      el("td", { class: "text soft" }, when(game.createdAt)),
    );
  const head = [["#"], ["Name", "text"], ["Round", "text"], ["Score"], ["Moves"], ["Chain"], ["Played", "text"]].map(([label, kind]) => el("th", { scope: "col", class: `plain ${kind ?? "num"}` }, label));
  redraw(byId("people-table"), el("div", { class: "scroll" }, el("table", { class: "board" }, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...people.map(row)))));
}

/** The selection goes into the address, the data links and the button that compares. */
function carry() {
  const query = new URLSearchParams();
  for (const key of ["suite", "reference", "kind", "family"]) {
    if (choice(key) && !(key === "suite" && byId("suite").selectedOptions[0]?.dataset.default)) query.set(key, choice(key));
  }
  const tail = (extra) => {
    const all = new URLSearchParams([...query, ...extra]).toString();
    return all ? `?${all}` : "";
  };
  byId("json").href = `/api/v1/leaderboard${tail([])}`;
  byId("csv").href = `/api/v1/leaderboard${tail([["format", "csv"]])}`;
  const own = sort.key === DEFAULT_SORT.key && !sort.down ? [] : [["sort", `${sort.down ? "-" : ""}${sort.key}`]];
  if (choice("find").trim()) own.push(["find", choice("find").trim()]);
  history.replaceState(null, "", `${location.pathname}${tail(own)}`);
  const [a, b] = picked;
  const versus = byId("versus");
  if (b) versus.href = comparePath(a, b, query.get("suite"));
  else versus.removeAttribute("href");
  versus.setAttribute("aria-disabled", String(!b));
  versus.textContent = b ? "Compare these two" : a ? "Tick one more to compare" : "Tick two to compare";
}

function options(id, values, first) {
  const now = choice(id);
  byId(id).replaceChildren(el("option", { value: "" }, first), ...values.map(([value, label]) => el("option", { value, selected: value === now }, label)));
}

function offer() {
  options("family", [...new Set(board.policies.map((p) => p.family).filter(Boolean))].sort().map((f) => [f, f]), "all");
  options("reference", board.policies.map((p) => [p.id, visible(p.name, p.id)]), "best built-in");
  const leader = allRows().find((r) => r.rank === 1);
  const alone = leader?.rankCi95?.[1] === 1;
  byId("leader").replaceChildren(...(leader ? [policyLink(leader.policyId, leader.policy.name), ` leads with ${number(leader.meanScore)} a game${leader.rankCi95 ? (alone ? ", and no other policy comes near it on these rounds" : `, though ${board.rounds.length} rounds do not make it sure`) : ""}.`] : []));
}

/** The suites to choose from; asked for until they are there. */
async function offerSuites(wanted) {
  const { items } = await get("/suites");
  byId("suite").replaceChildren(...items.map((s) => el("option", { value: s.id, selected: wanted ? s.id === wanted : s.default, "data-default": s.default ? "yes" : null }, s.name)));
}

/** Where the board of the present choice is. */
function source() {
  const query = new URLSearchParams();
  for (const key of ["suite", "reference"]) if (choice(key)) query.set(key, choice(key));
  return `/leaderboard${query.size ? `?${query}` : ""}`;
}

async function refresh() {
  try {
    if (!byId("suite").options.length) await offerSuites(new URLSearchParams(location.search).get("suite"));
    const path = source();
    const fresh = await getChanged(path, path !== drawnFrom);
    if (path !== source()) return; // another choice was made meanwhile, and is under way itself
    if (fresh) {
      board = fresh;
      drawnFrom = path;
      games = new Map(board.games.map((g) => [`${g.policyId} ${g.roundId}`, g]));
      offer();
      draw();
      drawMore();
    }
    byId("fresh").textContent = `${number(board.policies.length)} policies, ${number(board.games.length)} games on ${number(board.rounds.length)} rounds of at most ${number(board.moveCap)} moves.`;
    byId("fresh").classList.remove("fault");
  } catch (problem) {
    const notice = el("p", { class: "notice bad", role: "alert" }, `The leaderboard could not be loaded: ${problem.message}. It is asked for again every ${FRESH_S} seconds.`);
    if (!board) byId("table").replaceChildren(notice);
    byId("fresh").textContent = board ? `Not fresh: ${problem.message}. It is asked for again every ${FRESH_S} seconds.` : "";
    byId("fresh").classList.add("fault");
  }
}

let hero = null; // hero.js, likewise
function drawHero() {
  byId("hero-place").hidden = !board.games.length;
  if (board.games.length) hero?.(byId("hero"), board);
}

/** The game above the table and the chart below it: their programs come after the first table. */
async function drawMore() {
  if (hero) return drawHero();
  hero = (await import("./hero.js")).hero;
  drawHero();
  chart = await import("./chart.js");
  draw();
}

function fromAddress() {
  const query = new URLSearchParams(location.search);
  const wanted = query.get("sort");
  if (wanted) sort = { key: wanted.replace(/^-/, ""), down: wanted.startsWith("-") };
  byId("find").value = query.get("find") ?? "";
  for (const id of ["kind", "family", "reference"]) {
    const value = query.get(id);
    if (value && ![...byId(id).options].some((o) => o.value === value)) byId(id).append(el("option", { value }, value));
    if (value) byId(id).value = value;
  }
}

function start() {
  fromAddress();
  byId("sideways").addEventListener("click", sideways);
  addEventListener("resize", () => board && tellSideways());
  byId("controls").addEventListener("submit", (event) => event.preventDefault());
  for (const id of ["suite", "reference"]) byId(id).addEventListener("change", refresh);
  for (const id of ["kind", "family"]) byId(id).addEventListener("change", () => board && draw());
  byId("find").addEventListener("input", () => board && draw());
  refresh();
  keepFresh(FRESH_S, refresh);
}

start();
