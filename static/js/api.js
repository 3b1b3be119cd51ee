// Talking to /api/v1: JSON in, problems as errors with a sentence.

const AWAY = "the server could not be reached";

export class Problem extends Error {
  constructor(status, problem) {
    super(problem?.detail || problem?.title || `the server answered ${status}`);
    this.status = status;
    this.code = problem?.code;
    this.errors = problem?.errors ?? []; // [{field, message}]
    this.existing = problem?.existing;
  }
}

/** What fetch says of a server that is away differs from browser to browser; here it is one sentence. */
async function ask(path) {
  try {
    return await fetch(`/api/v1${path}`, { cache: "no-cache", headers: { Accept: "application/json" } });
  } catch {
    throw new Problem(0, { title: AWAY });
  }
}

/** GET, revalidated by ETag (the browser keeps the copy and turns 304 into it). */
export async function get(path) {
  const answer = await ask(path);
  const body = await answer.json().catch(() => null);
  if (!answer.ok || body === null) throw new Problem(answer.status, body);
  return body;
}

const seen = new Map(); // path: ETag of what was given out last

/** The same, but null when nothing changed since this page last asked: nothing to draw again. `always`: it is not what the page shows. */
export async function getChanged(path, always = false) {
  const answer = await ask(path);
  const tag = answer.headers.get("ETag");
  if (answer.ok && tag && !always && seen.get(path) === tag) return null;
  const body = await answer.json().catch(() => null);
  if (!answer.ok || body === null) throw new Problem(answer.status, body);
  seen.set(path, tag);
  return body;
}

/** Every item of a list, page by page, at most `most`. */
export async function getAll(path, most = 1000) {
  const items = [];
  let cursor = "";
  do {
    const page = await get(`${path}${path.includes("?") ? "&" : "?"}limit=500${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    items.push(...page.items);
    cursor = page.next;
  } while (cursor && items.length < most);
  return items;
}

/** Writes, or reads what is the owner's: `body` is an object (sent as JSON), a FormData, or nothing. `progress` hears 0..1 of an upload. */
export function send(method, path, { body, token, progress } = {}) {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest(); // fetch does not tell how far an upload is
    request.open(method, `/api/v1${path}`);
    request.setRequestHeader("Accept", "application/json");
    if (token) request.setRequestHeader("Authorization", `Bearer ${token}`);
    if (progress) request.upload.addEventListener("progress", (event) => event.lengthComputable && progress(event.loaded / event.total));
    request.addEventListener("load", () => {
      let answer = null;
      try {
        answer = request.responseText ? JSON.parse(request.responseText) : {};
      } catch {
        /* not ours: a proxy's page, say */
      }
      if (request.status < 300 && answer) done(answer);
      else failed(new Problem(request.status, answer));
    });
    request.addEventListener("error", () => failed(new Problem(0, { title: AWAY })));
    const plain = body !== undefined && !(body instanceof FormData);
    if (plain) request.setRequestHeader("Content-Type", "application/json");
    request.send(plain ? JSON.stringify(body) : body);
  });
}

/** For a page that is loaded once: the way to try it again. */
export function againLink() {
  const link = document.createElement("a");
  link.href = location.href;
  link.textContent = "Try again";
  link.addEventListener("click", (event) => {
    event.preventDefault(); // the address may differ from the present one by its hash only, which loads nothing
    location.reload();
  });
  return link;
}

/** Calls refresh every `seconds` while the page is visible, and at once when it becomes visible again; never while the last answer is awaited. */
export function keepFresh(seconds, refresh) {
  let waiting = false;
  const again = async () => {
    if (document.hidden || waiting) return;
    waiting = true;
    await refresh().finally(() => (waiting = false));
  };
  setInterval(again, seconds * 1000);
  document.addEventListener("visibilitychange", again);
  addEventListener("online", again);
}
