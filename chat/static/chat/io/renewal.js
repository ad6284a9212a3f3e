// Loads the page anew when it is older than its server, once nobody looks and nothing is under way.
import { mayRenew } from "../core/renewal.js";

const KEY = "kenny:renewed";

/** @param {() => Kenny.State} state @returns {() => void} to be asked whenever something has changed */
export function renewal(state) {
  const renew = () => {
    if (!document.hidden || !mayRenew(state())) return;
    // Once from each version: where two servers answer in turn, the page may come from the older one again.
    if (sessionStorage.getItem(KEY) === state().static) return;
    sessionStorage.setItem(KEY, state().static);
    location.reload();
  };
  document.addEventListener("visibilitychange", renew);
  return renew;
}
