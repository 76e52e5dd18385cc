// State files beside running gateways, on both engines: what is applied holds for the next call on every node.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../../src/app/start/open-store.ts";
import { runApply } from "../../../src/cli/state/apply.ts";
import { runPrinting } from "../../harness/poundkey.ts";
import { readSettings } from "../../harness/settings.ts";
import { startSimulator } from "../../simulator/server.ts";
import { useDatabases } from "../../store/postgres/databases.ts";
import { until } from "../../whole/world/until.ts";
import { ask, MASTER_KEY, startNode } from "../nodes.ts";

const directory = mkdtempSync(join(tmpdir(), "poundkey-state-"));
const simulator = await startSimulator({ host: "127.0.0.1", port: 0 });
const server = await useDatabases();
const config = join(directory, "poundkey.yaml");
writeFileSync(config, `providers: { OpenAI: { base_url: "${simulator.url}/openai/v1", keys: [sim-key] } }\n`);
afterAll(async () => {
  await simulator.stop();
  await server.remove();
  rmSync(directory, { recursive: true, force: true });
});

const ENGINES = [
  { engine: "SQLite", store: `sqlite:${join(directory, "poundkey.db")}`, count: 1 },
  { engine: "PostgreSQL", store: server.url, count: 2 },
];

describe.each(ENGINES)("on $engine", ({ engine, store, count }) => {
  const file = join(directory, `${engine}.yaml`);
  const apply = async (text: string, ...flags: string[]) => {
    writeFileSync(file, text);
    const open = async (opening: "find" | "make") => (await openStore(store, MASTER_KEY, opening)).world;
    const { code, out } = await runPrinting((io) => runApply([file, ...flags], io, open, readSettings("")));
    expect([code, out]).toEqual([0, expect.stringMatching(/\d changed/)]);
    return out;
  };

  test("keys and an alias work, and what is paused or pruned stops at once", async () => {
    await openStore(store, MASTER_KEY, "make").then((opened) => opened.store.close());
    const nodes = await Promise.all(
      Array.from({ length: count }, () => startNode({ store, config, env: {} })),
    );
    try {
      const askAll = async (secret: string) =>
        (await Promise.all(nodes.map(({ url }) => ask(url, secret, "fast")))).join();
      const all = (result: string) => nodes.map(() => result).join();
      const aliases = "aliases: [{ name: fast, target: OpenAI#gpt-5.4 }]";
      const made = await apply(`keys: [{ name: app }, { name: gone }]\n${aliases}`);
      const [app = "", gone = ""] = made.match(/sk-\w{49}/g) ?? [];
      await until("the alias works", async () => (await askAll(app)) === all("ok"));
      expect(await askAll(gone)).toBe(all("ok"));
      await apply(`keys: [{ name: app, paused: true }]\n${aliases}`, "--prune");
      expect([await askAll(app), await askAll(gone)]).toEqual([all("key_paused"), all("invalid_api_key")]);
    } finally {
      for (const node of nodes) await node.stop();
    }
  });
});
