// What the owner of a policy does on its page: logs, a revision both ways, another run, retiring; and what strangers do not see.
import { readFileSync } from "node:fs";
import { test, run, equal, claim, server, api, until, demoBoard, accessible } from "./harness.mjs";

await demoBoard();
const example = readFileSync(new URL("../../static/policy.py", import.meta.url), "utf8");
const stamp = Date.now().toString(36);
const account = (await api("/tokens", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ name: `Owner ${stamp}` }) })).body;
const bearer = { Authorization: `Bearer ${account.token}` };

async function upload(id) {
  const form = new FormData();
  for (const [key, value] of Object.entries({ id, name: `Owned ${id}`, family: "example", description: "" })) form.set(key, value);
  form.set("policy", new Blob([example]), "policy.py");
  const sent = await fetch(`${server}/api/v1/policies`, { method: "POST", headers: bearer, body: form });
  equal(sent.status, 201, await sent.text());
}
const settled = (id) =>
  until(`${id} to be ready and have played`, 120, async () => {
    const { body } = await api(`/runs?policy=${id}`);
    return body.items.length && body.items.every((r) => !["queued", "playing"].includes(r.status)) ? (await api(`/policies/${id}`)).body : null;
  });
async function asOwner(page, path, token = account.token) {
  await page.goto(`${server}${path}`);
  await page.waitForSelector("#owner:not([hidden])");
  await page.fill("#owner-token", token);
  await page.keyboard.press("Tab");
}
const said = (page, selector, right) => until(selector, 20, async () => right(await page.textContent(selector)));
const answer = async (page, label) => {
  await page.waitForSelector("dialog[open]");
  await page.locator("dialog[open]").getByRole("button", { name: label }).click();
};

const id = `owned-${stamp}`;
await upload(id);
await settled(id);

test("without_a_token_there_is_nothing_to_press", async (page) => {
  await page.goto(`${server}/policies/${id}`);
  await page.waitForSelector("#games");
  equal(await page.locator("#owner button").count(), 0, "buttons");
  equal(await page.getByRole("button", { name: "Log", exact: true }).count(), 0, "logs");
  await page.goto(`${server}/policies/greedy`);
  await page.waitForSelector("#games");
  claim(await page.isHidden("#owner"), "a built-in policy has no owner's part");
});

test("a_wrong_token_is_refused_beside_its_field_and_a_strangers_gets_nothing", async (page) => {
  await asOwner(page, `/policies/${id}`, `d7_${"0".repeat(64)}`);
  await said(page, "#owner-token-wrong", Boolean);
  equal(await page.getAttribute("#owner-token", "aria-invalid"), "true", "marked for readers");
  const other = (await api("/tokens", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ name: `Stranger ${stamp}` }) })).body;
  await page.fill("#owner-token", other.token);
  await page.keyboard.press("Tab");
  await said(page, "#owner > p", (text) => text.includes(`this policy belongs to Owner ${stamp}`));
  equal(await page.locator("#owner button").count(), 0, "buttons for a stranger");
}, { expectErrors: true });

test("what_is_wrong_with_a_revision_stands_beside_its_field", async (page) => {
  await asOwner(page, `/policies/${id}`);
  const send = page.getByRole("button", { name: "Send the revision" });
  await send.click();
  await said(page, "#revision-policy-wrong", (text) => text.includes("Choose the program"));
  await page.setInputFiles("#revision-policy", { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("no program\n") });
  await send.click();
  await said(page, "#revision-policy-wrong", (text) => text && !text.includes("Choose"));
  equal(await page.getAttribute("#revision-policy", "aria-invalid"), "true", "marked for readers");
  equal(await page.evaluate(() => document.activeElement.id), "revision-policy", "the keyboard is there");
}, { expectErrors: true });

