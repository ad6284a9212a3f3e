// Loads the page anew when it is older than its server, once nobody looks and nothing is under way.
import { mayRenew } from "../core/renewal.js";

/** @param {() => Kenny.State} state @returns {() => void} to be asked whenever something has changed */
export function renewal(state) {
  const renew = () => { if (document.hidden && mayRenew(state())) location.reload(); };
  document.addEventListener("visibilitychange", renew);
  return renew;
}
