// Images that go with a message: chosen, pasted or dropped, each with a preview and a way out.
import { ask, clone, onClick, slot } from "./dom.js";
import { fill, gettext } from "../core/gettext.js";

/** @param {HTMLElement} root the composer @param {(images: Kenny.Upload[]) => void} change @returns {(images: Kenny.Upload[]) => void} */
export function attachments(root, change) {
  const [list, picker] = [slot(root, "attached"), /** @type {HTMLInputElement} */ (slot(root, "files"))];
  const kinds = picker.accept.split(",");
  /** @param {FileList | null | undefined} files @returns {boolean} whether there were any */
  const take = (files) => {
    const images = [...(files ?? [])].filter((file) => kinds.includes(file.type));
    if (images.length < (files?.length ?? 0)) ask(root, { type: "problem", error: { code: "bad_request", message: gettext("Only images (PNG, JPEG, GIF, WebP) can be sent with a message.") } });
    if (images.length) ask(root, { type: "attach", files: images });
    return Boolean(files?.length);
  };
  onClick(slot(root, "attach"), () => picker.click());
  picker.addEventListener("change", () => { take(picker.files); picker.value = ""; });
  root.addEventListener("paste", (event) => { if (take(/** @type {ClipboardEvent} */ (event).clipboardData?.files)) event.preventDefault(); });
  const main = document.getElementById("main") ?? root;
  main.addEventListener("dragover", (event) => { if (event.dataTransfer?.types.includes("Files")) event.preventDefault(); });
  main.addEventListener("drop", (event) => { if (event.dataTransfer?.files.length) { event.preventDefault(); take(event.dataTransfer.files); } });

  /** @type {Kenny.Upload[]} */
  let shown = [];
  return (images) => {
    if (images === shown) return;
    shown = images;
    list.hidden = !images.length;
    list.replaceChildren(...images.map((image) => {
      const el = clone("t-attached");
      const img = /** @type {HTMLImageElement} */ (el.querySelector("img"));
      [img.src, img.alt] = [image.url, image.name];
      const remove = slot(el, "remove");
      remove.setAttribute("aria-label", fill(gettext("Remove %(name)s"), { name: image.name }));
      onClick(remove, () => change(images.filter((other) => other !== image)));
      return el;
    }));
  };
}
