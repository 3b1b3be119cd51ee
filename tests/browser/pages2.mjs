// Leaderboard, policy, compare, run, submit and rules against a real server with the demo benched.
import { test, run, equal, claim, server, api, until, demoBoard } from "./harness.mjs";
import { readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";

const screens = process.env.SCREENS;
const PHONE = { width: 390, height: 800 };

const board = await demoBoard();
const [first, second] = board.summaries;
const shown = (number) => number.toLocaleString("en-US");
const nameOf = (id) => board.policies.find((p) => p.id === id).name;
const example = readFileSync(new URL("../../static/policy.py", import.meta.url), "utf8");
const stamp = Date.now().toString(36);

const shot = (page, name) => page.screenshot({ path: `${screens}/${name}.png`, fullPage: true });
/** What an element says, once it is as it should be. (waitForFunction would need eval, which the pages forbid.) */
const says = (page, id, right, seconds = 20) => until(`#${id}`, seconds, async () => right(await page.evaluate((which) => { const node = document.getElementById(which); return node?.value || node?.textContent || ""; }, id)));
const table = async (page, query = "") => {
  await page.goto(`${server}/leaderboard${query}`);
  await page.waitForSelector("table.board tbody tr");
};
let kept = null; // one account for all: new ones are rationed
const aToken = async () => (kept ??= (await api("/tokens", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ name: `Author ${stamp}` }) })).body.token);
const ids = (page) => page.locator("#table tbody .id").allTextContents().then((all) => all.map((text) => text.split(" ")[0]));

/* --- leaderboard ---------------------------------------------------------------------------- */

test("ranks_and_means_show_their_intervals", async (page) => {
  await table(page);
  const row = page.locator("#table tbody tr").first();
  claim((await row.locator("td.mean").getAttribute("title")).includes(`${shown(Math.round(first.meanScoreCi95[0]))} to ${shown(Math.round(first.meanScoreCi95[1]))}`), "the interval of the mean is told");
  const [bar, range] = [await row.locator(".meanbar i").boundingBox(), await row.locator(".meanbar u").boundingBox()];
  claim(range.x < bar.x + bar.width && range.x + range.width > bar.x + bar.width, "the interval lies across the end of the bar");
  const wide = board.summaries.find((s) => s.rankCi95[0] !== s.rankCi95[1]);
  const ranks = await page.locator("#table td.rank").allTextContents();
  claim(ranks.includes(`${wide.rank}${wide.rankCi95[0]}\u2013${wide.rankCi95[1]}`), `a range beside a rank in ${ranks}`);
});

test("the_best_game_of_each_round_is_marked", async (page) => {
  await table(page);
  const best = board.rounds.map((r) => Math.max(...board.games.filter((g) => g.roundId === r.id).map((g) => g.score)));
  const marked = (await page.locator("td.round.best").allTextContents()).map((text) => Number(text.replaceAll(",", "")));
  equal(JSON.stringify([...new Set(marked)].sort()), JSON.stringify([...new Set(best)].sort()), "marked scores");
});

test("any_column_sorts_with_the_keyboard_and_the_address_keeps_it", async (page) => {
  await table(page);
  const button = page.locator('th[data-key="max"] button');
  await button.focus();
  await page.keyboard.press("Enter");
  const order = [...board.summaries].sort((a, b) => b.maximumScore - a.maximumScore).map((s) => s.policyId);
  equal((await ids(page))[0], order[0], "largest maximum first");
  equal(await page.evaluate(() => document.activeElement.closest("th")?.dataset.key), "max", "the keyboard stays where it was");
  await page.keyboard.press("Enter");
  equal((await ids(page)).at(-1), order[0], "the other way round");
  await page.keyboard.press("Enter");
  await page.reload();
  await page.waitForSelector("table.board tbody tr");
  equal(await page.locator('th[data-key="max"]').getAttribute("aria-sort"), "descending", "sorted again after reloading");
});

