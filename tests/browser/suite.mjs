// A suite beside the default one: its own board, its own people, its own game on top; and the way back.
import { execFileSync } from "node:child_process";
import { test, run, equal, claim, server, api, until, demoBoard, playedBy } from "./harness.mjs";

const board = await demoBoard();
const stamp = Date.now().toString(36);
const shown = (number) => number.toLocaleString("en-US");
const admin = /d7_[0-9a-f]{64}/.exec(execFileSync(`${process.env.BIN}/drop7d`, ["token", "create", `Admin ${stamp}`, "--admin", "--data", process.env.DATA], { encoding: "utf8" }))[0];

const PAIR = ["gauntlet-02", "gauntlet-03"];
const OTHER = ["gauntlet-05"];
const suiteOf = (name) => `${name}-${stamp}`;
for (const [name, rounds] of [["pair", PAIR], ["other", OTHER]]) {
  const { status, body } = await api("/suites", { method: "POST", headers: { "Content-Type": "application/json", Authorization: `Bearer ${admin}` }, body: JSON.stringify({ id: suiteOf(name), name: `Suite ${name} ${stamp}`, rounds }) });
  equal(status, 201, JSON.stringify(body));
}
const player = `Player ${stamp}`;
await playedBy(player, PAIR[0]);

const open = async (page, name) => {
  await page.goto(`${server}/leaderboard?suite=${suiteOf(name)}`);
  await page.waitForSelector("#hero:not([hidden])");
};
const heads = (page) => page.locator("#table thead th").evaluateAll((all) => all.map((th) => th.dataset.key).filter((key) => key?.startsWith("gauntlet")));

for (const [name, rounds] of [["pair", PAIR], ["other", OTHER]]) {
  test(`the_suite_${name}_has_its_own_rounds_people_and_game_on_top`, async (page) => {
    await open(page, name);
    equal((await heads(page)).join(), rounds.join(), "a column a round");
    const best = Math.max(...board.games.filter((g) => rounds.includes(g.roundId)).map((g) => g.score));
    claim((await page.textContent("#hero")).includes(shown(best)), `the best game of its rounds: ${await page.textContent("#hero")}`);
    equal((await page.textContent("main")).includes(player), name === "pair", "who played one of its rounds by hand");
    equal(new URL(await page.getAttribute("#csv", "href"), server).searchParams.get("suite"), suiteOf(name), "the suite of the CSV");
  });
}

test("a_suite_is_left_and_found_again", async (page) => {
  await open(page, "pair");
  await page.selectOption("#suite", board.suite);
  await until("the default suite", 20, async () => (await heads(page)).length === board.rounds.length);
  await page.selectOption("#suite", suiteOf("pair"));
  await until("the pair again, though nothing has changed in it", 20, async () => (await heads(page)).join() === PAIR.join());
  await page.reload();
  await page.waitForSelector("#hero:not([hidden])");
  equal((await heads(page)).join(), PAIR.join(), "the address keeps it");
});

test("two_policies_are_compared_on_the_suite_they_were_ticked_in", async (page) => {
  await open(page, "pair");
  const boxes = page.locator("#table input[type=checkbox]");
  await boxes.nth(0).check();
  await boxes.nth(1).check();
  await page.click("#versus");
  await page.waitForSelector("#race svg");
  equal(new URL(page.url()).searchParams.get("suite"), suiteOf("pair"), "the suite goes along");
  equal(await page.locator("#result .scroll:not(.narrow) tbody tr").count(), PAIR.length, "a row a round");
  claim((await page.textContent(".verdict")).includes("under five rounds"), "two rounds say little");
});

await run();
