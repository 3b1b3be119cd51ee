// Every page as visitors see it: desktop and phone, both themes, paper; nothing may stick out, and axe finds nothing to object to.
import { test, run, equal, claim, server, api, demoBoard, measured, accessible } from "./harness.mjs";

const screens = process.env.SCREENS;
const SIZES = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 800 } };

const board = await demoBoard();
const [first, second] = board.summaries;
const game = board.games.find((g) => g.policyId === "greedy");
const { body: runs } = await api("/runs?policy=greedy");

// What is there when a page is drawn to its end.
const PAGES = {
  leaderboard: ["/leaderboard", "#field-chart svg"],
  policy: ["/policies/mcts", "#decision svg"],
  game: [`/games/${game.id}#m=14`, "#heights .area"],
  compare: [`/compare?a=${first.policyId}&b=${second.policyId}`, "#side:not([hidden]) #board-b .disc"],
  run: [`/runs/${runs.items[0].id}`, "#content:not([hidden]) li"],
  play: ["/play?seed=0x5eed0001", "#game:not([hidden])"],
  submit: ["/submit", "#form"],
  rules: ["/rules", "[data-example='empty'] .film"],
  docs: ["/docs", "#schemas"],
  lost: ["/no/such/page", "h1"],
};

const fits = async (page, where) => claim(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), `nothing sticks out (${where})`);

for (const [name, [path, ready]] of Object.entries(PAGES)) {
  for (const scheme of ["dark", "light"]) {
    for (const [size, viewport] of Object.entries(SIZES)) {
      test(`${name}_on_a_${size}_in_the_${scheme}`, async (page) => {
        await page.goto(`${server}${path}`);
        await page.waitForSelector(ready);
        await fits(page, "screen");
        await page.screenshot({ path: `${screens}/${name}-${size}-${scheme}.png`, fullPage: name !== "docs" });
        await accessible(page);
        if (scheme === "dark" && size === "desktop") {
          await page.emulateMedia({ media: "print" });
          await fits(page, "paper");
          claim(await page.isHidden("header.site nav"), "paper has no menu");
          const [ink, paper] = await page.evaluate(() => [getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]);
          equal(`${ink} on ${paper}`, "rgb(0, 0, 0) on rgb(255, 255, 255)", "black on white, whatever the theme");
        }
      }, { viewport, scheme, expectErrors: name === "lost" });
    }
  }
}

/* --- the keyboard ----------------------------------------------------------------------------- */

for (const [name, [path, ready]] of Object.entries(PAGES)) {
  test(`${name}_begins_with_a_way_past_the_menu_and_shows_where_the_keyboard_is`, async (page) => {
    await page.goto(`${server}${path}`);
    await page.waitForSelector(ready);
    await page.keyboard.press("Tab");
    equal(await page.evaluate(() => document.activeElement.className), "skip", "the first stop");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const node = document.activeElement;
      const style = getComputedStyle(node);
      return { inside: Boolean(node.closest("main")) || node === document.body, outline: style.outlineStyle, name: node.outerHTML.slice(0, 90) };
    });
    claim(at.inside, `the next stop is on the page itself: ${at.name}`);
    claim(at.outline !== "none" || at.name.startsWith("<body"), `it can be seen: ${at.name}`);
  }, { expectErrors: name === "lost" });
}

/* --- numbers ---------------------------------------------------------------------------------- */

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

test("nothing_moves_for_who_wants_no_motion", async (page) => {
  for (const [path, ready] of [PAGES.leaderboard, PAGES.play, PAGES.game]) {
    await page.goto(`${server}${path}`);
    await page.waitForSelector(ready);
    if (path === PAGES.play[0]) await page.keyboard.press("3");
    const before = await page.evaluate(() => document.querySelector("svg[viewBox='0 0 70 80']").innerHTML);
    await page.waitForTimeout(700);
    equal(await page.evaluate(() => document.querySelector("svg[viewBox='0 0 70 80']").innerHTML), before, `the board of ${path}`);
    equal(await page.evaluate(() => document.getAnimations().length), 0, `animations of ${path}`);
  }
});

await run();
