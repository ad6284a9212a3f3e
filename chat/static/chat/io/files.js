// Files in and out: images to send, conversations to keep.

/** @param {File} file @returns {Promise<Kenny.Upload>} */
export async function read(file) {
  const url = await new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
  return { name: file.name || "image", mediaType: file.type, data: url.slice(url.indexOf(",") + 1), url: URL.createObjectURL(file) };
}

/** @param {string} name @param {string} text @param {string} type */
export function save(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** A random id; `crypto.randomUUID` is missing on plain http. @param {string} prefix */
export const newId = (prefix) => prefix + [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** @param {Kenny.Upload} image @returns {Kenny.Upload} */
export function shown(image) {
  const bytes = Uint8Array.from(atob(image.data), (char) => char.charCodeAt(0));
  return { ...image, url: URL.createObjectURL(new Blob([bytes], { type: image.mediaType })) };
}

/** Images that were kept or come from another tab get an address of this page. @param {Kenny.Stored} change @returns {Kenny.Stored} */
export function revived(change) {
  const { images, edit } = change.value ?? {};
  if (!images?.length && !edit?.before.images.length) return change;
  const before = edit && { ...edit, before: { ...edit.before, images: edit.before.images.map(shown) } };
  return { ...change, value: { ...change.value, images: (images ?? []).map(shown), ...(edit ? { edit: before } : {}) } };
}
