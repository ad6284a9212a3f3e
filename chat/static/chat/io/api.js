// Calls of the API. Every answer is data: what the server said, or one clear sentence about why there is none.
import { fill, gettext, ngettext, translated } from "../core/gettext.js";

const PATIENCE = 30_000;
/** @type {Record<string, string>} */
const SENTENCES = {
  unreachable: gettext("The server cannot be reached."), slow: gettext("The server took too long to answer."),
  odd: gettext("The server gave an answer that makes no sense here."),
};

/** @typedef {{ ok: true, status: number, data: any } | { ok: false, error: Kenny.Failure }} Answer */
/** @typedef {(method: string, path: string, more?: { body?: unknown, stream?: boolean, patience?: number, headers?: Record<string, string> }) => Promise<Answer>} Api */

/** It is new after each sign-in, in whichever tab. */
export const token = () => /(?:^|; )[\w-]*csrftoken=([^;]+)/.exec(document.cookie)?.[1] ?? "";

/** @param {Kenny.Config} config @param {(times: { date: string | null, sent: number, received: number }) => void} heard of each answer: the server's time, between two of this browser @returns {Api} */
export const api = (config, heard) => async (method, path, { body, stream = false, headers = {}, patience = PATIENCE } = {}) => {
  /** @type {Record<string, string>} */
  const all = { "X-Kenny-Account": config.account, Accept: "application/json", ...headers };
  if (method !== "GET") all["X-CSRFToken"] = token() || config.csrf;
  if (body !== undefined) all["Content-Type"] = "application/json";
  try {
    const sent = Date.now();
    const response = await fetch(path, {
      method, headers: all, credentials: "same-origin", keepalive: method === "DELETE", signal: AbortSignal.timeout(stream ? PATIENCE * 4 : patience),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    heard({ date: response.headers.get("date"), sent, received: Date.now() });
    if (!response.ok) return { ok: false, error: await failure(response) };
    if (stream) { await response.body?.cancel(); return { ok: true, status: response.status, data: null }; }
    return { ok: true, status: response.status, data: await response.json() };
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    const code = name === "TimeoutError" ? "slow" : name === "SyntaxError" ? "odd" : "unreachable";
    return { ok: false, error: { code, message: SENTENCES[code] ?? "" } };
  }
};

/** @param {Response} response @returns {Promise<Kenny.Failure>} */
async function failure(response) {
  const said = await response.json().then((body) => body?.error, () => null);
  const wait = Number(response.headers.get("Retry-After"));
  const code = typeof said?.code === "string" ? said.code : response.status === 401 ? "unauthenticated" : "odd";
  const message = typeof said?.message === "string" ? translated(said.message) : SENTENCES["odd"] ?? "";
  const waits = response.status === 429 && wait > 0 && !message.includes(String(wait)) ? ` ${fill(ngettext("Try again in %(n)s second.", "Try again in %(n)s seconds.", wait), { n: wait })}` : "";
  return { ...said, code, message: message + waits, status: response.status };
}
