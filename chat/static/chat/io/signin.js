// Signing in again from the open page, by the form that the sign-in page has.
import { token } from "./api.js";
import { gettext } from "../core/gettext.js";

const LOGIN = "/accounts/login/";

/** @param {Kenny.Config} config @param {string} password @returns {Promise<string | null>} why it did not work */
export async function signIn(config, password) {
  try {
    const ajax = { "X-Requested-With": "XMLHttpRequest", Accept: "application/json" };
    await fetch(LOGIN, { headers: ajax, credentials: "same-origin" }); // brings a cookie with a token where there is none
    const answer = await fetch(LOGIN, {
      method: "POST", credentials: "same-origin", headers: { ...ajax, "X-CSRFToken": token() }, body: new URLSearchParams({ login: config.username, password, remember: "on" }),
    });
    const said = await answer.json().catch(() => null);
    if (answer.ok && said?.location && !String(said.location).startsWith("/accounts/")) return null;
    if (answer.ok && said?.location) { location.href = said.location; return gettext("One more step is needed."); } // a second factor
    const reasons = [...(said?.form?.errors ?? []), ...Object.values(said?.form?.fields ?? {}).flatMap((/** @type {any} */ field) => field.errors ?? [])];
    return reasons.join(" ") || gettext("That did not work.");
  } catch {
    return gettext("The server cannot be reached.");
  }
}
