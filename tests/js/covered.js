// A reporter of `node --test --experimental-test-coverage`: the pure core is covered whole, or the run fails and says where it is not.
// Node 20 has no thresholds of its own, and counts no module that no test loads.
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const CORE = fileURLToPath(new URL("../../chat/static/chat/core/", import.meta.url));

/** @param {string} kind @param {{ line: number, count: number }[]} all */
const missed = (kind, all) => all.filter(({ count }) => !count).map(({ line }) => `${kind} at line ${line}`);

/** What is not covered, by module. */
export function gaps(files) {
  const known = new Map(files.map((file) => [file.path, file]));
  return readdirSync(CORE).filter((name) => name.endsWith(".js")).flatMap((name) => {
    const file = known.get(CORE + name);
    const all = file ? [...missed("line", file.lines), ...missed("branch", file.branches), ...missed("function", file.functions)] : ["no test loads it"];
    return all.map((what) => `core/${name}: ${what}`);
  });
}

export default async function* covered(events) {
  let found = ["no coverage was measured"];
  for await (const { type, data } of events) if (type === "test:coverage") found = gaps(data.summary.files);
  if (!found.length) { yield "The core is covered whole: lines, branches and functions.\n"; return; }
  process.exitCode = 1;
  yield `Not covered:\n${found.join("\n")}\n`;
}
