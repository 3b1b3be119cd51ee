// What the pages cost, taken when nothing else of the tests runs. Times are told, never judged: a busy machine is no fault of the pages.
import { test, run, equal, claim, server, api, demoBoard, measured } from "./harness.mjs";

const board = await demoBoard();
const game = board.games.find((g) => g.policyId === "greedy");

test("the_leaderboard_is_painted_soon_and_costs_little", async (page) => {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  let bytes = 0;
  let other = 0;
  session.on("Network.loadingFinished", (event) => (bytes += event.encodedDataLength));
  page.on("request", (request) => (other += new URL(request.url()).origin === server ? 0 : 1));
  const paints = [];
  for (let i = 0; i < 5; i++) {
    bytes = 0;
    await page.goto(`${server}/leaderboard`);
    await page.waitForSelector("#field-chart svg");
    await page.waitForSelector("#hero:not([hidden])");
    paints.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0));
  }
  const table = await page.evaluate(() => performance.getEntriesByType("resource").filter((r) => /leaderboard|suites/.test(r.name)).map((r) => r.responseEnd));
  measured(`first contentful paint of the leaderboard, uncached: ${paints.map((p) => p.toFixed(0)).join(", ")} ms; its data was there after ${Math.max(...table).toFixed(0)} ms`);
  measured(`leaderboard with charts and the game above it: ${(bytes / 1024).toFixed(1)} KiB transferred`);
  claim(bytes > 1000 && bytes < 150 * 1024, `${bytes} bytes are under 150 KiB`);
  equal(other, 0, "requests to other origins");
});

test("stepping_a_replay_keeps_up_with_the_screen", async (page) => {
  await page.goto(`${server}/games/${game.id}#m=1`);
  await page.waitForSelector("#heights .area");
  const frames = await page.evaluate(async () => {
    const gaps = [];
    let last = await new Promise(requestAnimationFrame);
    for (let i = 0; i < 120; i++) {
      if (i % 6 === 0) document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
      const now = await new Promise(requestAnimationFrame);
      gaps.push(now - last);
      last = now;
    }
    return gaps.sort((a, b) => a - b);
  });
  measured(`stepping a replay, 20 moves in 120 frames: median ${frames[60].toFixed(1)} ms a frame, slowest ${frames.at(-1).toFixed(1)} ms, ${frames.filter((gap) => gap > 32).length} over 32 ms`);
  claim(Number((await page.textContent("#move")).split(" ")[0]) > 10, "it did step");
}, { motion: "no-preference" });

test("a_wave_costs_little", async (page) => {
  await page.goto(`${server}/games/${game.id}#m=1`);
  await page.waitForSelector("#heights .area");
  const [usual, most] = await page.evaluate(async () => {
    const spent = [];
    for (let i = 0; i < 40; i++) {
      await new Promise(requestAnimationFrame);
      const from = performance.now();
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: ".", bubbles: true }));
      document.body.getBoundingClientRect(); // layout is part of the price
      spent.push(performance.now() - from);
    }
    spent.sort((a, b) => a - b);
    return [spent[spent.length / 2], spent.at(-1)];
  });
  measured(`stepping a replay wave by wave, with its layout: median ${usual.toFixed(1)} ms a step, slowest ${most.toFixed(1)} ms`);
  claim(Number((await page.textContent("#move")).split(" ")[0]) > 3, "it did step");
}, { motion: "no-preference" });

await run();
