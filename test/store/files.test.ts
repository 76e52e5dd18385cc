// Files on SQLite, whose bytes lie in a folder beside the database.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { writeEmptyStore } from "../suites/empty-store.ts";
import { filesSuite } from "../suites/models/files.suite.ts";
import { resultRoomSuite } from "../suites/models/result-room.suite.ts";
import type { StoreBench } from "../suites/two-stores.ts";

filesSuite("sqlite", makeBench);
resultRoomSuite("sqlite", makeBench);

function makeBench(): StoreBench {
  const folder = mkdtempSync(join(tmpdir(), "poundkey-files-"));
  const path = join(folder, "poundkey.db");
  writeEmptyStore(path);
  return {
    open: (decide) => openSqliteStore({ path, decide }),
    forsake: ({ node }) => rmSync(`${path}-${node}`),
    raw: () => {},
    dispose: () => rmSync(folder, { recursive: true }),
  };
}
