// What goes wrong around the pages: addresses that mean nothing, a server that is away, full or slow, stores with nothing or very much in them.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, run, equal, claim, server, api, until, demoBoard, account, accessible, ownServer } from "./harness.mjs";

const board = await demoBoard();
const stamp = Date.now().toString(36);
const example = readFileSync(new URL("../../static/policy.py", import.meta.url), "utf8");
const game = board.games.find((g) => g.policyId === "greedy");
const { body: replay } = await api(`/games/${game.id}/replay`);

const away = (page, pattern) => page.route(pattern, (route) => route.abort("connectionrefused"));
const busy = (page, pattern) => page.route(pattern, (route) => route.fulfill({ status: 503, contentType: "application/problem+json", body: '{"title":"Busy","detail":"come back soon","code":"busy"}' }));
const said = (page, selector, words) => until(`"${words}" in ${selector}`, 30, async () => (await page.textContent(selector)).includes(words));
/** The page is looked at again: it asks at once, as it does every few seconds. */
const lookAgain = (page) => page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
const trial = async (page, options, body) => {
  const data = mkdtempSync(join(tmpdir(), "drop7-pages-"));
  let own = null;
  try {
    own = await ownServer(data, options);
    await body(own, data);
  } finally {
    await own?.stop();
    await page.goto("about:blank");
    rmSync(data, { recursive: true, force: true });
  }
};

/* --- addresses ------------------------------------------------------------------------------ */

test("a_permalink_to_no_move_opens_the_nearest_or_the_first", async (page) => {
  for (const [hash, k] of [["#m=99999", replay.frames.length], ["#m=abc", 0], ["#m=-3", 0], ["#m=", 0], ["#m=1e3", 0], ["#%", 0], ["#m=123456789", 0]]) {
    await page.goto("about:blank");
    await page.goto(`${server}/games/${game.id}${hash}`);
    await page.waitForSelector("#game:not([hidden])");
    equal(await page.textContent("#move"), `${k} / ${replay.frames.length}`, hash);
  }
});

test("addresses_with_nonsense_in_them_open_their_page", async (page) => {
  for (const [path, ready] of [
    ["/leaderboard?suite=none&reference=none&kind=none&family=%22%3E%3Cimg%3E&sort=-none&find=%3Cb%3E", "#table *"],
    ["/play?seed=zzz&round=&from=&m=x", "#game:not([hidden])"],
    ["/compare?a=&b=&suite=none", "#result .notice"],
    ["/docs#nothing", "#schemas"],
  ]) {
    await page.goto(`${server}${path}`);
    await page.waitForSelector(ready);
    equal(await page.locator("main img").count(), 0, `no element made from ${path}`);
  }
}, { expectErrors: true });

test("back_and_forward_find_what_was_chosen", async (page) => {
  await page.goto(`${server}/leaderboard`);
  await page.waitForSelector("#field-chart svg");
  await page.selectOption("#family", "tree-search");
  await page.fill("#find", "mcts");
  const rows = await page.locator("#table tbody tr").count();
  await page.locator("#table td.round a").first().click();
  await page.waitForSelector("#heights .area");
  await page.click("#moves summary");
  await page.locator("#moves a").nth(4).click();
  await until("move 5", 20, async () => (await page.textContent("#move")).startsWith("5 "));
  await page.locator("#moves a").nth(8).click();
  await until("move 9", 20, async () => (await page.textContent("#move")).startsWith("9 "));
  await page.goBack();
  await until("back at move 5", 20, async () => (await page.textContent("#move")).startsWith("5 "));
  await page.goForward();
  await until("and at move 9", 20, async () => (await page.textContent("#move")).startsWith("9 "));
  for (let i = 0; i < 4 && !page.url().includes("/leaderboard"); i++) await page.goBack();
  await page.waitForSelector("#table tbody tr");
  equal(await page.locator("#table tbody tr").count(), rows, "the filters are as they were");
  equal(await page.inputValue("#find"), "mcts", "and can be seen");
});

/* --- a server that is away or busy ---------------------------------------------------------- */

test("a_leaderboard_that_comes_late_is_as_complete_as_any", async (page) => {
  await busy(page, "**/api/v1/**");
  await page.goto(`${server}/leaderboard`);
  await said(page, "#table", "come back soon");
  await accessible(page);
  await page.unroute("**/api/v1/**");
  await lookAgain(page);
  await page.waitForSelector("#field-chart svg");
  await page.waitForSelector("#hero:not([hidden])");
  claim((await page.locator("#suite option").count()) > 0, "the suites too");
}, { expectErrors: true });

