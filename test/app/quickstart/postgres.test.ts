// A quick start on PostgreSQL, in the long form alone: its link signs in once, and its files lie in the user's own folder.
import { afterAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { IS_LONG } from "../../harness/long.ts";
import { LONG_MS, newPlace, startServe } from "../../harness/serve-process.ts";
import { useDatabases } from "../../store/postgres/databases.ts";
import { until } from "../../whole/world/until.ts";

const server = IS_LONG ? await useDatabases() : null;
const empty = await server?.newDatabase();
afterAll(() => server?.remove());

test.skipIf(server === null)(
  "a quick start on PostgreSQL prints a link that signs in once, on all of its workers",
  async () => {
    const place = newPlace("{}");
    const env = {
      PATH: process.env.PATH ?? "",
      POUNDKEY_PLACES: "user",
      HOME: place.directory,
      POUNDKEY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
    };
    const flags = ["--quickstart", "--port", "0", "--workers", "2", "--store", empty ?? ""];
    const serving = startServe({ ...place, env }, ...flags);
    try {
      const link = await until(
        "a link",
        () => /Console +(http:\S+#once=\S+)/.exec(serving.err)?.[1],
        LONG_MS,
      );
      const { origin, hash } = new URL(link);
      const send = () =>
        fetch(`${origin}/admin/v1/session`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ once: hash.slice("#once=".length) }),
        });
      const statuses = (await Promise.all(Array.from({ length: 8 }, send))).map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([204, 401, 401, 401, 401, 401, 401, 401]);
      const files = readdirSync(join(place.directory, ".local/share/poundkey"));
      expect(files.toSorted()).toEqual(["quickstart.json", "quickstart.key"]);
    } finally {
      serving.signal("SIGTERM");
      expect(await serving.exited).toBe(0);
      place.remove();
    }
  },
  LONG_MS,
);
