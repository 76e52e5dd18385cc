// The thread that runs slow reads, such as the sums of a month: SQLite's work would stop the event loop for seconds.
import { Database } from "bun:sqlite";
import type { FoundRow } from "../columns/found.ts";
import type { Statement } from "../engine/engine.ts";
import { runStatement } from "./statements.ts";

declare const self: Worker;

export interface SlowAsk {
  readonly id: number;
  readonly path: string;
  readonly statements: readonly Statement[];
}

export interface SlowAnswer {
  readonly id: number;
  /** The rows of each statement. Null if one failed. */
  readonly results: readonly (readonly FoundRow[])[] | null;
}

self.onmessage = ({ data }: MessageEvent<SlowAsk>) => {
  const answer: SlowAnswer = { id: data.id, results: read(data) };
  postMessage(answer);
};

/** Reads on one snapshot. Each time opens the file, which may have been replaced. */
function read({ path, statements }: SlowAsk): SlowAnswer["results"] {
  try {
    using database = new Database(path, { readwrite: true, create: false, strict: true });
    database.run("PRAGMA query_only = ON");
    return database.transaction(() => statements.map((statement) => runStatement(database, statement)))();
  } catch {
    return null;
  }
}