for (const [path, ready] of [["/leaderboard", "#field-chart svg"], ["/policies/greedy", "#decision svg"]]) {
  test(`what_${path.split("/")[1]}_shows_stays_while_the_server_is_away_and_is_said_to_be_old`, async (page) => {
    await page.goto(`${server}${path}`);
    await page.waitForSelector(ready);
    await away(page, "**/api/v1/**");
    await lookAgain(page);
    await said(page, "#fresh", "could not be reached");
    claim(await page.locator(ready).first().isVisible(), "the page is still there");
    await accessible(page);
    await page.unroute("**/api/v1/**");
    await lookAgain(page);
    await until("the note to go", 30, async () => !(await page.textContent("#fresh")).includes("reached"));
  }, { expectErrors: "away" });
}

for (const [path, place, ready] of [[`/games/${game.id}`, "#subtitle", "#game:not([hidden])"], ["/compare?a=greedy&b=mcts", "#result", ".verdict"]]) {
  test(`${path.split(/[/?]/)[1]}_offers_to_try_again`, async (page) => {
    await busy(page, "**/api/v1/**");
    await page.goto(`${server}${path}`);
    await said(page, place, "come back soon");
    await page.unroute("**/api/v1/**");
    await page.click(`${place} a:text("Try again")`);
    await page.waitForSelector(ready);
  }, { expectErrors: true });
}

test("a_policy_and_a_run_that_cannot_be_loaded_come_by_themselves", async (page) => {
  const { body: runs } = await api("/runs?policy=greedy");
  for (const [path, ready] of [["/policies/greedy", "#decision svg"], [`/runs/${runs.items[0].id}`, "#content:not([hidden]) li"]]) {
    await busy(page, "**/api/v1/**");
    await page.goto(`${server}${path}`);
    await said(page, "#subtitle", "come back soon");
    await page.unroute("**/api/v1/**");
    await lookAgain(page);
    await page.waitForSelector(ready);
  }
}, { expectErrors: true });

