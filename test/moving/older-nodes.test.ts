// An import that would stop nodes of an older program: its plan says so first, and it writes nothing without leave.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../src/app/start/open-store.ts";
import { NodeLock } from "../../src/store/sqlite/node-lock.ts";
import { poundkey } from "../harness/poundkey.ts";
import { digestForeign } from "./litellm-rows.ts";
import { MASTER_KEY } from "./nodes.ts";

/** A node of 1.2 is known by its lock alone. */
const OLDER = "node_0123456789abcdef";
const TEST_MS = 60_000;

const directory = mkdtempSync(join(tmpdir(), "poundkey-import-"));
const database = join(directory, "poundkey.db");
const older = new NodeLock(database, OLDER);
beforeAll(async () => {
  await (await openStore(`sqlite:${database}`, MASTER_KEY)).store.close();
  older.acquire();
  writeFileSync(
    join(directory, "litellm.yaml"),
    "model_list: [{ model_name: mini, litellm_params: { model: openai/gpt-5.4-mini, api_key: os.environ/K } }]\n",
  );
  writeFileSync(
    join(directory, "keys.csv"),
    `token,key_alias,metadata\n${digestForeign("app")},app,"{""model_rpm_limit"":{""mini"":5}}"\n`,
  );
});
afterAll(() => {
  older.release();
  rmSync(directory, { recursive: true, force: true });
});

const STORE = ["--store", "sqlite:./poundkey.db"];
const command = (...args: readonly string[]) =>
  poundkey(directory, [...args, ...STORE], { POUNDKEY_MASTER_KEY: MASTER_KEY });
const run = (...more: readonly string[]) =>
  command("import", "litellm", "litellm.yaml", "--keys", "keys.csv", ...more);

async function listKeys(): Promise<readonly string[]> {
  const { out } = await command("keys", "list", "--json");
  const keys: readonly { readonly name: string }[] = JSON.parse(out);
  return keys.map(({ name }) => name);
}

test(
  "a plan names the node first, the import is refused, and goes with leave",
  async () => {
    const warning = `! 1 node of an older program runs (${OLDER} (1.2 or older))`;
    const planned = await run("--dry-run");
    expect([planned.code, planned.out.split("\n")[0]]).toEqual([3, expect.stringContaining(warning)]);
    const shown = await run("--dry-run", "--json");
    expect(JSON.parse(shown.out).older_nodes).toEqual([`${OLDER} (1.2 or older)`]);
    const refused = await run();
    expect(refused.out.split("\n")[0]).toContain(warning);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("--stop-older")]);
    expect(await listKeys()).toEqual([]);
    const taken = await run("--stop-older");
    expect(taken.code).toBe(3);
    expect(await listKeys()).toEqual(["app"]);
  },
  TEST_MS,
);