test("filters_and_reference_go_into_the_data_links", async (page) => {
  await table(page);
  const family = board.policies.find((p) => p.family === "tree-search") ? "tree-search" : board.policies[0].family;
  await page.selectOption("#family", family);
  equal((await ids(page)).length, board.policies.filter((p) => p.family === family).length, "rows of the family");
  await page.selectOption("#reference", "greedy");
  await page.selectOption("#family", "");
  await until("the row of the reference", 10, async () => (await page.locator("#table tbody tr", { hasText: "greedy \u00b7" }).textContent()).includes("ref."));
  await page.selectOption("#family", family);
  const link = new URL(await page.locator("#csv").getAttribute("href"), server);
  equal(link.searchParams.get("reference"), "greedy", "reference of the CSV");
  const csv = await (await fetch(link)).text();
  equal(csv.trim().split("\r\n").length - 1, (await ids(page)).length, "lines of the CSV as rows on the page");
});

test("the_field_is_drawn_after_the_table_and_follows_its_filters", async (page) => {
  await table(page);
  await page.waitForSelector("#field-chart svg");
  const names = () => page.locator("#field-chart svg a").evaluateAll((all) => all.map((a) => decodeURIComponent(a.getAttribute("href").split("/").pop())));
  equal((await names()).join(), (await ids(page)).join(), "a row each, in the same order");
  equal(await page.locator("#field-chart circle.field").count(), board.games.length, "a dot a game");
  await page.selectOption("#family", "tree-search");
  equal((await names()).join(), (await ids(page)).join(), "the rows of the family");
  await page.click("#field-chart summary");
  claim((await page.textContent("#field-chart tbody")).includes(shown(Math.round(board.summaries.find((s) => s.policyId === "mcts").meanScore))), "the numbers are in its table");
});

test("two_ticks_lead_to_their_comparison", async (page) => {
  await table(page);
  await page.getByLabel(`Compare ${nameOf(first.policyId)}`, { exact: true }).check();
  equal(await page.locator("#versus").getAttribute("href"), null, "one is not enough");
  await page.getByLabel(`Compare ${nameOf(second.policyId)}`, { exact: true }).check();
  await page.click("#versus");
  await page.waitForSelector(".verdict");
  equal(new URL(page.url()).search, `?a=${first.policyId}&b=${second.policyId}`, "address");
});

test("a_board_that_cannot_be_loaded_says_so", async (page) => {
  await page.route("**/api/v1/leaderboard*", (route) => route.fulfill({ status: 503, contentType: "application/problem+json", body: '{"title":"Busy","detail":"come back soon","code":"busy"}' }));
  await page.goto(`${server}/leaderboard`);
  await page.waitForSelector("#table .notice.bad");
  claim((await page.textContent("#table")).includes("come back soon"), "the server's words");
}, { expectErrors: true });

test("an_empty_board_invites_and_people_have_their_own_list", async (page) => {
  const game = { ...board.games[0], policyId: null, player: "<i>Ada</i>" };
  const empty = { ...board, policies: [], summaries: [], games: [], human: [game], reference: null };
  await page.route("**/api/v1/leaderboard*", (route) => route.fulfill({ json: empty }));
  await page.goto(`${server}/leaderboard`);
  await says(page, "table", (text) => text.includes("No games yet"));
  claim((await page.textContent("#people")).includes("<i>Ada</i>"), "the player's name as it is");
});

test("the_best_game_plays_only_where_motion_is_welcome", async (page) => {
  await table(page);
  const top = Math.max(...board.games.map((g) => g.score));
  await page.waitForSelector("#hero:not([hidden])");
  claim((await page.textContent("#hero")).includes(shown(top)), "the best score");
  equal(await page.textContent("#hero button"), "Pause", "it plays");
  await until("a move", 20, async () => (await page.textContent("#hero strong")) !== shown(top));
  await page.click("#hero button");
  equal(await page.textContent("#hero button"), "Play", "and stops");
}, { motion: "no-preference" });

test("an_old_best_game_gives_way_to_the_best_recent_one", async (page) => {
  const order = [...board.games].sort((a, b) => b.score - a.score);
  const games = board.games.map((g) => (g.id === order[0].id ? { ...g, createdAt: "2020-01-01T00:00:00.000Z" } : g));
  await page.route("**/api/v1/leaderboard*", (route) => route.fulfill({ json: { ...board, games } }));
  await table(page);
  await page.waitForSelector("#hero:not([hidden])");
  equal(await page.textContent("#hero strong"), shown(order[1].score), "the best of the last days");
});

test("the_leaderboard_is_small_and_quick", async (page) => {
  let bytes = 0;
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  session.on("Network.loadingFinished", (event) => (bytes += event.encodedDataLength));
  await table(page);
  await page.waitForSelector("#hero:not([hidden])");
  claim(bytes > 1000 && bytes < 150 * 1024, `${bytes} bytes are under 150 KB`);
});

