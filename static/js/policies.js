// What every page says about a policy in the same words: badges, links, faults, states.
import { el, number, visible } from "./dom.js";

const BADGES = {
  "extended-state": ["extended state", "Reads more than a player sees: the level and the move number."],
  nondeterministic: ["nondeterministic", "Answered the same position differently when it was asked again."],
  remote: ["remote", "Plays move by move over HTTP, from wherever its author runs it."],
  endpoint: ["endpoint", "Runs on its author's machine and is reached over TCP."],
};

export function badges(policy) {
  return (policy.badges ?? []).map((name) => {
    const [label, why] = BADGES[name] ?? [name, name];
    return el("span", { class: name === "nondeterministic" ? "badge warn" : "badge", title: why, tabindex: 0, "aria-label": `${label}: ${why}`, role: "note" }, label);
  });
}

export const KINDS = { builtin: "built in", upload: "uploaded program", endpoint: "its author's endpoint", remote: "remote player" };

export const STATUS = {
  checking: "A worker talks to it for the first time. Its games wait for that.",
  ready: "Ready: it is on the board and may be run again.",
  rejected: "Rejected: it did not pass its check and plays no games.",
  suspended: "Suspended by an operator: it plays no games for now.",
  retired: "Retired: it plays no more; its games stay.",
};

export const policyPath = (id) => `/policies/${encodeURIComponent(id)}`;
export const gamePath = (id) => `/games/${encodeURIComponent(id)}`;
export const policyLink = (id, name = id) => el("a", { href: policyPath(id) }, el("bdi", {}, visible(name, id)));
export const comparePath = (a, b, suite) => `/compare?a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}${suite ? `&suite=${encodeURIComponent(suite)}` : ""}`;

/** Of a summary or of one game. */
export const faultCount = (row) => row.illegalMoves + row.timeouts + row.crashes + (row.forfeits ?? (row.outcome === "forfeit" ? 1 : 0));

export function faultText(row) {
  const forfeits = row.forfeits ?? (row.outcome === "forfeit" ? 1 : 0);
  const parts = [
    [row.illegalMoves, "illegal move"],
    [row.timeouts, "timeout"],
    [row.crashes, "crash"],
    [forfeits, "forfeit"],
  ].filter(([count]) => count);
  const plural = (count, word) => (count === 1 ? word : word === "crash" ? "crashes" : `${word}s`);
  return parts.length ? parts.map(([count, word]) => `${number(count)} ${plural(count, word)}`).join(", ") : "no faults";
}

/** "Gauntlet 03" is "G03" where there is no room. */
export const shortRound = (name) => name.replace(/^Gauntlet /, "G");
