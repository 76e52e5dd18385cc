// The programs of the nodes on a SQLite file, by the locks that they hold beside it.
import { readText } from "../columns/found.ts";
import { bind, type Programs } from "../engine/engine.ts";
import { countFrom } from "../schema/schema-step.ts";
import { FIRST_STEPS } from "./migrations.ts";
import { listNodes } from "./node-lock.ts";

const OLDEST = bind("SELECT value FROM setting WHERE name = 'oldest_supported'");
/** Everything in this table is text. */
const END = `INSERT INTO setting (name, value) VALUES ('oldest_supported', ?1) ON CONFLICT (name) DO UPDATE SET
  value = CAST(max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER)) AS TEXT)`;

/** `file` is null for a database in memory, which no other process can use. */
export function sqlitePrograms(file: string | null): Programs {
  return {
    // A change excludes all other writers from its start.
    look: [OLDEST],
    parse: ([found]) => {
      const [row] = found ?? [];
      return {
        oldestSupported: row === undefined ? 0 : Number(readText(row, "value")),
        live: () => (file === null ? [] : listNodes(file)),
      };
    },
    versionOf: countFrom(FIRST_STEPS),
    endSupport: (version) => bind(END, String(version)),
  };
}