/* --- policy --------------------------------------------------------------------------------- */

test("a_policy_shows_its_standing_games_and_method", async (page) => {
  await page.goto(`${server}/policies/mcts`);
  await page.waitForSelector("#games");
  await page.waitForSelector("figure.chart svg");
  const text = await page.textContent("#content");
  const row = board.summaries.find((s) => s.policyId === "mcts");
  claim(text.includes(shown(Math.round(row.meanScore))), "the mean");
  for (const word of ["Select", "Expand", "Play out", "Back up", "cheats"]) claim(text.includes(word), `the method says ${word}`);
  equal(await page.locator("#games a[href^='/games/']").count(), board.games.filter((g) => g.policyId === "mcts").length, "a link for each game");
  equal(await page.locator(".sections:not(#method) > section > figure.chart").count(), 3, "scores, flow and times are drawn");
  await shot(page, "policy-dark");
});

test("every_built_in_policy_has_its_method_in_words", async (page) => {
  for (const policy of board.policies.filter((p) => p.kind === "builtin")) {
    await page.goto(`${server}/policies/${policy.id}`);
    await page.waitForSelector("#games");
    claim((await page.textContent("#content")).includes("How it thinks"), policy.id);
  }
});

test("the_decision_on_a_method_page_is_what_the_engine_says_of_a_real_position", async (page) => {
  const told = await (await fetch(`${server}/static/decisions.json`)).json();
  const taken = board.games.find((g) => g.policyId === told.playedBy && g.roundId === told.roundId);
  const { body: replay } = await api(`/games/${taken.id}/replay`);
  const frame = replay.frames[told.move - 1];
  equal(`${frame.board} ${frame.nextDisc} ${frame.movesRemaining}`, `${told.board} ${told.nextDisc} ${told.movesRemaining}`, "a position of that game");
  for (const id of ["greedy", "mcts", "puct", "fair-d2-s7"]) {
    const now = JSON.parse(execFileSync(`${process.env.BIN}/drop7`, ["decide", "--policy", id, "--json"], { input: `${told.board} ${told.nextDisc} ${told.movesRemaining}\n` }));
    await page.goto(`${server}/policies/${id}`);
    await page.waitForSelector("#decision svg.position");
    const rows = await page.locator("#decision .decision > .scroll tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
    equal(rows.length, now.values.length, `columns of ${id}`);
    now.values.forEach((v, i) => {
      equal(rows[i][0], String(v.column + 1), "column");
      equal(Number(rows[i][1].replaceAll(",", "").replace("\u2212", "-")).toFixed(1), v.value.toFixed(1).replace("-0.0", "0.0"), `value of column ${v.column + 1} for ${id}`);
      if (v.visits) equal(rows[i][2], shown(v.visits), `walks of column ${v.column + 1} for ${id}`);
    });
    equal(await page.locator("#decision tr.picked td").first().textContent(), String(now.column + 1), `the column ${id} plays`);
    claim((await page.textContent("#decision")).includes(`plays column ${now.column + 1}`), "and in words");
    claim((await page.locator(`#decision a[href="/games/${taken.id}#m=${told.move}"]`).count()) === 1, "a link to the game");
  }
});

/** What the server says from now on: a board on which another policy has finished one more game. */
async function anotherGame(page) {
  const other = board.games.find((g) => g.policyId === "mcts");
  const games = [...board.games, { ...other, id: "another", score: other.score + 7 }];
  const summaries = board.summaries.map((s) => (s.policyId === "greedy" ? { ...s, rankCi95: [1, 13] } : s));
  await page.route("**/api/v1/leaderboard*", (route) => route.fulfill({ json: { ...board, games, summaries }, headers: { ETag: '"another"' } }));
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
}

test("a_policy_page_takes_nothing_away_from_its_reader_when_others_finish_games", async (page) => {
  await page.goto(`${server}/policies/greedy`);
  await page.waitForSelector("#decision svg.position");
  await page.locator("figure.chart summary").first().click();
  const link = page.locator("#games a").nth(3);
  await link.focus();
  await page.evaluate(() => {
    document.getElementById("games").scrollLeft = 40;
    document.getElementById("games").mine = "yes"; // what is not drawn anew keeps this
    scrollTo(0, 300);
  });
  const before = await page.evaluate(() => [scrollY, document.getElementById("games").scrollLeft, document.activeElement.getAttribute("href")].join());
  await anotherGame(page);
  await says(page, "standing", (text) => text.includes("1\u201313"));
  equal(await page.evaluate(() => [scrollY, document.getElementById("games").scrollLeft, document.activeElement.getAttribute("href")].join()), before, "scrolled as far, and the keyboard where it was");
  claim(await page.locator("figure.chart details").first().evaluate((node) => node.open), "the table that was opened is open");
  equal(await page.evaluate(() => document.getElementById("games").mine), "yes", "the games, which are the same, are not drawn anew");
}, { viewport: PHONE });

test("the_leaderboard_takes_nothing_away_from_its_reader_when_games_are_finished", async (page) => {
  await table(page);
  await page.waitForSelector("#field-chart svg");
  await page.click("#field-chart summary");
  await page.evaluate(() => (document.querySelector("#table .scroll").scrollLeft = 120));
  await page.locator('#table [data-focus="pick greedy"]').focus();
  await anotherGame(page);
  await until("the new interval", 20, async () => (await page.locator("#table td.rank").allTextContents()).some((text) => text.endsWith("1\u201313")));
  equal(await page.evaluate(() => document.activeElement.dataset.focus), "pick greedy", "the keyboard is where it was");
  equal(await page.evaluate(() => document.querySelector("#table .scroll").scrollLeft), 120, "scrolled as far");
  claim(await page.locator("#field-chart details").evaluate((node) => node.open), "the table that was opened is open");
});

test("a_button_goes_to_the_rounds_of_a_wide_table_and_back", async (page) => {
  await table(page);
  const first = page.locator(`#table th[data-key="${board.rounds[0].id}"]`);
  const places = async () => {
    const [name, round, last] = [await page.locator("#table th.name").boundingBox(), await first.boundingBox(), await page.locator("#table th").last().boundingBox()];
    return { clear: round.x >= name.x + name.width - 1, whole: last.x + last.width <= 1280, name: name.x };
  };
  const before = await places();
  claim(!before.whole, "it is wider than the page");
  await page.click("#sideways");
  await until("the rounds", 20, async () => (await places()).whole);
  const now = await places();
  claim(now.clear, "the first round is beside the names");
  claim(Math.abs(now.name - before.name) < 1, `the names stay where they were (${before.name}, then ${now.name})`);
  equal(await page.textContent("#sideways"), "\u2190 Figures", "the way back");
  await page.click("#sideways");
  await until("the figures", 20, async () => !(await places()).whole);
});

test("best_and_worst_game_of_a_policy_open_their_replays", async (page) => {
  await page.goto(`${server}/policies/greedy`);
  await page.waitForSelector("#games");
  const own = board.games.filter((g) => g.policyId === "greedy").sort((a, b) => b.score - a.score);
  for (const game of [own[0], own.at(-1)]) claim((await page.locator(`#content p a[href="/games/${game.id}"]`).count()) > 0, `a link to the game with ${game.score}`);
});

/* --- compare -------------------------------------------------------------------------------- */

test("a_comparison_says_what_the_interval_means", async (page) => {
  for (const other of [second, board.summaries.at(-1)]) {
    await page.goto(`${server}/compare?a=${first.policyId}&b=${other.policyId}`);
    await page.waitForSelector(".verdict");
    const { body } = await api(`/compare?a=${first.policyId}&b=${other.policyId}`);
    const [low, high] = body.paired.deltaCi95;
    const text = await page.textContent(".verdict");
    equal(text.includes("cannot separate"), low <= 0 && high >= 0, `"${text}" for ${low} to ${high}`);
    equal(await page.locator("#result .scroll:not(.narrow) tbody tr").count(), body.rounds.length, "a row a round");
  }
  await shot(page, "compare-dark");
});

test("two_replays_start_where_they_part_and_go_in_step", async (page) => {
  await page.goto(`${server}/compare?a=expectimax-d2&b=greedy`);
  await page.waitForSelector("#side:not([hidden])");
  const round = board.rounds[0].id;
  const [a, b] = await Promise.all(["expectimax-d2", "greedy"].map(async (id) => (await api(`/policies/${id}/rounds/${round}/replay`)).body));
  let k = 0;
  while (a.frames[k] && b.frames[k] && a.frames[k].column === b.frames[k].column) k++;
  claim((await page.textContent("#parting")).includes(`move ${k + 1}`), "the move where they part");
  claim((await page.textContent("#move")).startsWith(`move ${k} of`), "and that is where they stand");
  await page.keyboard.press("ArrowRight");
  equal((await page.textContent("#score-a")).split(" ")[0], shown(a.frames[k].score), "one move on, left");
  equal((await page.textContent("#score-b")).split(" ")[0], shown(b.frames[k].score), "one move on, right");
  await page.keyboard.press("End");
  equal((await page.textContent("#score-a")).split(" ")[0], shown(a.score), "final score, left");
  equal((await page.textContent("#score-b")).split(" ")[0], shown(b.score), "final score, right");
  await page.keyboard.press("p");
  claim((await page.textContent("#move")).startsWith(`move ${k} of`), "back to the parting");
});

test("comparing_nobody_asks_whom", async (page) => {
  await page.goto(`${server}/compare`);
  await page.waitForSelector("#result .notice");
  await page.selectOption("#a", "greedy");
  await page.selectOption("#b", "mcts");
  await page.waitForURL("**/compare?a=greedy&b=mcts");
  await page.waitForSelector(".verdict");
});

/* --- submit and run ------------------------------------------------------------------------- */

test("the_example_goes_from_the_form_to_a_finished_run", async (page) => {
  const id = `example-${stamp}`;
  await page.goto(`${server}/submit`);
  await says(page, "example", (text) => text.includes("bestmove"));
  equal(await page.textContent("#example"), example, "the example is the file");
  await page.click("#newcomer summary");
  await page.fill("#account", `Newcomer ${stamp}`);
  await page.click("#register");
  await says(page, "token", (text) => text.startsWith("d7_"));
  await page.click("#use");
  await page.fill("#id", id);
  await page.fill("#name", '<b>First</b> "try"');
  await page.fill("#family", "example");
  await shot(page, "submit-dark");
  await page.click("#send");
  await page.waitForURL("**/runs/*", { timeout: 20000 });
  await page.waitForSelector("#content:not([hidden])");
  equal(await page.locator("#rounds li").count(), board.rounds.length, "a cell a round");
  await says(page, "status", (text) => text === "done", 90);
  equal(await page.locator('#rounds li[data-state="done"]').count(), board.rounds.length, "all cells are filled");
  claim((await page.textContent("#title")).includes('<b>First</b> "try"'), "the name as it is");
  equal(await page.locator("#title b").count(), 0, "no element made from it");
  await shot(page, "run-dark");
  await page.goto(`${server}/policies/${id}`);
  await page.waitForSelector("#games");
  const log = page.getByRole("button", { name: "Log" }).first();
  await log.click();
  await says(page, "log", (text) => text.includes("no faults") && text.includes("standard error"));
  await page.getByRole("button", { name: "Log of its check" }).click();
  await says(page, "log", (text) => text.startsWith("Check of revision 1\nready"));
});

test("a_run_without_an_event_stream_is_asked_again", async (page) => {
  const { body } = await api("/runs?policy=greedy");
  const { body: done } = await api(`/runs/${body.items[0].id}`);
  let asked = 0;
  await page.route(`**/api/v1/runs/${done.id}/events`, (route) => route.fulfill({ status: 404, contentType: "application/problem+json", body: "{}" }));
  await page.route(`**/api/v1/runs/${done.id}`, (route) => {
    const states = done.states.map((state) => ({ ...state, state: "queued", gameId: null }));
    const waiting = { ...done, status: "queued", queuePosition: 3, finishedAt: null, games: [], states, progress: { games: states.length, done: 0, playing: 0, moves: 0 } };
    return route.fulfill({ json: asked++ ? done : waiting });
  });
  await page.goto(`${server}/runs/${done.id}`);
  await says(page, "line", (text) => text.includes("number 3 in the queue"));
  await says(page, "status", (text) => text === "done");
  equal(await page.locator('#rounds li[data-state="done"]').count(), done.rounds.length, "all cells are filled");
}, { expectErrors: true });

test("what_is_wrong_with_a_field_stands_beside_it", async (page) => {
  await page.goto(`${server}/submit`);
  await page.click("#send");
  claim((await page.textContent("#token-wrong")).length > 0, "a missing token");
  await page.fill("#token", await aToken());
  await page.fill("#id", "Not An Id");
  await page.fill("#name", "Fields");
  await page.setInputFiles("#policy", { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("no program\n") });
  await page.click("#send");
  await says(page, "id-wrong", Boolean);
  claim((await page.textContent("#id-wrong")).includes("2 to 63"), "the limit of the id");
  claim((await page.textContent("#policy-wrong")).length > 0, "the file is no program");
  equal(await page.evaluate(() => document.activeElement.id), "id", "the first wrong field has the keyboard");
  equal(await page.getAttribute("#id", "aria-invalid"), "true", "marked for readers");
}, { expectErrors: true });

test("a_dropped_file_is_the_program_and_an_endpoint_needs_none", async (page) => {
  await page.goto(`${server}/submit`);
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "My Policy.py"));
    document.getElementById("drop").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, example);
  claim((await page.textContent("#file")).startsWith("My Policy.py"), "the file's name");
  equal(await page.inputValue("#id"), "my-policy", "an id is proposed");
  await page.check('input[value="endpoint"]');
  claim(await page.isHidden("#by-upload"), "no file for an endpoint");
  await page.fill("#token", await aToken());
  await page.fill("#endpoint", "http://example.org");
  await page.click("#send");
  await says(page, "endpoint-wrong", Boolean);
}, { expectErrors: true });

