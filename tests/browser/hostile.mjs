// Names that would like to be more than names, on every page that shows one: they stay text, keep to their place and turn nothing around.
import { test, run, equal, claim, server, api, until, demoBoard, playedBy, account } from "./harness.mjs";

await demoBoard();
const stamp = Date.now().toString(36);
const NAMES = {
  markup: '<img src=x onerror="document.title=1"><script>document.title=2</script>',
  turned: "\u202Edrawkcab \u05d0\u05d1\u05d2",
  wide: "\uFF37".repeat(80),
  piled: `Z${"\u0351\u0337\u032A".repeat(26)}`,
  unseen: "\u200B\u2060\u200B",
};
// The server refuses characters that turn the writing around and names without a visible one: pages get them here from a server that would not.
const STAND_INS = { turned: "Stand-in one", unseen: "Stand-in two" };
const PLAYER = '\u05d0\u05d1 <b onclick="alert(1)">Ada</b>';
const json = { "Content-Type": "application/json" };
const SCRIPT = "#!/usr/bin/env python3\nimport sys\nfor l in sys.stdin:\n    w = l.split()\n    if w[:1] == ['d7p']: print('d7pok', flush=True)\n    if w[:1] == ['isready']: print('readyok', flush=True)\n    if w[:1] == ['position']: b = w[2][:7] if w[1] == 'board' else '0' * 7\n    if w[:1] == ['go']: print('bestmove', b.index('0'), flush=True)\n";

const token = await account(`Hostile ${stamp}`);
const idOf = (kind) => `hostile-${kind}-${stamp}`;
for (const [kind, name] of Object.entries(NAMES)) {
  const form = new FormData();
  const texts = STAND_INS[kind] ? [STAND_INS[kind], STAND_INS[kind]] : [name, name.slice(0, 40)];
  for (const [key, value] of Object.entries({ id: idOf(kind), name: texts[0], family: texts[1], description: texts[0] })) form.set(key, value);
  form.set("policy", new Blob([SCRIPT]), "p.py");
  const sent = await fetch(`${server}/api/v1/policies`, { method: "POST", headers: { Authorization: `Bearer ${token}` }, body: form });
  equal(sent.status, 201, `${kind}: ${await sent.text()}`);
}

const byHand = await playedBy(PLAYER);
const board = await until("their games", 150, async () => {
  const { body } = await api("/leaderboard");
  return Object.keys(NAMES).every((kind) => body.summaries.some((s) => s.policyId === idOf(kind) && !s.provisional)) ? body : null;
});

/** The stand-ins' names as a careless server would have them. */
const turn = (page) =>
  page.route(/\/api\/v1\/(leaderboard|policies|runs|games|compare)/, async (route) => {
    if (route.request().url().endsWith("/events")) return route.continue();
    const response = await route.fetch();
    const text = await response.text();
    return route.fulfill({ response, body: Object.entries(STAND_INS).reduce((all, [kind, name]) => all.replaceAll(name, NAMES[kind]), text) });
  });
/** A name without anything to be seen gives way to the id. */
const shownAs = (kind) => (kind === "unseen" ? idOf(kind) : NAMES[kind]);
const fits = async (page, where) => claim(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), `nothing sticks out (${where})`);
const harmless = async (page, where) => {
  equal(await page.locator("main img, main script, main b[onclick]").count(), 0, `elements made from names (${where})`);
  claim(!["1", "2"].includes(await page.title()), `no script of theirs ran (${where})`);
};
/** After a name that turns the writing around, a title goes on from left to right. */
const contained = (title, where) => {
  const turn = title.indexOf("\u202E");
  const open = turn < 0 ? title.indexOf("\u2068") : title.lastIndexOf("\u2068", turn);
  if (/[\u05d0-\u05d2]/.test(title)) claim(open >= 0, `a name of the other direction is kept to itself (${where}: ${JSON.stringify(title)})`);
  claim(turn < 0 || title.indexOf("\u2069", turn) > turn, `the turn ends within the name (${where}: ${JSON.stringify(title)})`);
};

test("the_server_takes_no_name_that_turns_the_writing_around_or_cannot_be_seen", async () => {
  for (const name of ["a\u202Eb", "a\u202Bb", "a\u2067b", NAMES.unseen]) {
    const { status, body } = await api("/policies", { method: "POST", headers: { ...json, Authorization: `Bearer ${token}` }, body: JSON.stringify({ id: `refused-${stamp}`, name, family: "", description: "", remote: true }) });
    equal(status, 400, `status for ${JSON.stringify(name)}`);
    equal(body.errors[0].field, "name", "the field");
  }
});

for (const [size, viewport, scheme] of [["desktop", { width: 1280, height: 900 }, "dark"], ["phone", { width: 390, height: 800 }, "light"]]) {
  const look = { viewport, scheme };

  test(`hostile_names_on_the_leaderboard_of_a_${size}`, async (page) => {
    await turn(page);
    await page.goto(`${server}/leaderboard`);
    await page.waitForSelector("#field-chart svg");
    for (const kind of Object.keys(NAMES)) claim((await page.locator("#table").textContent()).includes(shownAs(kind)), `as it is: ${kind}`);
    claim((await page.locator("#people").textContent()).includes(PLAYER), "the player's too");
    await harmless(page, "leaderboard");
    await fits(page, "leaderboard");
    for (const label of await page.locator("#table [aria-label]").evaluateAll((all) => all.map((node) => node.getAttribute("aria-label")))) contained(label, "a label");
    const rows = await page.locator("#table tbody tr").evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
    claim(Math.max(...rows) < 400, `no row is a tower (${Math.max(...rows)})`);
    await page.screenshot({ path: `${process.env.SCREENS}/hostile-leaderboard-${size}.png`, fullPage: true });
  }, look);

  for (const kind of Object.keys(NAMES)) {
    test(`hostile_${kind}_on_policy_run_viewer_and_compare_of_a_${size}`, async (page) => {
      await turn(page);
      const { body: policy } = await api(`/policies/${idOf(kind)}`);
      const game = board.games.find((g) => g.policyId === policy.id);
      for (const [path, ready] of [
        [`/policies/${policy.id}`, "figure.chart svg"],
        [`/runs/${policy.latestRunId}`, "#content:not([hidden])"],
        [`/games/${game.id}`, "#game:not([hidden])"],
        [`/compare?a=${policy.id}&b=${idOf("turned")}`, kind === "turned" ? ".verdict" : "#side:not([hidden])"],
        [`/compare?a=greedy&b=${policy.id}`, "#side:not([hidden])"],
      ]) {
        await page.goto(`${server}${path}`);
        await page.waitForSelector(ready);
        await until(`the name on ${path}`, 20, async () => (await page.textContent("main")).includes(shownAs(kind)));
        await harmless(page, path);
        await fits(page, path);
        contained(await page.title(), path);
        claim((await page.title()).length > 0, `a title (${path})`);
      }
      await page.screenshot({ path: `${process.env.SCREENS}/hostile-${kind}-${size}.png`, fullPage: true });
    }, look);
  }

  test(`a_hostile_player_in_the_viewer_of_a_${size}`, async (page) => {
    await page.goto(`${server}/games/${byHand}`);
    await page.waitForSelector("#game:not([hidden])");
    claim((await page.textContent("#title")).startsWith(PLAYER), "the name as it is");
    await harmless(page, "viewer");
    await fits(page, "viewer");
    contained(await page.title(), "viewer");
  }, look);
}

await run();
