// A page per case, with every script error, failed request and CSP violation counted against it.
import { appendFileSync } from "node:fs";
import axe from "axe-core";
import { chromium } from "playwright-core";

const cases = [];
export const test = (name, body, options = {}) => cases.push({ name, body, options });

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
/** Polls until `ask` gives something truthy, at most `seconds`. */
export async function until(what, seconds, ask) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const got = await ask();
    if (got) return got;
    if (Date.now() > end) throw new Error(`waited ${seconds} s for ${what}`);
    await new Promise((done) => setTimeout(done, 100));
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
  page.on("requestfailed", (request) => add(REQUEST, `${request.url()} ${request.failure()?.errorText}`));
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
