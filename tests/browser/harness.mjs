// A page per case, with every script error, failed request and CSP violation counted against it.
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

function watch(page, options) {
  const troubles = [];
  page.on("console", (message) => {
    if (message.type() === "error" && !options.expectErrors) troubles.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => troubles.push(`script: ${error.message}`));
  page.on("requestfailed", (request) => troubles.push(`request: ${request.url()} ${request.failure()?.errorText}`));
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
    const troubles = watch(page, options);
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
