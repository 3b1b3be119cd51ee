// The play page: a free game in the browser's engine, a replay played on, a ranked round where the server has plays.
import { test, run, equal, claim, server, api, until } from "./harness.mjs";

const screens = process.env.SCREENS;
const PHONE = { width: 390, height: 800 };
const SEED = "0x5eed0001"; // the discs of Gauntlet 01
const hasPlays = (await api("/plays", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" })).status !== 404;

const board = await until("a finished game", 120, async () => {
  const { body } = await api("/leaderboard");
  return body?.games?.length ? body : null;
});
const game = board.games[0];
const { body: replay } = await api(`/games/${game.id}/replay`);

const shown = (number) => number.toLocaleString("en-US");
const open = async (page, query = `?seed=${SEED}`) => {
  await page.goto(`${server}/play${query}`);
  await page.waitForSelector("#game:not([hidden])");
};
const over = async (page, column) => {
  const box = await page.locator("#board").boundingBox();
  return [box.x + (box.width * (column + 0.5)) / 7, box.y + box.height / 2];
};

test("digits_drop_discs_and_undo_takes_them_back", async (page) => {
  await open(page);
  equal(await page.locator("#board .disc").count(), 8, "the opening's seven discs and the one in hand");
  await page.keyboard.press("4");
  equal(await page.textContent("#move"), "1", "one move");
  await page.keyboard.press("4");
  equal(await page.textContent("#move"), "2", "two moves");
  claim((await page.locator("#strip .tile").count()) > 0, "the move is on the filmstrip");
  await page.keyboard.press("u");
  await page.click("#undo");
  equal(await page.textContent("#move"), "0", "back at the start");
  equal(await page.locator("#board .disc").count(), 8, "and so is the board");
  claim(await page.locator("#undo").isDisabled(), "nothing left to take back");
});

test("arrows_walk_the_columns_and_space_drops_there", async (page) => {
  await open(page);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  const label = await page.evaluate(() => document.activeElement.getAttribute("aria-label"));
  claim(/^Column 5: lands at height 2/.test(label), `a column says what would happen (${label})`);
  equal(await page.locator("#board .ghost").count(), 1, "the disc where it would land");
  await page.keyboard.press("Space");
  equal(await page.textContent("#move"), "1", "one move");
  claim((await page.textContent("#status")).length > 0, "the move is announced");
});

test("the_pointer_shows_what_clears_and_a_click_drops", async (page) => {
  await open(page);
  let rings = 0;
  for (let move = 0; move < 12 && !rings; move++) {
    for (let column = 0; column < 7 && !rings; column++) {
      await page.mouse.move(...(await over(page, column)));
      rings = await page.locator("#board .ring").count();
    }
    if (!rings) await page.keyboard.press(String((move % 7) + 1));
  }
  claim(rings > 0, "some drop within the first moves clears discs, and they are ringed before");
  const promised = Number(/\+([\d,]+)/.exec(await page.textContent("#look"))[1].replaceAll(",", ""));
  await page.screenshot({ path: `${screens}/play-dark.png`, fullPage: true });
  await page.mouse.down();
  await page.mouse.up();
  const got = Number((await page.textContent("#delta")).replace(/[+,]/g, ""));
  claim(got >= promised, `it brings what was promised (${promised}, then ${got})`);
  claim((await page.locator("#strip .tile").count()) > 0, "the waves are on the filmstrip");
});

test("the_same_seed_brings_the_same_discs_as_the_gauntlet", async (page) => {
  const columns = replay.frames.slice(0, 40).map((frame) => frame.column + 1);
  await open(page, `?seed=${replay.round.generatorSeedHex}`);
  for (const column of columns) await page.keyboard.press(String(column));
  equal(await page.textContent("#score"), shown(replay.frames[columns.length - 1].score), "score");
});

test("a_finished_free_game_says_so_and_can_be_begun_again", async (page) => {
  await open(page);
  for (let i = 0; i < 200 && (await page.locator("#end").isHidden()); i++) await page.keyboard.press(String((i % 3) + 3));
  for (let i = 0; i < 200 && (await page.locator("#end").isHidden()); i++) await page.keyboard.press(String((i % 7) + 1));
  claim(await page.locator("#end").isVisible(), "the game ends");
  claim(await page.locator("#submit").isHidden(), "a free game is not submitted");
  await page.screenshot({ path: `${screens}/play-over-dark.png`, fullPage: true });
  await page.click("#again");
  equal(await page.textContent("#move"), "0", "the same discs from the start");
  claim(page.url().endsWith(SEED), "the same seed");
  await page.click("#fresh");
  claim(!page.url().endsWith(SEED), "another seed");
});

test("greedy_marks_the_column_it_would_play", async (page) => {
  const greedy = board.policies.find((p) => p.id === "greedy");
  claim(greedy, "greedy is benched");
  const { body } = await api(`/games/${board.games.find((g) => g.policyId === "greedy").id}/replay`);
  await open(page, `?seed=${body.round.generatorSeedHex}`);
  await page.click("#greedy");
  for (const frame of body.frames.slice(0, 15)) {
    const x = Number(await page.getAttribute("#board .column-hint", "x"));
    equal(Math.floor(x / 10), frame.column, `column of move ${frame.move}`);
    await page.keyboard.press(String(frame.column + 1));
  }
});

test("a_replay_is_played_on_with_its_own_discs", async (page) => {
  const m = Math.min(12, replay.frames.length - 2);
  await open(page, `?from=${game.id}&m=${m}`);
  equal(await page.textContent("#score"), shown(replay.frames[m - 1].score), "score of the position");
  claim(await page.locator("#undo").isDisabled(), "the policy's moves stay");
  await page.keyboard.press(String(replay.frames[m].column + 1));
  equal(await page.textContent("#score"), shown(replay.frames[m].score), "the next disc and the hidden numbers are the recorded ones");
});

test("a_phone_plays_by_touch_in_the_light_theme", async (page) => {
  await open(page);
  claim(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), "the page does not scroll sideways");
  await page.mouse.click(...(await over(page, 1)));
  await page.locator("#columns button").nth(2).click();
  equal(await page.textContent("#move"), "2", "two moves");
  await page.screenshot({ path: `${screens}/play-phone-light.png`, fullPage: true });
}, { viewport: PHONE, scheme: "light" });

test("waves_are_animated_and_a_quick_player_need_not_wait", async (page) => {
  await open(page);
  for (let i = 0; i < 20; i++) await page.keyboard.press(String((i % 7) + 1));
  const moves = Number(await page.textContent("#move"));
  claim(moves >= 14, `moves do not wait for pictures (${moves})`);
  await until("the picture to settle", 5, async () => (await page.locator("#board .disc.gone").count()) === 0);
}, { motion: "no-preference" });

if (hasPlays) {
  test("a_ranked_round_is_played_submitted_and_opens_as_a_replay", async (page) => {
    await open(page, "?round=gauntlet-01");
    await until("the round", 10, async () => page.url().endsWith("round=gauntlet-01"));
    claim(await page.locator("#undo").isHidden(), "no undo in a ranked game");
    await page.keyboard.press("4");
    await until("the first move", 10, async () => (await page.textContent("#move")) === "1");
    await page.reload();
    await until("the game to go on", 10, async () => (await page.textContent("#move")) === "1");
    for (let i = 1; i < 200 && (await page.locator("#end").isHidden()); i++) {
      const column = await page.locator('#columns button[aria-disabled="false"]').nth(i % 2).textContent();
      await page.keyboard.press(column);
      await until(`move ${i + 1}`, 10, async () => (await page.textContent("#move")) === String(i + 1) || (await page.locator("#end").isVisible()));
      await page.waitForTimeout(60); // 20 moves a second are let through
    }
    await page.fill("#name", "<b>Ada</b>");
    await page.screenshot({ path: `${screens}/play-ranked-dark.png`, fullPage: true });
    const level = await page.textContent("#level");
    await page.click("#send");
    await page.click("#replay a");
    await page.waitForSelector("#game:not([hidden])");
    claim(new URL(page.url()).pathname.startsWith("/games/"), "the game has a replay");
    equal(await page.textContent("#title"), "<b>Ada</b> on Gauntlet 01", "its player's name, as text");
    await page.keyboard.press("End");
    equal(await page.textContent("#level"), level, "level at the end");
  });
} else {
  test("a_server_without_plays_gives_a_free_game_instead", async (page) => {
    await open(page, "?round=gauntlet-01");
    claim((await page.textContent("#status")).includes("no ranked play"), "it is said");
    equal(await page.locator("#which option").count(), 1, "only the free game is offered");
    await page.keyboard.press("1");
    equal(await page.textContent("#move"), "1", "and can be played");
  }, { expectErrors: true });
}

await run();
