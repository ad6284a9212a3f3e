// Images in messages and cards: their place is kept before they load, a click shows them whole.
import { clone, onClick, slot } from "./dom.js";
import { fill, gettext } from "../core/gettext.js";

const TALLEST = 24; // rem

/** @param {HTMLElement} box @param {(Kenny.Picture | null)[]} pictures @param {string} name what they are images of */
export function shots(box, pictures, name) {
  const key = JSON.stringify(pictures);
  box.hidden = !pictures.length;
  if (box.dataset["shown"] === key) return;
  box.dataset["shown"] = key;
  box.replaceChildren(...pictures.map((picture, i) => shot(picture, pictures.length > 1 ? fill(gettext("%(name)s, %(i)s of %(n)s"), { name, i: i + 1, n: pictures.length }) : name)));
}

/** @param {Kenny.Picture | null} picture @param {string} name @returns {HTMLElement} */
function shot(picture, name) {
  if (!picture) return lost(null);
  const el = clone("t-shot");
  const button = slot(el, "open");
  const img = /** @type {HTMLImageElement} */ (button.querySelector("img"));
  img.alt = name;
  if (picture.width && picture.height) {
    [img.width, img.height] = [picture.width, picture.height];
    img.style.width = `min(${picture.width}px, ${(TALLEST * picture.width) / picture.height}rem)`;
  }
  button.setAttribute("aria-label", fill(gettext("Open %(name)s"), { name }));
  img.addEventListener("error", () => el.replaceWith(lost(() => shot(picture, name))));
  img.src = picture.url;
  onClick(button, () => enlarge(img));
  return el;
}

/** @param {(() => HTMLElement) | null} again @returns {HTMLElement} */
function lost(again) {
  const el = clone("t-lost");
  const retry = slot(el, "retry");
  if (again) onClick(retry, () => el.replaceWith(again()));
  else retry.remove();
  return el;
}

/** @param {HTMLImageElement} img */
function enlarge(img) {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("lightbox"));
  const big = /** @type {HTMLImageElement} */ (dialog.querySelector("img"));
  big.src = img.src;
  big.alt = img.alt;
  dialog.showModal();
}
