// Reads the version of a PostgreSQL store's schema, and the nodes on it, without opening it.
import { readInteger } from "../columns/found.ts";
import type { SchemaVersions } from "../schema/versions.ts";
import { Dialer } from "./dialer.ts";
import { makePostgresSchema, VERSION } from "./migrations.ts";
import { LIVE_NODES, readLiveNode } from "./programs.ts";

/** Rejects if the server doesn't answer or holds no store. */
export async function readPostgresVersions(url: string): Promise<SchemaVersions> {
  const dialer = new Dialer({ url });
  const [row = {}] = await dialer.ask(VERSION);
  const { version: known, oldestSupported: supportedFrom } = makePostgresSchema();
  return {
    known,
    supportedFrom,
    stored: readInteger(row, "version"),
    oldestSupported: readInteger(row, "oldest_supported"),
    live: (await dialer.ask(LIVE_NODES)).map(readLiveNode),
  };
}
