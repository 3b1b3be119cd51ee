// Talking to /api/v1: JSON in, problems as errors with a sentence.

export class Problem extends Error {
  constructor(status, problem) {
    super(problem?.detail || problem?.title || `the server answered ${status}`);
    this.status = status;
    this.code = problem?.code;
  }
}

/** GET, revalidated by ETag (the browser keeps the copy and turns 304 into it). */
export async function get(path) {
  const answer = await fetch(`/api/v1${path}`, { cache: "no-cache", headers: { Accept: "application/json" } });
  const body = await answer.json().catch(() => null);
  if (!answer.ok || body === null) throw new Problem(answer.status, body);
  return body;
}

/** Calls refresh every `seconds` while the page is visible, and at once when it becomes visible again. */
export function keepFresh(seconds, refresh) {
  setInterval(() => {
    if (!document.hidden) refresh();
  }, seconds * 1000);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) refresh();
  });
}
