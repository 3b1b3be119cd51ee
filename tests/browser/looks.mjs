// Every page as visitors see it: desktop and phone, both themes, paper; nothing may stick out, and axe finds nothing to object to.
import { test, run, equal, claim, server, api, demoBoard, accessible } from "./harness.mjs";

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

/** Black on white and nothing to click, whatever the theme. */
async function onPaper(page) {
  await page.emulateMedia({ media: "print" });
  await fits(page, "paper");
  claim(await page.isHidden("header.site nav"), "paper has no menu");
  const [ink, paper] = await page.evaluate(() => [getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]);
  equal(`${ink} on ${paper}`, "rgb(0, 0, 0) on rgb(255, 255, 255)", "black on white");
  await page.emulateMedia({ media: "screen" });
}

/** The first stop of the keyboard leads past the menu, and the next one can be seen. */
async function pastTheMenu(page) {
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
}

for (const [name, [path, ready]] of Object.entries(PAGES)) {
  for (const [size, viewport] of Object.entries(SIZES)) {
    test(`${name}_on_a_${size}_in_both_themes${size === "desktop" ? "_on_paper_and_by_keyboard" : ""}`, async (page) => {
      await page.goto(`${server}${path}`);
      await page.waitForSelector(ready);
      for (const scheme of ["dark", "light"]) {
        await page.emulateMedia({ colorScheme: scheme });
        await fits(page, scheme);
        await page.screenshot({ path: `${screens}/${name}-${size}-${scheme}.png`, fullPage: name !== "docs" });
        await accessible(page);
      }
      if (size === "desktop") {
        await onPaper(page);
        await pastTheMenu(page);
      }
    }, { viewport, expectErrors: name === "lost" });
  }
}

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
