// Sending in a policy, both ways; what the server says about a field stands beside that field.
import { byId, number } from "./dom.js";
import { send } from "./api.js";
import { keepToken, token } from "./session.js";

const FIELDS = ["token", "account", "id", "name", "family", "description", "policy", "endpoint"];
let program = null; // the File to be sent

const way = () => document.querySelector('input[name="way"]:checked').value;

function wrong(field, message) {
  byId(`${field}-wrong`).textContent = message;
  byId(field).setAttribute("aria-invalid", message ? "true" : "false");
}

function clear() {
  for (const field of FIELDS) wrong(field, "");
  byId("wrong").hidden = true;
  byId("said").textContent = "";
}

/** Beside their fields; what belongs to none, below the form. The first wrong field gets the keyboard. */
function complain(problem) {
  const rest = [];
  const placed = [];
  const entries = problem.errors?.length ? problem.errors : [{ field: problem.status === 401 || problem.status === 403 ? "token" : problem.status === 409 ? "id" : problem.status === 413 ? "policy" : "", message: problem.message }];
  for (const { field, message } of entries) {
    if (FIELDS.includes(field)) {
      wrong(field, message);
      placed.push(field);
    } else rest.push(field ? `${field}: ${message}` : message);
  }
  byId("wrong").hidden = !rest.length;
  byId("wrong").textContent = rest.join(" ");
  byId("said").textContent = placed.length ? "Not sent: see the fields marked above." : "Not sent.";
  FIELDS.find((field) => placed.includes(field) && (byId(field).focus(), true));
}

/** What can be seen to be missing without asking. */
function missing() {
  const errors = [];
  if (!byId("token").value.trim()) errors.push({ field: "token", message: "A token is needed to send; get one below, or from the operator." });
  if (!byId("id").value.trim()) errors.push({ field: "id", message: "The policy needs an id." });
  if (!byId("name").value.trim()) errors.push({ field: "name", message: "The policy needs a name." });
  if (way() === "upload" && !program) errors.push({ field: "policy", message: "Choose the program to be sent." });
  if (way() === "endpoint" && !byId("endpoint").value.trim()) errors.push({ field: "endpoint", message: "Where does it listen? tcp://HOST:PORT" });
  return errors;
}

function bodyOf() {
  const texts = Object.fromEntries(["id", "name", "family", "description"].map((field) => [field, byId(field).value.trim()]));
  if (way() === "endpoint") return { ...texts, endpoint: byId("endpoint").value.trim() };
  const form = new FormData();
  for (const [field, value] of Object.entries(texts)) form.set(field, value);
  form.set("policy", program, program.name);
  return form;
}

async function submit(event) {
  event.preventDefault();
  clear();
  const errors = missing();
  if (errors.length) return complain({ errors });
  const sent = byId("sent");
  const secret = byId("token").value.trim();
  keepToken(secret);
  byId("send").disabled = true;
  sent.hidden = way() !== "upload";
  sent.value = 0;
  byId("said").textContent = "Sending...";
  try {
    const policy = await send("POST", "/policies", { body: bodyOf(), token: secret, progress: (part) => (sent.value = part) });
    byId("said").textContent = "Taken in. To its run...";
    location.assign(policy.latestRunId ? `/runs/${encodeURIComponent(policy.latestRunId)}` : `/policies/${encodeURIComponent(policy.id)}`);
  } catch (problem) {
    complain(problem);
  } finally {
    byId("send").disabled = false;
    sent.hidden = true;
  }
}

async function register() {
  wrong("account", "");
  const name = byId("account").value.trim();
  if (!name) return wrong("account", "An account has a name; others see it beside your policies.");
  byId("register").disabled = true;
  try {
    const account = await send("POST", "/tokens", { body: { name } });
    byId("token").value = account.token;
    byId("token").type = "text"; // shown once: nobody can read it back
    keepToken(account.token);
    byId("registered").textContent = "This is your token, above. Keep it: it is not shown again.";
    wrong("token", "");
  } catch (problem) {
    wrong("account", problem.errors[0]?.message ?? problem.message);
  } finally {
    byId("register").disabled = false;
  }
}

function take(file) {
  program = file ?? null;
  byId("file").textContent = file ? `${file.name}, ${number(file.size)} bytes` : "";
  if (!file) return;
  wrong("policy", "");
  const stem = file.name.toLowerCase().replace(/\.[a-z0-9]+$/, "").replace(/[^a-z0-9]+/g, "-").replace(/^[^a-z]+|-+$/g, "");
  if (!byId("id").value) byId("id").value = stem;
  if (!byId("name").value) byId("name").value = stem;
}

function wireDrop() {
  const zone = byId("drop");
  for (const kind of ["dragenter", "dragover"])
    zone.addEventListener(kind, (event) => {
      event.preventDefault();
      zone.classList.add("over");
    });
  for (const kind of ["dragleave", "drop"]) zone.addEventListener(kind, () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
  });
  byId("policy").addEventListener("change", () => take(byId("policy").files[0]));
}

function chooseWay() {
  byId("by-upload").hidden = way() !== "upload";
  byId("by-endpoint").hidden = way() !== "endpoint";
}

async function showExample() {
  const answer = await fetch(new URL("../policy.py", import.meta.url)).catch(() => null);
  const text = answer?.ok ? await answer.text() : null;
  if (text === null) return;
  byId("example").textContent = text;
  byId("use").addEventListener("click", () => {
    document.querySelector('input[name="way"][value="upload"]').checked = true;
    chooseWay();
    take(new File([text], "policy.py", { type: "text/x-python" }));
    byId("drop").scrollIntoView({ block: "center" });
    byId("id").focus();
    byId("id").select();
  });
}

byId("token").value = token();
byId("form").addEventListener("submit", submit);
byId("register").addEventListener("click", register);
for (const choice of document.querySelectorAll('input[name="way"]')) choice.addEventListener("change", chooseWay);
wireDrop();
showExample();
