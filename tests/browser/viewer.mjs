// The replay viewer beyond single moves: waves, rises, curves, the filmstrip, greedy's opinion, playing on.
import { test, run, equal, claim, server, api, until, accessible } from "./harness.mjs";

const screens = process.env.SCREENS;
const board = await until("greedy's games", 120, async () => {
  const { body } = await api("/leaderboard");
  return body?.games?.some((g) => g.policyId === "greedy") ? body : null;
});
const game = board.games.find((g) => g.policyId === "greedy");
const { body: replay } = await api(`/games/${game.id}/replay?steps=1`);
const long = replay.frames.reduce((best, f, i) => (f.chainDepth > replay.frames[best].chainDepth ? i : best), 0);
const rises = replay.frames.flatMap((f, i) => (f.levelAdvanced ? [i + 1] : []));

const shown = (number) => number.toLocaleString("en-US");
const open = async (page, hash = "") => {
  await page.goto(`${server}/games/${game.id}${hash}`);
  await page.waitForSelector("#game:not([hidden])");
};
const moveShown = async (page) => Number((await page.textContent("#move")).split(" ")[0]);

test("full_stop_and_comma_go_wave_by_wave", async (page) => {
  await open(page, `#m=${long}`);
  const steps = replay.frames[long].steps;
  const bursts = [];
  for (const step of steps) {
    await page.keyboard.press(".");
    const status = await page.textContent("#status");
    if (step.kind === "burst") {
      bursts.push(status);
      equal(await page.textContent("#strip .now b"), `Wave ${step.wave}`, "the tile of the wave");
    }
    const discs = [...step.board].filter((c) => c !== "0").length;
    equal(await page.locator("#board .disc:not(.gone)").count(), discs, `discs after ${step.kind} of wave ${step.wave}`);
  }
  equal(bursts.length, replay.frames[long].chainDepth, "a picture for each wave");
  claim(bursts.at(-1).includes(`wave ${bursts.length}`), "the last wave is named");
  equal(await moveShown(page), long, "still inside the move");
  await page.keyboard.press(".");
  equal(await moveShown(page), long + 1, "and then behind it");
  await page.keyboard.press(",");
  equal(await moveShown(page), long, "back inside");
  for (let i = 0; i < steps.length; i++) await page.keyboard.press(",");
  equal(await page.locator("#board .disc").count(), [...replay.frames[long - 1].board].filter((c) => c !== "0").length + 1, "at the position before, disc in hand");
});

test("page_keys_go_from_rise_to_rise", async (page) => {
  await open(page);
  await page.keyboard.press("PageDown");
  equal(await moveShown(page), rises[0], "the first rise");
  await page.click("#rise");
  equal(await moveShown(page), rises[1], "the second");
  await page.keyboard.press("PageUp");
  equal(await moveShown(page), rises[0], "and back");
});

test("the_filmstrip_has_each_wave_and_its_points_add_up", async (page) => {
  await open(page, `#m=${long + 1}`);
  const tiles = await page.locator("#strip .tile b").allTextContents();
  claim(tiles.filter((t) => t.startsWith("Wave")).length === replay.frames[long].chainDepth, "a tile for each wave");
  const gains = await page.locator("#strip .gain").allTextContents();
  equal(gains.reduce((sum, g) => sum + Number(g.replace(/[+,]/g, "")), 0), replay.frames[long].scoreDelta, "points of the move");
  await page.screenshot({ path: `${screens}/viewer-dark.png`, fullPage: true });
});

test("both_curves_mark_the_move_and_take_clicks", async (page) => {
  await open(page, "#m=10");
  const marks = () => page.locator(".curve .here").evaluateAll((lines) => lines.map((l) => l.getAttribute("transform")));
  const before = await marks();
  equal(before.length, 2, "marks");
  equal(before[0], before[1], "both at the same move");
  const box = await page.locator("#heights").boundingBox();
  await page.locator("#heights").click({ position: { x: box.width / 2, y: 20 } });
  claim(Math.abs((await moveShown(page)) - replay.frames.length / 2) <= 1, "the middle of the game");
});

test("the_curves_are_a_table_too_whose_moves_can_be_opened", async (page) => {
  await open(page, "#m=10");
  equal(await page.locator("#moves table").count(), 0, "made when it is wanted");
  await page.click("#moves summary");
  await page.waitForSelector("#moves tbody tr");
  const rows = await page.locator("#moves tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
  equal(rows.length, replay.frames.length, "a row a move");
  replay.frames.forEach((f, i) => {
    const heights = [0, 1, 2, 3, 4, 5, 6].map((c) => [0, 1, 2, 3, 4, 5, 6].filter((r) => f.board[7 * r + c] !== "0").length);
    const mean = heights.reduce((a, b) => a + b, 0) / 7;
    equal(rows[i].join(" "), [i + 1, f.disc, f.column + 1, `+${shown(f.scoreDelta)}`, shown(f.score), f.chainDepth, Math.max(...heights), mean.toFixed(1)].join(" "), `move ${i + 1}`);
  });
  equal(await page.textContent("#moves tr.here td"), "10", "the move shown is marked");
  equal(await page.textContent("#score-here"), shown(replay.frames[9].score), "and told beside the curve");
  await page.locator("#moves a").nth(19).click();
  await until("move 20", 10, async () => (await moveShown(page)) === 20);
  equal(await page.textContent("#moves tr.here td"), "20", "the mark goes along");
  await accessible(page);
});

test("the_table_is_there_for_who_opens_it_before_the_curves_are", async (page) => {
  let go = null;
  const wanted = new Promise((done) => (go = done));
  await page.route("**/js/curves.js", async (route) => {
    await wanted;
    await route.continue();
  });
  await open(page, "#m=10");
  await page.click("#moves summary");
  claim(await page.locator("#moves").evaluate((node) => node.open), "it is open");
  go();
  await page.waitForSelector("#moves tbody tr.here");
  equal(await page.locator("#moves tbody tr").count(), replay.frames.length, "a row a move");
});

test("greedy_agrees_with_its_own_game", async (page) => {
  await open(page, "#m=3");
  await page.click("#greedy");
  await until("the engine", 10, async () => (await page.textContent("#status")).includes("greedy"));
  claim((await page.textContent("#status")).endsWith("greedy would do the same."), await page.textContent("#status"));
  const x = Number(await page.getAttribute("#board .column-hint", "x"));
  equal(Math.floor(x / 10), replay.frames[3].column, "the column marked");
});

test("playing_on_begins_at_the_position_shown", async (page) => {
  await open(page, "#m=7");
  await page.click("#on");
  await page.waitForSelector("#game.play:not([hidden])");
  equal(await page.textContent("#score"), shown(replay.frames[6].score), "score");
  equal(await page.textContent("#move"), "7", "moves");
});

test("the_record_is_downloaded_under_a_name_of_its_own", async (page) => {
  await open(page);
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#raw")]);
  equal(download.suggestedFilename(), `greedy--${game.roundId}.json`, "file name");
});

test("a_phone_shows_the_viewer_in_the_light_theme", async (page) => {
  await open(page, `#m=${long + 1}`);
  claim(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), "the page does not scroll sideways");
  await page.screenshot({ path: `${screens}/viewer-phone-light.png`, fullPage: true });
}, { viewport: { width: 390, height: 800 }, scheme: "light" });

await run();
