// `poundkey restore`: the drill after a disaster, wrong keys and places, and stores that another program restored.
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../src/app/start/open-store.ts";
import { runCommandLine } from "../../src/cli/commands.ts";
import { runRestore } from "../../src/cli/start/restore.ts";
import { asObject } from "../../src/core/json/json.ts";
import { runPrinting } from "../harness/poundkey.ts";
import { newPlace, startServe } from "../harness/serve-process.ts";
import { useDatabases } from "../store/postgres/databases.ts";
import { asking, type HttpWorld, startHttpWorld } from "../whole/world/world.ts";

const LONG_MS = 60_000;
const OTHER_KEY = Buffer.alloc(32, 5).toString("base64");
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "poundkey-restore-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (...names: readonly string[]) => join(folder, ...names);
const runCommand = (...args: readonly string[]) => runPrinting((io) => runCommandLine(args, io));

interface Given {
  /** POUNDKEY_MASTER_KEY. */
  readonly variable?: string;
  readonly store?: string;
}

function restore(
  args: readonly string[],
  { variable, store = `sqlite:${at("new", "poundkey.db")}` }: Given = {},
) {
  const open = () => Promise.reject(new Error("it opens the store itself"));
  return runPrinting((io) => runRestore(args, io, open, { store }, variable));
}

/** A store with an account and a key, and its backup in `copy.db` with the key in `kept.key`. */
async function backedUp(): Promise<void> {
  const store = ["--store", `sqlite:${at("old", "poundkey.db")}`];
  expect((await runCommand("keys", "add", "--name", "first", ...store)).code).toBe(0);
  expect((await runCommand("accounts", "topup", "default", "5", ...store)).code).toBe(0);
  expect((await runCommand("backup", at("copy.db"), ...store)).code).toBe(0);
  copyFileSync(at("old", "master.key"), at("kept.key"));
}