test("faults_of_a_run_are_listed_game_by_game", async (page) => {
  const id = `quitter-${stamp}`;
  const form = new FormData();
  for (const [key, value] of Object.entries({ id, name: "Quitter", family: "example", description: "" })) form.set(key, value);
  form.set("policy", new Blob([example.replace('print("bestmove", best, flush=True)', 'print("bestmove", 9, flush=True)')]), "quitter.py");
  const sent = await fetch(`${server}/api/v1/policies`, { method: "POST", headers: { Authorization: `Bearer ${await aToken()}` }, body: form });
  const policy = await sent.json();
  equal(sent.status, 201, JSON.stringify(policy));
  const done = await until("its run", 90, async () => {
    const { body } = await api(`/runs/${policy.latestRunId}`);
    return ["queued", "playing"].includes(body.status) ? null : body;
  });
  await page.goto(`${server}/runs/${policy.latestRunId}`);
  await page.waitForSelector("#content:not([hidden])");
  equal(await page.textContent("#status"), done.status, "status");
  const faulty = done.games.filter((g) => g.illegalMoves || g.outcome === "forfeit").length;
  equal(await page.locator("#fault-list li").count(), faulty, "a line for each game with faults");
  const { body: now } = await api(`/policies/${id}`);
  if (now.status === "rejected") claim((await page.textContent("#subtitle")).includes("rejected"), "why there are no games");
});