test("a_run_that_is_watched_goes_on_when_the_server_is_back", async (page) => {
  await trial(page, {}, async (own, data) => {
    const token = (await (await fetch(`${own.url}/api/v1/tokens`, { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"name":"Watcher"}' })).json()).token;
    const sent = await fetch(`${own.url}/api/v1/policies`, { method: "POST", headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` }, body: JSON.stringify({ id: "watched", name: "Watched", family: "", description: "", endpoint: "tcp://192.0.2.1:7001" }) });
    equal(sent.status, 201, "registered");
    const { latestRunId } = await sent.json();
    await page.goto(`${own.url}/runs/${latestRunId}`);
    await page.waitForSelector("#content:not([hidden]) li");
    await own.stop();
    // the browser tries a lost stream again; one that a stopping server refused gives way to asking
    const lost = async () => /being tried again|asked for again/.test(await page.textContent("#line"));
    await until("the page to say that it is cut off", 30, lost);
    const back = await ownServer(data, { port: own.port });
    try {
      await until("the page to follow again", 60, async () => !(await lost()));
      const cancelled = await fetch(`${back.url}/api/v1/runs/${latestRunId}`, { method: "DELETE", headers: { Authorization: `Bearer ${token}` } });
      claim(cancelled.ok, `the run is cancelled (${cancelled.status})`);
      await until("the page to say so", 60, async () => (await page.textContent("#status")) === "cancelled");
      equal(await page.locator('#rounds li:has-text("waiting"), #rounds li:has-text("being played")').count(), 0, "cells that wait for ever");
      await accessible(page);
    } finally {
      await back.stop();
    }
  });
}, { expectErrors: "away" });

test("slow_answers_are_waited_for_and_not_asked_for_again", async (page) => {
  let asked = 0;
  let answer = null;
  const answered = new Promise((done) => (answer = done));
  await page.route("**/api/v1/leaderboard*", async (route) => {
    asked++;
    await answered;
    await route.continue();
  });
  await page.goto(`${server}/leaderboard`);
  await until("the question", 20, () => asked > 0);
  claim((await page.textContent("#table")).includes("Loading"), "it says that it is loading");
  for (let i = 0; i < 5; i++) await lookAgain(page);
  const most = asked;
  answer();
  await page.waitForSelector("#field-chart svg");
  claim(most <= 2, `${most} questions for one answer`);
});

/* --- refusals ------------------------------------------------------------------------------- */

async function fill(page, token) {
  await page.goto(`${server}/submit`);
  await page.fill("#token", token);
  await page.fill("#id", `refused-${stamp}`);
  await page.fill("#name", "Refused");
  await page.setInputFiles("#policy", { name: "p.py", mimeType: "text/x-python", buffer: Buffer.from(example) });
  await page.click("#send");
}

test("a_token_that_has_been_revoked_is_said_beside_its_field", async (page) => {
  await fill(page, `d7_${"1".repeat(64)}`);
  await until("words beside the token", 30, async () => Boolean(await page.textContent("#token-wrong")));
  equal(await page.inputValue("#name"), "Refused", "what was filled in stays");
  await accessible(page);
}, { expectErrors: true });

test("too_many_writes_are_told_with_when_to_come_back", async (page) => {
  await page.route("**/api/v1/policies", (route) => route.fulfill({ status: 429, headers: { "Retry-After": "7" }, contentType: "application/problem+json", body: '{"title":"Too many requests","detail":"too many writes: again in 7 s","code":"rate"}' }));
  await fill(page, await account(`Quick ${stamp}`));
  await said(page, "#wrong", "again in 7 s");
  equal(await page.inputValue("#name"), "Refused", "what was filled in stays");
  claim(await page.locator("#send").isEnabled(), "and can be sent again");
}, { expectErrors: true });

test("an_upload_without_a_server_keeps_the_form", async (page) => {
  const token = await account(`Lonely ${stamp}`);
  await away(page, "**/api/v1/policies");
  await fill(page, token);
  await said(page, "#wrong", "could not be reached");
  equal(await page.inputValue("#name"), "Refused", "what was filled in stays");
  claim(await page.locator("#send").isEnabled(), "and can be sent again");
}, { expectErrors: "away" });

test("a_ranked_move_without_a_server_is_not_taken_and_can_be_made_again", async (page) => {
  await page.goto(`${server}/play?round=gauntlet-04`);
  await until("the round", 30, async () => (await page.textContent("#title")).includes("Gauntlet 04"));
  await away(page, "**/api/v1/plays/**");
  await page.keyboard.press("4");
  await said(page, "#status", "not taken");
  equal(await page.textContent("#move"), "0", "no move");
  await page.unroute("**/api/v1/plays/**");
  await page.keyboard.press("4");
  await until("the move", 30, async () => (await page.textContent("#move")) === "1");
}, { expectErrors: "away" });

/* --- nothing, little and much --------------------------------------------------------------- */

test("an_empty_store_has_pages_that_say_so", async (page) => {
  await trial(page, {}, async (own) => {
    for (const [path, place, words] of [["/leaderboard", "#table", "No games yet"], ["/compare", "#result", "Choose two policies"], ["/play", "#status", ""], ["/submit", "main", "Submit"], ["/rules", "main", "rules"]]) {
      await page.goto(`${own.url}${path}`);
      await said(page, place, words);
      await accessible(page);
      claim(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), `nothing sticks out of ${path}`);
    }
  });
});

/** The board with other policies in place of its own. */
function boardOf(count) {
  const [first] = board.summaries;
  const own = board.games.filter((g) => g.policyId === first.policyId);
  const ids = Array.from({ length: count }, (_, i) => `policy-${i}`);
  return {
    ...board,
    reference: ids[0],
    policies: ids.map((id, i) => ({ ...board.policies[0], id, name: `Policy number ${i}`, family: `family-${i % 9}` })),
    summaries: ids.map((id, i) => ({ ...first, policyId: id, rank: i + 1, rankCi95: [i + 1, i + 1], paired: i ? first.paired : null })),
    games: ids.flatMap((id) => own.map((g) => ({ ...g, policyId: id }))),
  };
}

for (const count of [1, 400]) {
  test(`a_board_of_${count}_is_drawn_and_filtered`, async (page) => {
    await page.route("**/api/v1/leaderboard*", (route) => route.fulfill({ json: boardOf(count) }));
    await page.goto(`${server}/leaderboard`);
    await page.waitForSelector("#field-chart svg");
    await page.waitForSelector("#hero:not([hidden])");
    equal(await page.locator("#table tbody tr").count(), count, "rows");
    claim(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), "nothing sticks out");
    await page.fill("#find", `number ${count - 1}`);
    equal(await page.locator("#table tbody tr").count(), 1, "rows after filtering");
    await page.fill("#find", "nobody at all");
    claim((await page.textContent("#table tbody")).includes("No policy matches"), "and when there are none");
    equal(await page.locator("#table tbody tr").count(), 1, "one line says so");
    if (count === 1) await accessible(page);
  });
}

await run();
