// Imported first, so that every module that names its words at import finds the catalogue learned.
import { learn } from "../core/gettext.js";

const { catalog, language } = JSON.parse(document.getElementById("words")?.textContent || "{}");
/** "de" reads dates as the browser's "de-AT" does. */
const region = navigator.languages.find((name) => name.split("-", 1)[0] === language);
learn({ catalog, language: region ?? language });