test("unknown_runs_and_policies_are_pages_that_say_so", async (page) => {
  for (const path of ["/runs/none", "/policies/none", "/compare?a=greedy&b=none"]) {
    const answer = await page.goto(`${server}${path}`);
    equal(answer.status(), 404, path);
    claim((await page.textContent("h1")).includes("nothing here"), "a page for people");
  }
}, { expectErrors: true });

/* --- rules ---------------------------------------------------------------------------------- */

test("every_rule_is_played_by_the_engine", async (page) => {
  await page.goto(`${server}/rules`);
  await page.waitForSelector("[data-example='empty'] .film");
  const film = (name) => page.locator(`[data-example="${name}"] .film`).textContent();
  for (const [name, words] of Object.entries({ drop: ["Drop"], column: ["Wave 1", "Gone"], row: ["Wave 1", "cracks"], crack: ["cracks"], reveal: ["opens"], double: ["2 open", "Wave 2"], chain: ["Wave 4", "224 points"], rise: ["Rise"], "rise-chain": ["Wave 1", "Rise", "Wave 2", "Wave 3"], blocked: ["Over"], empty: ["70,000"] })) {
    const text = await film(name);
    for (const word of words) claim(text.includes(word), `${name}: "${word}" in "${text}"`);
  }
  await page.click("#points summary");
  const points = (await page.locator("#points td:last-child").allTextContents()).map((text) => Number(text.replace(",", "")));
  equal(points.join(), "7,39,109,224,391,617,907,1267,1701,2213,2809,3491", "points of the first twelve waves");
  await shot(page, "rules-dark");
});

await run();
