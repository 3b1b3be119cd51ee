// The token of whoever acts here: kept for this tab only, sent only where something is written or the owner's own is read.
const KEY = "drop7-token";

export function token() {
  try {
    return sessionStorage.getItem(KEY) ?? "";
  } catch {
    return ""; // storage is switched off: the token lives as long as the form
  }
}

export function keepToken(text) {
  try {
    if (text) sessionStorage.setItem(KEY, text);
    else sessionStorage.removeItem(KEY);
  } catch {
    /* see token() */
  }
}
