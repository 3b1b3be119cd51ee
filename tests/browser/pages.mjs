// The pages against a real server with the demo benched.
import { execFileSync } from "node:child_process";
import { test, run, equal, claim, server, api, until, demoBoard } from "./harness.mjs";

const screens = process.env.SCREENS;
const PHONE = { width: 390, height: 800 };

const board = await demoBoard();
const best = board.summaries[0];
const game = board.games.find((g) => g.policyId === best.policyId && g.roundId === board.rounds[0].id);
const { body: replay } = await api(`/games/${game.id}/replay`);

const shown = (number) => number.toLocaleString("en-US");
const noSideways = async (page) => claim(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), "the page does not scroll sideways");

test("leaderboard_lists_every_policy_in_rank_order", async (page) => {
  await page.goto(`${server}/`);
  await page.waitForSelector("table.board tbody tr");
  equal(await page.locator("#table tbody tr").count(), board.summaries.length, "rows");
  equal((await page.locator("#table tbody tr .id").first().textContent()).split(" ")[0], best.policyId, "first row");
  await page.screenshot({ path: `${screens}/leaderboard-dark.png`, fullPage: true });
});

test("leaderboard_sorts_by_a_round_and_filters_by_text", async (page) => {
  await page.goto(`${server}/leaderboard`);
  await page.waitForSelector("table.board tbody tr");
  const round = board.rounds[1];
  await page.locator(`th[data-key="${round.id}"] button`).click();
  const scores = board.games.filter((g) => g.roundId === round.id).map((g) => g.score).sort((a, b) => b - a);
  equal(await page.locator("#table tbody tr").first().locator("td.round").nth(1).textContent(), shown(scores[0]), "highest of the round first");
  await page.fill("#find", best.policyId);
  equal(await page.locator("#table tbody tr").count(), 1, "rows after filtering");
});

test("a_cell_opens_its_replay", async (page) => {
  await page.goto(`${server}/leaderboard`);
  await page.locator(`a[href="/games/${game.id}"]`).click();
  await page.waitForSelector("#game:not([hidden])");
  equal(new URL(page.url()).pathname, `/games/${game.id}`, "address");
  claim((await page.title()).includes(shown(game.score)), "the title has the score");
});

test("arrow_keys_and_buttons_step_through_the_record", async (page) => {
  await page.goto(`${server}/games/${game.id}`);
  await page.waitForSelector("#game:not([hidden])");
  equal(await page.locator("#board .disc").count(), 8, "the opening's seven discs and the one held");
  await page.keyboard.press("ArrowRight");
  await page.click("#forward");
  equal(await page.textContent("#score"), shown(replay.frames[1].score), "score after two moves");
  await page.keyboard.press("ArrowLeft");
  equal(await page.textContent("#move"), `1 / ${replay.frames.length}`, "one back");
  await page.keyboard.press("End");
  equal(await page.textContent("#score"), shown(game.score), "final score");
  const left = [...replay.frames.at(-1).board].filter((c) => c !== "0").length;
  equal(await page.locator("#board .disc").count(), left, "discs of the last board");
  claim(await page.locator("#forward").isDisabled(), "no move after the last");
  await page.keyboard.press("Home");
  equal(await page.textContent("#score"), "0", "back at the opening");
  await page.screenshot({ path: `${screens}/game-dark.png`, fullPage: true });
});

test("a_permalink_opens_its_move", async (page) => {
  const k = Math.min(20, replay.frames.length);
  await page.goto(`${server}/games/${game.id}#m=${k}`);
  await page.waitForSelector("#game:not([hidden])");
  equal(await page.textContent("#move"), `${k} / ${replay.frames.length}`, "move");
  equal(await page.textContent("#score"), shown(replay.frames[k - 1].score), "score");
});

test("playing_shows_each_wave_and_can_be_paused", async (page) => {
  await page.goto(`${server}/games/${game.id}`);
  await page.waitForSelector("#game:not([hidden])");
  await page.selectOption("#speed", "0.35");
  await page.click("#play");
  await until("three moves", 20, async () => Number((await page.textContent("#move")).split(" ")[0]) >= 3);
  await page.click("#play");
  const stopped = await page.textContent("#move");
  await page.waitForTimeout(600);
  equal(await page.textContent("#move"), stopped, "paused");
}, { motion: "no-preference" });

test("phone_and_light_theme_fit", async (page) => {
  await page.goto(`${server}/leaderboard`);
  await page.waitForSelector("table.board tbody tr");
  await noSideways(page);
  await page.screenshot({ path: `${screens}/leaderboard-phone-light.png` });
  await page.goto(`${server}/games/${game.id}#m=15`);
  await page.waitForSelector("#game:not([hidden])");
  await noSideways(page);
  await page.screenshot({ path: `${screens}/game-phone-light.png`, fullPage: true });
}, { viewport: PHONE, scheme: "light" });

test("docs_show_every_operation_and_are_where_problems_point", async (page) => {
  const { body: document } = await api("/openapi.json");
  const { body: problem } = await api("/games/none");
  await page.goto(`${server}${problem.type}`);
  await page.waitForSelector(".docs section");
  const operations = Object.values(document.paths).reduce((sum, methods) => sum + Object.keys(methods).length, 0);
  equal(await page.locator("section[id^='op-']").count(), operations, "operations");
  equal(await page.locator("section:target h4").textContent(), "404not-found", "the section the problem points at");
  const top = await page.locator("section:target").evaluate((section) => section.getBoundingClientRect().top);
  claim(top >= 0 && top < 800, "it is in sight");
  equal(await page.evaluate(() => [...document.querySelectorAll(".docs a[href^='#']")].filter((a) => !document.getElementById(a.hash.slice(1))).length), 0, "links to nothing");
  await page.goto(`${server}/docs`);
  await page.waitForSelector(".docs section");
  await page.screenshot({ path: `${screens}/docs-dark.png` });
});

test("the_session_of_the_docs_can_be_pasted", async (page) => {
  await page.goto(`${server}/docs`);
  const asked = await page.textContent("#ask-greedy");
  claim(asked.startsWith("build/drop7 "), "it starts a program of the build");
  const said = execFileSync("bash", ["-c", asked.replace("build/drop7", `${process.env.BIN}/drop7`)], { encoding: "utf8" });
  equal(said.trim(), (await page.textContent("#greedy-says")).trim(), "what it answers");
  for (const link of await page.locator(".index a").all()) {
    const target = (await link.getAttribute("href")).slice(1);
    claim(await page.evaluate((id) => Boolean(document.getElementById(id)), target), `#${target} is on the page`);
  }
});

test("docs_fit_on_a_phone", async (page) => {
  await page.goto(`${server}/docs`);
  await page.waitForSelector(".docs section");
  await noSideways(page);
  await page.screenshot({ path: `${screens}/docs-phone-light.png` });
}, { viewport: PHONE, scheme: "light" });

test("an_unknown_game_says_so", async (page) => {
  const answer = await page.goto(`${server}/games/nosuchgame`);
  equal(answer.status(), 404, "status");
  claim((await page.textContent("h1")).length > 0, "a page for people");
}, { expectErrors: true });

await run();