function send({ secret }: HttpWorld, url: string, path: string, body?: object, headers = {}) {
  return fetch(`${url}/v1/${path}`, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json", ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
}

/** Backs up while four clients ask for paid answers. */
async function backUpUnderLoad(gateway: HttpWorld): Promise<void> {
  const load = { goesOn: true, served: 0 };
  const asker = async () => {
    while (load.goesOn) {
      await (await gateway.chat(asking("Acme#cheap"))).text();
      load.served++;
    }
  };
  const askers = Array.from({ length: 4 }, asker);
  while (load.served < 8) await Bun.sleep(1);
  const copied = await runCommand("backup", at("copy.db"), "--config", gateway.configFile, "--json");
  load.goesOn = false;
  await Promise.all(askers);
  copyFileSync(String(asObject(JSON.parse(copied.out)).master_key), at("kept.key"));
}

test(
  "the drill: a backup made under load is restored, verified, and goes on as if nothing had happened",
  async () => {
    const gateway = await startHttpWorld({ more: "billing: { charge: always }\nresponses: { keep: 1h }" });
    const config = readFileSync(gateway.configFile, "utf8");
    const store = `sqlite:${at("new", "poundkey.db")}`;
    const place = newPlace(config.replace(/^store: .*$/m, `store: "${store}"`));
    try {
      await gateway.topUp("default", 100);
      const headers = { "idempotency-key": "of-the-drill" };
      const paid = await (await gateway.chat(asking("Acme#cheap"), { headers })).json();
      const ask = { model: "OpenAI#gpt-5.4-mini", input: "hello", store: true };
      const response = asObject(await (await send(gateway, gateway.url, "responses", ask)).json());
      await backUpUnderLoad(gateway);
      await gateway.halt();

      const restored = await restore([at("copy.db"), "--master-key", at("kept.key")]);
      expect(restored).toMatchObject({ code: 0, out: expect.stringContaining("the books balance") });
      expect(readdirSync(at("new")).toSorted()).toEqual(["master.key", "poundkey.db"]);
      for (const file of ["master.key", "poundkey.db"])
        expect(statSync(at("new", file)).mode & 0o777).toBe(0o600);
      const serving = startServe(place, "--port", "0");
      try {
        const url = await serving.listens();
        const again = await send(gateway, url, "chat/completions", asking("Acme#cheap"), headers);
        expect(again.headers.get("x-poundkey-replayed")).toBe("true");
        expect(await again.json()).toEqual(paid);
        const kept = asObject(await (await send(gateway, url, `responses/${response.id}`)).json());
        expect([kept.id, kept.output]).toEqual([response.id, response.output]);
        expect((await send(gateway, url, "chat/completions", asking("Acme#cheap"))).status).toBe(200);
      } finally {
        serving.end();
        await serving.exited;
      }
      expect((await runCommand("ledger", "verify", "--store", store)).code).toBe(0);
    } finally {
      place.remove();
      await gateway.stop();
    }
  },
  LONG_MS,
);

test(
  "nothing is left behind by a wrong or missing master key, a damaged backup, or another key in the environment",
  async () => {
    await backedUp();
    writeFileSync(at("wrong.key"), OTHER_KEY);
    writeFileSync(at("bad.db"), readFileSync(at("copy.db")).fill(0xff, 4096, 40_960));
    const key = ["--master-key", at("kept.key")];
    const wrong = ["--master-key", at("wrong.key")];
    const other = { variable: OTHER_KEY };
    const refused: readonly (readonly [args: readonly string[], given: Given, words: string])[] = [
      [[at("copy.db")], {}, "--master-key"],
      [[at("copy.db"), ...wrong], {}, `different master key than the one in ${at("wrong.key")}`],
      [[at("copy.db")], other, "different master key than the one in POUNDKEY_MASTER_KEY"],
      [[at("copy.db"), ...key], other, "Unset it"],
      [[at("bad.db"), ...key], {}, "malformed"],
      [[at("kept.key"), ...key], {}, "not a database"],
      [[at("none.db"), ...key], {}, "there is no such file"],
    ];
    for (const [args, given, words] of refused) {
      const { code, out, err } = await restore(args, given);
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toContain(words);
      expect(err).not.toContain(OTHER_KEY);
    }
    expect(existsSync(at("new"))).toBe(false);
    expect((await restore([])).code).toBe(2);
  },
  LONG_MS,
);

test(
  "a place that isn't empty stays as it is, and a backup whose books don't balance is refused",
  async () => {
    await backedUp();
    const key = ["--master-key", at("kept.key")];
    const store = at("old", "poundkey.db");
    const before = readFileSync(store);
    const occupied = await restore([at("copy.db"), ...key], { store: `sqlite:${store}` });
    expect(occupied).toMatchObject({ code: 1, out: "", err: expect.stringContaining(`${store} already`) });
    expect(readFileSync(store).equals(before)).toBe(true);
    mkdirSync(at("new"));
    writeFileSync(at("new", "master.key"), `${OTHER_KEY}\n`);
    const mixed = await restore([at("copy.db"), ...key]);
    expect(mixed).toMatchObject({ code: 1, err: expect.stringContaining("holds another master key") });
    expect(readdirSync(at("new"))).toEqual(["master.key"]);
    rmSync(at("new"), { recursive: true });
    const copy = new Database(at("copy.db"));
    copy.run("UPDATE account SET balance_nano = balance_nano + 1");
    copy.close();
    const unbalanced = await restore([at("copy.db"), ...key]);
    expect(unbalanced).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("do not balance: default: balance 5.000000001 USD"),
    });
    expect(existsSync(at("new"))).toBe(false);
  },
  LONG_MS,
);

test(
  "--verify proves a store that another program restored, on PostgreSQL too, and fails for another key",
  async () => {
    const server = await useDatabases();
    const given = { variable: OTHER_KEY, store: server.url };
    try {
      await (await openStore(server.url, OTHER_KEY)).store.close();
      const proved = await restore(["--verify", "--json"], given);
      expect(proved.code).toBe(0);
      expect(JSON.parse(proved.out)).toEqual({ balanced: true, accounts: 1 });
      writeFileSync(at("wrong.key"), Buffer.alloc(32, 6).toString("base64"));
      const wrong = await restore(["--verify", "--master-key", at("wrong.key")], given);
      expect(wrong).toMatchObject({ code: 1, out: "", err: expect.stringContaining("different master key") });
      const file = await restore([at("copy.db")], given);
      expect(file).toMatchObject({ code: 1, err: expect.stringContaining("restore --verify") });
    } finally {
      await server.remove();
    }
  },
  LONG_MS,
);
