// One decision of a built-in policy: the values its own search gave the columns of one position of a real game, computed when the server was
// built (server/decisions.sh) and drawn here.
import { el, svg, number, signed, short } from "./dom.js";
import { BoardView } from "./board.js";
import { columns } from "./chart.js";
import { gamePath } from "./policies.js";

let told = null;

async function load() {
  const answer = await fetch(new URL("../decisions.json", import.meta.url));
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return answer.json();
}

const best = (values, key) => values.reduce((a, b) => (b[key] > a[key] ? b : a));

/** What the values came to, in a sentence made of them. */
function verdict(decision) {
  const { column, values, work } = decision;
  const mine = values.find((v) => v.column === column);
  const top = best(values, "value");
  const walked = values.some((v) => v.visits);
  if (!walked) {
    const others = values.filter((v) => v.column !== column);
    const next = others.length ? best(others, "value") : null;
    return next ? `It plays column ${column + 1}, ${number(mine.value - next.value)} ahead of column ${next.column + 1}.` : `It plays column ${column + 1}, the only one that is free.`;
  }
  const most = best(values, "visits");
  const share = (v) => `${number(v.visits)} of ${number(work)} walks`;
  if (most.column === column) return `It plays column ${column + 1}, which got ${share(mine)}${top.column === column ? " and has the best mean too" : `, though the mean of column ${top.column + 1} is ${number(top.value - mine.value)} better over ${number(top.visits)} walks`}.`;
  return `Column ${most.column + 1} got most, ${share(most)}, but that does not make it sure enough; it plays column ${column + 1}, which the search it starts from prefers.`;
}

function drawn(decision) {
  const { values, column } = decision;
  const label = (v) => String(v.column + 1);
  if (values.some((v) => v.visits)) return columns(values.map((v) => ({ label: label(v), value: v.visits })), "Walks that began with each column.", { label: "Walks by column", head: ["Column", "Walks"], wide: 360, best: String(column + 1) });
  const [low, high] = [Math.min(...values.map((v) => v.value)), Math.max(...values.map((v) => v.value))];
  return columns(values.map((v) => ({ label: label(v), value: v.value - low })), "How much better each column is than the worst one; above it, how far it is behind the best.", { label: "Values by column", head: ["Column", "Better than the worst by"], wide: 360, best: String(column + 1), tell: (above) => (above + low === high ? "best" : `\u2212${short(high - low - above)}`) });
}

function table(decision) {
  const walked = decision.values.some((v) => v.visits);
  const head = ["Column", walked ? "Mean of its walks" : "Value", ...(walked ? ["Walks"] : [])];
  const row = (v) => el("tr", { class: v.column === decision.column ? "picked" : null }, el("td", { class: "num" }, String(v.column + 1)), el("td", { class: "num" }, signed(v.value, 1)), walked ? el("td", { class: "num" }, number(v.visits)) : null);
  return el("div", { class: "scroll narrow" }, el("table", { class: "board" }, el("thead", {}, el("tr", {}, ...head.map((text) => el("th", { scope: "col", class: "plain num" }, text)))), el("tbody", {}, ...decision.values.map(row))));
}

/** Nodes about the policy's decision, or null where there is none; `board` finds the game it was taken from. */
export async function decisionOf(id, board) {
  told ??= await load();
  const decision = told.policies[id];
  if (!decision) return null;
  const drawing = svg("svg", { class: "position", viewBox: "0 0 70 80", role: "img", "aria-label": `The position, with disc ${told.nextDisc} over column ${decision.column + 1}` });
  new BoardView(drawing).show(told.board, told.nextDisc, decision.column);
  const game = board?.games.find((g) => g.policyId === told.playedBy && g.roundId === told.roundId);
  const round = board?.rounds.find((r) => r.id === told.roundId)?.name ?? told.roundId;
  const words = [`after move ${told.move} of ${told.playedBy}\u2019s game on `, round];
  const where = game ? el("a", { href: `${gamePath(game.id)}#m=${told.move}` }, ...words) : el("span", {}, ...words);
  const walked = decision.values.some((v) => v.visits);
  return [
    el("h2", {}, "One decision"),
    el("p", {}, "The position ", where, `: disc ${told.nextDisc} in hand, ${told.movesRemaining} drops to the rise. ${verdict(decision)}`),
    el("div", { class: "decision" }, drawing, drawn(decision), table(decision)),
    el("p", { class: "soft" }, `The numbers are the search\u2019s own, from the engine this server was built with. ${walked ? "A mean" : "A value"} is points to come plus what the board left behind is worth, in this policy\u2019s measure: only differences mean something, and not between policies.`),
  ];
}
