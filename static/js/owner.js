// What the owner of a policy may do on its page: read logs, send a revision, let it play again, retire it.
// Drawn once and then kept, so that what is being filled in outlives the page's own refreshing.
import { el, number } from "./dom.js";
import { send } from "./api.js";
import { keepToken, token } from "./session.js";

const button = (label, kind = "") => el("button", { type: "button", class: `button ${kind}` }, label);
const runPath = (id) => `/runs/${encodeURIComponent(id)}`;

/** A field with its label, a hint, and the place for what is wrong with it. */
function ask(id, label, input, hint) {
  const wrong = el("span", { class: "wrong", id: `${id}-wrong`, role: "alert" });
  const help = hint ? el("span", { class: "hint", id: `${id}-hint` }, hint) : null;
  input.id = id;
  input.setAttribute("aria-describedby", `${help ? `${id}-hint ` : ""}${id}-wrong`);
  const complain = (text) => {
    wrong.textContent = text;
    input.setAttribute("aria-invalid", text ? "true" : "false");
    if (text) input.focus();
  };
  return { input, complain, node: el("div", { class: "ask" }, el("label", { for: id }, label), input, help, wrong) };
}

/** Asks before what cannot be taken back; true when it is meant. */
function confirmed(heading, text, yes) {
  const go = el("button", { class: "button danger", value: "yes" }, yes);
  const box = el("dialog", { class: "confirm", "aria-labelledby": "confirm-head" }, el("form", { method: "dialog" }, el("h2", { id: "confirm-head" }, heading), el("p", {}, ...text), el("p", { class: "actions" }, el("button", { class: "button", value: "no", autofocus: true }, "Leave it"), go)));
  document.body.append(box);
  box.showModal();
  return new Promise((done) =>
    box.addEventListener("close", () => {
      box.remove();
      done(box.returnValue === "yes");
    }),
  );
}

export class OwnerTools {
  #policy;
  #account = null; // {name, admin} of the token, once the server has said
  #page; // {showLog(path, heading), changed()}
  #tools = el("div", { class: "sections" });
  #who = el("p", { class: "soft", role: "status" });
  #said = el("p", { class: "soft", role: "status", id: "owner-said" });
  #key;
  #drawnFor = "";

