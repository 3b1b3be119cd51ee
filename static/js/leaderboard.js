// The leaderboard: one table, sortable, filtered in the page, fresh while visible.
import { el, byId, number } from "./dom.js";
import { get, keepFresh } from "./api.js";

const BADGES = {
  "extended-state": ["extended state", "reads more than the public state: level and move number"],
  nondeterministic: ["nondeterministic", "answered the same position differently when asked again"],
  remote: ["remote", "plays move by move over HTTP"],
  endpoint: ["endpoint", "runs on its author's machine, reached over TCP"],
};

const faults = (row) => row.illegalMoves + row.timeouts + row.crashes + row.forfeits;
const COLUMNS = [
  { key: "rank", label: "#", title: "Rank by mean score", value: (r) => r.rank ?? Infinity, up: true },
  { key: "name", label: "Policy", text: true, value: (r) => r.policy.name.toLowerCase(), up: true },
  { key: "family", label: "Family", text: true, value: (r) => r.policy.family, up: true },
  { key: "mean", label: "Mean score", value: (r) => r.meanScore },
  { key: "median", label: "Median", value: (r) => r.medianScore },
  { key: "min", label: "Min", value: (r) => r.minimumScore },
  { key: "max", label: "Max", value: (r) => r.maximumScore },
  { key: "moves", label: "Moves", title: "Mean moves a game", value: (r) => r.meanMoves },
  { key: "chain", label: "Chain", title: "Longest chain", value: (r) => r.maxChain },
  { key: "faults", label: "Faults", title: "Illegal moves, timeouts, crashes and forfeits", value: faults },
];

let board = null;
let sort = { key: "rank", down: false };

function sortedRows() {
  const find = byId("find").value.trim().toLowerCase();
  const kind = byId("kind").value;
  const policies = new Map(board.policies.map((p) => [p.id, p]));
  const rows = board.summaries
    .map((summary) => ({ ...summary, policy: policies.get(summary.policyId) ?? { id: summary.policyId, name: summary.policyId, family: "", badges: [] } }))
    .filter((r) => !kind || r.policy.kind === kind)
    .filter((r) => !find || `${r.policy.name} ${r.policy.id} ${r.policy.family}`.toLowerCase().includes(find));
  const column = COLUMNS.find((c) => c.key === sort.key);
  const value = column ? column.value : (r) => scoreOn(r.policyId, sort.key) ?? -1;
  // The board's own order breaks ties: Array.prototype.sort is stable.
  return rows.sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    return (x < y ? -1 : x > y ? 1 : 0) * (sort.down ? -1 : 1);
  });
}

const gameOn = (policyId, roundId) => board.games.find((g) => g.policyId === policyId && g.roundId === roundId);
const scoreOn = (policyId, roundId) => gameOn(policyId, roundId)?.score;

function heading(key, label, title, text, up) {
  const button = el("button", { type: "button", title }, label);
  button.addEventListener("click", () => {
    sort = { key, down: sort.key === key ? !sort.down : !up };
    draw();
    byId("table").querySelector(`th[data-key="${key}"] button`)?.focus();
  });
  const order = sort.key === key ? (sort.down ? "descending" : "ascending") : null;
  return el("th", { scope: "col", class: `${text ? "text" : "num"} ${key}`, "aria-sort": order, "data-key": key }, button);
}

function nameCell(policy) {
  const badges = (policy.badges ?? []).map((b) => {
    const [label, why] = BADGES[b] ?? [b, b];
    return el("span", { class: b === "nondeterministic" ? "badge warn" : "badge", title: why }, label);
  });
  return el("td", { class: "text name" }, el("bdi", {}, policy.name), ...badges, el("span", { class: "id" }, `${policy.id} \u00b7 ${policy.kind ?? ""}`));
}

function meanCell(row, top) {
  const bar = el("i");
  bar.style.width = `${top > 0 ? Math.round((100 * row.meanScore) / top) : 0}%`;
  return el("td", { class: "num mean" }, el("span", { class: "meanbar" }, number(row.meanScore), bar));
}

function roundCell(row, round, best) {
  const game = gameOn(row.policyId, round.id);
  if (!game) return el("td", { class: "num soft" }, "-");
  const mark = game.outcome === "forfeit" ? el("span", { class: "mark", title: `forfeit: ${game.reason ?? ""}` }, " \u2717") : null;
  const link = el("a", { href: `/games/${encodeURIComponent(game.id)}`, title: `${row.policy.name} on ${round.name}: ${game.moves} moves` }, number(game.score));
  return el("td", { class: game.score === best && best > 0 ? "num round best" : "num round" }, link, mark);
}

function draw() {
  const place = byId("table");
  if (!board.summaries.length) {
    place.replaceChildren(el("p", { class: "notice" }, "No games yet. The first finished game appears here by itself."));
    return;
  }
  const rows = sortedRows();
  const top = Math.max(...board.summaries.map((r) => r.meanScore));
  const best = new Map(board.rounds.map((round) => [round.id, Math.max(...board.games.filter((g) => g.roundId === round.id).map((g) => g.score), 0)]));
  const head = COLUMNS.map((c) => heading(c.key, c.label, c.title, c.text, c.up)).concat(board.rounds.map((r) => heading(r.id, r.name.replace("Gauntlet ", "G"), r.name)));
  const body = rows.map((row) =>
    el(
      "tr",
      {},
      el("td", { class: "num rank", title: row.provisional ? "provisional: not all rounds played yet" : null }, row.rank === null ? "\u2013" : String(row.rank)),
      nameCell(row.policy),
      el("td", { class: "text soft family" }, el("bdi", {}, row.policy.family)),
      meanCell(row, top),
      el("td", { class: "num" }, number(row.medianScore)),
      el("td", { class: "num" }, number(row.minimumScore)),
      el("td", { class: "num" }, number(row.maximumScore)),
      el("td", { class: "num" }, number(row.meanMoves, 1)),
      el("td", { class: "num" }, number(row.maxChain)),
      el("td", { class: faults(row) ? "num fault" : "num soft", title: `illegal ${row.illegalMoves}, timeouts ${row.timeouts}, crashes ${row.crashes}, forfeits ${row.forfeits}` }, number(faults(row))),
      ...board.rounds.map((round) => roundCell(row, round, best.get(round.id))),
    ),
  );
  const empty = el("tr", {}, el("td", { class: "text soft", colspan: String(head.length) }, "No policy matches these filters."));
  place.replaceChildren(el("div", { class: "scroll" }, el("table", { class: "board" }, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...(body.length ? body : [empty])))));
}

async function refresh() {
  const suite = byId("suite").value;
  try {
    board = await get(`/leaderboard${suite ? `?suite=${encodeURIComponent(suite)}` : ""}`);
    draw();
    byId("fresh").textContent = `${board.policies.length} policies, ${board.games.length} games.`;
  } catch (problem) {
    if (!board) byId("table").replaceChildren(el("p", { class: "notice bad" }, `The leaderboard could not be loaded: ${problem.message}`));
    byId("fresh").textContent = `Not fresh: ${problem.message}`;
  }
}

async function start() {
  try {
    const suites = await get("/suites");
    byId("suite").replaceChildren(...suites.items.map((s) => el("option", { value: s.id, selected: s.default }, s.name)));
  } catch {
    byId("suite").replaceChildren(el("option", { value: "" }, "default"));
  }
  byId("suite").addEventListener("change", refresh);
  byId("kind").addEventListener("change", () => board && draw());
  byId("find").addEventListener("input", () => board && draw());
  await refresh();
  keepFresh(10, refresh);
}

start();
