// Bugs planted into a copy of the sources, which the campaign must find.
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram, type Program } from "./process.ts";

const ROOT = join(import.meta.dir, "..", "..");

export interface Plant {
  readonly name: string;
  readonly file: string;
  /** The replacements. Each original must be present. */
  readonly changes: readonly (readonly [from: string, to: string])[];
}

export const PLANTS: readonly Plant[] = [
  {
    name: "answers are let go before the commit, which comes 500 ms later",
    file: "src/store/sqlite/connection.ts",
    changes: [
      ["  begin.run();", "  if (!database.inTransaction) begin.run();"],
      ["sql.commit.run();", "setTimeout(() => { if (database.inTransaction) sql.commit.run(); }, 500);"],
    ],
  },
  {
    name: "the commit is skipped",
    file: "src/store/sqlite/connection.ts",
    changes: [["sql.commit.run();", "sql.rollback.run();"]],
  },
  {
    name: "the settlement's row is written in a transaction of its own, after the money",
    file: "src/store/sqlite/batches.ts",
    changes: [
      ["sql.addRequests(decision.requests);", "setTimeout(() => sql.addRequests(decision.requests), 5);"],
    ],
  },
  {
    name: "holds of the dead are left",
    file: "src/ledger/lost.ts",
    changes: [["const holds = await orphans(most);", "const holds: readonly Lost[] = [];"]],
  },
  {
    name: "an Idempotency-Key claims nothing",
    file: "src/ledger/replies.ts",
    changes: [["  if (idempotency === null) return;\n", "  if (idempotency !== undefined) return;\n"]],
  },
];

/** A copy of the sources with one more bug. */
export function planted({ name, file, changes }: Plant): { readonly program: Program; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "poundkey-planted-"));
  cpSync(join(ROOT, "src"), join(folder, "src"), { recursive: true });
  for (const shared of ["package.json", "tsconfig.json"]) cpSync(join(ROOT, shared), join(folder, shared));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const path = join(folder, file);
  let text = readFileSync(path, "utf8");
  for (const [from, to] of changes) {
    if (!text.includes(from))
      throw new Error(`There is nothing to plant '${name}' in: ${file} lacks ${from}`);
    text = text.replace(from, () => to);
  }
  writeFileSync(path, text);
  return { program: findProgram(folder), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