  constructor(place, page) {
    this.#page = page;
    const box = el("input", { type: "password", autocomplete: "off", spellcheck: "false" });
    this.#key = ask("owner-token", "Token", box, "Kept in this tab only, as on the page that submits.");
    box.value = token();
    box.addEventListener("change", () => this.#enter());
    place.replaceChildren(el("h2", {}, "For its owner"), el("div", { class: "sheet" }, this.#key.node), this.#who, this.#tools, this.#said);
  }

  /** May logs be read with the token of this tab? */
  get trusted() {
    return Boolean(this.#account && this.#policy && (this.#account.admin || this.#account.name === this.#policy.owner));
  }

  /** The policy as it is now. */
  async show(policy) {
    this.#policy = policy;
    if (token() && !this.#account) await this.#greet();
    this.#draw();
  }

  async #enter() {
    keepToken(this.#key.input.value.trim());
    this.#account = null;
    this.#key.complain("");
    if (token()) await this.#greet();
    this.#draw();
    this.#page.changed();
  }

  async #greet() {
    try {
      this.#account = await send("GET", "/me", { token: token() });
    } catch (problem) {
      this.#key.complain(problem.message);
    }
  }

  #draw() {
    const { kind, status, owner, revision, pending } = this.#policy;
    if (!this.#account) this.#who.textContent = "With its owner's token there are logs, revisions and another run here.";
    else if (this.trusted) this.#who.replaceChildren("You are ", el("bdi", {}, this.#account.name), this.#account.admin ? ", an administrator." : ", its owner.");
    else this.#who.replaceChildren("You are ", el("bdi", {}, this.#account.name), "; this policy belongs to ", owner ? el("bdi", {}, owner) : "the server", ".");
    const state = JSON.stringify([this.trusted, status, revision?.number, pending?.number, pending?.status]);
    if (state === this.#drawnFor) return;
    this.#drawnFor = state;
    if (!this.trusted) return this.#tools.replaceChildren();
    const mine = kind !== "builtin";
    this.#tools.replaceChildren(this.#playing(), ...(mine && status !== "retired" ? [this.#revising(), this.#retiring()] : []));
  }

  #tell(...words) {
    this.#said.replaceChildren(...words);
  }

  #playing() {
    const { id, kind, status, revision, pending } = this.#policy;
    const newest = pending?.number ?? revision?.number;
    const again = button("Run again");
    again.disabled = status !== "ready";
    again.addEventListener("click", async () => {
      if (!(await confirmed("Run again?", ["It plays the whole suite once more. Only the first game of a revision on a round counts; the new ones are kept beside it."], "Run again"))) return;
      try {
        const run = await send("POST", "/runs", { token: token(), body: { policy: id } });
        location.assign(runPath(run.id));
      } catch (problem) {
        const unfinished = problem.existing?.split("/").pop();
        this.#tell(`${problem.message} `, unfinished ? el("a", { href: runPath(unfinished) }, "Watch it.") : "");
      }
    });
    const check = button("Log of its check");
    check.disabled = !newest || kind === "builtin";
    check.addEventListener("click", () => this.#page.showLog(`/policies/${encodeURIComponent(id)}/revisions/${newest}/log`, `Check of revision ${newest}`));
    return el("section", {}, el("h3", {}, "Play and look"), el("p", { class: "soft" }, "Each game above has its log: faults and the end of standard error."), el("p", { class: "actions" }, again, check));
  }

  #revising() {
    const { id, kind } = this.#policy;
    const upload = kind === "upload";
    const bar = el("progress", { max: 1, value: 0, "aria-label": "Sent", hidden: true });
    const field =
      kind === "remote" ? null : upload ? ask("revision-policy", "Program", el("input", { type: "file" }), "A script beginning #!, or a 64-bit Linux program.") : ask("revision-endpoint", "Address", el("input", { autocomplete: "off", spellcheck: "false", placeholder: "tcp://policy.example.org:7001" }), "Shown to you and the operator only.");
    const other = el("p", { class: "fault", role: "alert" });
    const go = el("button", { class: "button main" }, "Send the revision");
    const form = el("form", { novalidate: true }, field?.node, el("p", { class: "actions" }, go, bar), other);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      field?.complain("");
      other.textContent = "";
      const value = upload ? field.input.files[0] : field?.input.value.trim();
      if (field && !value) return field.complain(upload ? "Choose the program to be sent." : "Where does it listen? tcp://HOST:PORT");
      let body = kind === "remote" ? { remote: true } : { endpoint: value };
      if (upload) {
        body = new FormData();
        body.set("policy", value, value.name);
      }
      go.disabled = true;
      bar.hidden = !upload;
      try {
        const sent = await send("POST", `/policies/${encodeURIComponent(id)}/revisions`, { token: token(), body, progress: (part) => (bar.value = part) });
        this.#tell(`Revision ${sent.number ?? sent.pending?.number ?? ""} is taken in and being checked. `, sent.latestRunId ? el("a", { href: runPath(sent.latestRunId) }, "Watch its run.") : "");
        form.reset();
        this.#page.changed();
      } catch (problem) {
        const about = problem.errors.find((e) => e.field === "policy" || e.field === "endpoint");
        if (field && (about || problem.status === 413)) field.complain(about?.message ?? problem.message);
        else other.textContent = problem.message;
      } finally {
        go.disabled = false;
        bar.hidden = true;
      }
    });
    return el("section", {}, el("h3", {}, "A new revision"), el("p", { class: "soft" }, "It is checked, then plays the suite. The present one stays on the board until the new one has passed; its games stay with it."), form);
  }

  #retiring() {
    const { id, name } = this.#policy;
    const go = button("Retire\u2026", "danger");
    go.addEventListener("click", async () => {
      const text = [el("bdi", {}, name), " leaves the leaderboard for good and its program is deleted. Its games stay. The id ", el("code", {}, id), " cannot be used again."];
      if (!(await confirmed("Retire it?", text, "Retire it for good"))) return;
      try {
        await send("DELETE", `/policies/${encodeURIComponent(id)}`, { token: token() });
        this.#tell("It is retired.");
        this.#page.changed();
      } catch (problem) {
        this.#tell(problem.message);
      }
    });
    return el("section", {}, el("h3", {}, "Retire"), el("p", { class: "soft" }, `It plays no more and makes room in your quota. It has ${number(this.#policy.revision?.number ?? 0)} ${this.#policy.revision?.number === 1 ? "revision" : "revisions"} behind it.`), el("p", { class: "actions" }, go));
  }
}
