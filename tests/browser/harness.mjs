// A page per case, with every script error, failed request and CSP violation counted against it.
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import axe from "axe-core";
import { chromium } from "playwright-core";

const cases = [];
/** BROWSER_CASE=word runs only the cases with that word in their name. */
export const test = (name, body, options = {}) => name.includes(process.env.BROWSER_CASE ?? "") && cases.push({ name, body, options });

export function equal(have, want, what) {
  if (have !== want) throw new Error(`${what}: have ${JSON.stringify(have)}, want ${JSON.stringify(want)}`);
}
export function claim(truth, what) {
  if (!truth) throw new Error(`not so: ${what}`);
}

export const server = process.env.SERVER;
export async function api(path, options) {
  const answer = await fetch(`${server}/api/v1${path}`, options);
  return { status: answer.status, headers: answer.headers, body: await answer.json().catch(() => null) };
}
// A machine that does much else is slow, not wrong: what takes a second on a quiet one may take this many.
const PATIENCE = 10;

/** Polls until `ask` gives something truthy; `seconds` is what that takes at most on a quiet machine. */
export async function until(what, seconds, ask) {
  const end = Date.now() + seconds * 1000 * PATIENCE;
  for (;;) {
    const got = await ask();
    if (got) return got;
    if (Date.now() > end) throw new Error(`waited ${seconds * PATIENCE} s for ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** The board once the demo has played its last game: from then on it stands still. */
export function demoBoard() {
  return until("the demo's last game", 180, async () => {
    const { body } = await api("/runs?limit=500");
    if (!body?.items.length || body.items.some((run) => run.status === "queued" || run.status === "playing")) return null;
    return (await api("/leaderboard")).body;
  });
}

const json = { "Content-Type": "application/json" };

/** A token of a new account. */
export async function account(name) {
  const { status, body } = await api("/tokens", { method: "POST", headers: json, body: JSON.stringify({ name }) });
  equal(status, 201, JSON.stringify(body));
  return body.token;
}

/** A game played by hand and submitted under that name; the id of the game. */
export async function playedBy(displayName, round = "gauntlet-02") {
  const begun = await api("/plays", { method: "POST", headers: json, body: JSON.stringify({ round }) });
  equal(begun.status, 201, JSON.stringify(begun.body));
  let { body: play } = begun;
  const { id } = play;
  while (play.status === "open") {
    await new Promise((done) => setTimeout(done, 60)); // 20 moves a second are let through
    const moved = await api(`/plays/${id}/moves`, { method: "POST", headers: json, body: JSON.stringify({ move: play.move + 1, column: play.legal[0] }) });
    if (moved.status === 429) continue;
    equal(moved.status, 200, JSON.stringify(moved.body));
    ({ body: play } = await api(`/plays/${id}`));
  }
  const { body: game, status } = await api(`/plays/${id}/submit`, { method: "POST", headers: json, body: JSON.stringify({ displayName }) });
  claim(status < 300, `submitted: ${JSON.stringify(game)}`);
  return game.id;
}

/** A server of a case's own, for what the others must not see. port 0: a free one. */
export async function ownServer(data, { port = 0, options = [] } = {}) {
  const child = spawn(`${process.env.BIN}/drop7d`, ["serve", "--listen", `127.0.0.1:${port}`, "--data", data, "--workers", "0", "--registration", "open", "--rate-tokens", "0", ...options], { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.on("data", (text) => (log += text));
  const ended = new Promise((done) => child.on("exit", done));
  const url = await until("a server of our own", 20, () => {
    claim(child.exitCode === null, `it runs: ${log}`);
    return /http:\/\/127\.0\.0\.1:\d+/.exec(log)?.[0];
  });
  const stop = () => {
    child.kill();
    return ended;
  };
  return { url, port: Number(new URL(url).port), stop };
}

/** axe finds nothing on the page as it is, contrast included. */
export async function accessible(page) {
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => (await window.axe.run(document, { resultTypes: ["violations"] })).violations.map((v) => `${v.id}: ${v.nodes.slice(0, 4).map((n) => `${n.target.join(" ")} (${n.any[0]?.message ?? n.failureSummary})`).join(" | ")}`));
  equal(found.join("\n"), "", "what axe objects to");
}

const note = (kind, text) => process.env.NOTES && appendFileSync(process.env.NOTES, `${kind} ${text.replaceAll("\n", " ")}\n`);
/** A figure for the summary of the whole suite. Timings are told, never judged. */
export const measured = (text) => note("measured", text);

// Kinds of trouble, as the summary of the suite counts them.
const SCRIPT = "javascript";
const REQUEST = "request";
const POLICY = "csp";

async function watch(page, options) {
  const troubles = [];
  const add = (kind, text) => {
    troubles.push(`${kind}: ${text}`);
    note(kind, text);
  };
  await page.addInitScript(() => document.addEventListener("securitypolicyviolation", (event) => console.debug(`CSP ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`)));
  page.on("console", (message) => {
    const text = message.text();
    if (text.startsWith("CSP ") || text.includes("Content Security Policy")) add(POLICY, text);
    else if (message.type() === "error" && !options.expectErrors) add(text.startsWith("Failed to load resource") ? REQUEST : SCRIPT, text);
  });
  page.on("pageerror", (error) => add(SCRIPT, error.message));
  // Aborted is what the page gives up itself: what was under way when it was left, a stream that is none, a download.
  const failed = (request) => options.expectErrors !== "away" && request.failure()?.errorText !== "net::ERR_ABORTED";
  page.on("requestfailed", (request) => failed(request) && add(REQUEST, `${request.url()} ${request.failure()?.errorText}`));
  return troubles;
}

export async function run() {
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  let failed = 0;
  for (const { name, body, options } of cases) {
    console.log(`[ RUN      ] ${name}`);
    const context = await browser.newContext({ viewport: options.viewport ?? { width: 1280, height: 900 }, colorScheme: options.scheme ?? "dark", reducedMotion: options.motion ?? "reduce" });
    context.setDefaultTimeout(9000 * PATIENCE);
    const page = await context.newPage();
    const troubles = await watch(page, options);
    try {
      await body(page);
      if (troubles.length) throw new Error(troubles.join("; "));
      console.log(`[       OK ] ${name}`);
    } catch (error) {
      failed++;
      console.log(`${error.message}\n[  FAILED  ] ${name}`);
    }
    await context.close();
  }
  await browser.close();
  process.exit(failed ? 1 : 0);
}