test("a_revision_is_sent_checked_and_becomes_the_current_one", async (page) => {
  await asOwner(page, `/policies/${id}`);
  await page.waitForSelector("#revision-policy");
  await page.setInputFiles("#revision-policy", { name: "policy.py", mimeType: "text/x-python", buffer: Buffer.from(`${example}# second\n`) });
  await page.getByRole("button", { name: "Send the revision" }).click();
  await said(page, "#owner-said", (text) => text.includes("taken in"));
  const policy = await until("revision 2", 90, async () => {
    const { body } = await api(`/policies/${id}`);
    return body.revision?.number === 2 ? body : null;
  });
  equal(policy.pending, null, "nothing is waiting");
  await settled(id);
  await page.reload();
  await page.waitForSelector("#games");
  await until("both revisions", 20, async () => (await page.textContent("#content")).includes("2 (script"));
  await page.screenshot({ path: `${process.env.SCREENS}/policy-owner.png`, fullPage: true });
});

for (const scheme of ["dark", "light"]) {
  test(`the_owners_tools_are_for_everybody_in_the_${scheme}`, async (page) => {
    await asOwner(page, `/policies/${id}`);
    await page.waitForSelector("figure.chart svg");
    await page.getByRole("button", { name: "Log", exact: true }).first().click();
    await said(page, "#log", (text) => text.includes("standard error"));
    await accessible(page);
    await page.getByRole("button", { name: "Retire\u2026" }).click();
    await page.waitForSelector("dialog[open]");
    equal(await page.evaluate(() => document.activeElement.textContent), "Leave it", "the harmless answer has the keyboard");
    await accessible(page);
    await answer(page, "Leave it");
  }, { scheme });
}

test("another_run_is_asked_for_confirmed_and_watched", async (page) => {
  await asOwner(page, `/policies/${id}`);
  const again = page.getByRole("button", { name: "Run again" });
  await again.click();
  await answer(page, "Leave it");
  equal(new URL(page.url()).pathname, `/policies/${id}`, "nothing happened");
  await again.click();
  await answer(page, "Run again");
  await page.waitForURL("**/runs/*", { timeout: 20000 });
  await settled(id);
});

test("an_endpoint_gets_a_new_address_and_its_field_the_objections", async (page) => {
  const far = `far-${stamp}`;
  const sent = await fetch(`${server}/api/v1/policies`, { method: "POST", headers: { ...bearer, "Content-Type": "application/json" }, body: JSON.stringify({ id: far, name: "Far", family: "example", description: "", endpoint: "tcp://192.0.2.1:7001" }) });
  equal(sent.status, 201, await sent.text());
  await asOwner(page, `/policies/${far}`);
  await page.fill("#revision-endpoint", "http://example.org");
  await page.getByRole("button", { name: "Send the revision" }).click();
  await said(page, "#revision-endpoint-wrong", (text) => text.includes("tcp://"));
  await page.fill("#revision-endpoint", "tcp://192.0.2.1:7002");
  await page.getByRole("button", { name: "Send the revision" }).click();
  await until("an answer of the server", 20, async () => (await page.textContent("#owner-said")).includes("taken in") || (await page.locator("#owner .fault").allTextContents()).some(Boolean) || (await page.textContent("#revision-endpoint-wrong")));
  claim((await page.textContent("#owner-said")).includes("taken in"), `it is taken in: ${await page.textContent("#owner")}`);
}, { expectErrors: true });

test("retiring_asks_first_and_is_for_good", async (page) => {
  await asOwner(page, `/policies/${id}`);
  const retire = page.getByRole("button", { name: "Retire\u2026" });
  await retire.click();
  await page.keyboard.press("Escape");
  equal((await api(`/policies/${id}`)).body.status, "ready", "Escape leaves it");
  await retire.click();
  await answer(page, "Retire it for good");
  await said(page, "#owner-said", (text) => text.includes("retired"));
  equal((await api(`/policies/${id}`)).body.status, "retired", "status");
  await until("the page to say so", 20, async () => (await page.textContent("#subtitle")).includes("Retired"));
  equal(await page.getByRole("button", { name: "Retire\u2026" }).count(), 0, "no second time");
  claim((await page.locator("#games a[href^='/games/']").count()) > 0, "its games stay");
});

await run();
