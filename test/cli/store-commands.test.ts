// Commands that create a store and commands that only read one: none shows an empty store by mistake.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommandLine } from "../../src/cli/commands.ts";
import { asArray, asObject, parseJson } from "../../src/core/json/json.ts";
import { poundkey, type Ran, runPrinting } from "../harness/poundkey.ts";
import { LONG_MS, type Place, startServe } from "../harness/serve-process.ts";

/** This process's own: commands look for their files in the folder where they run, within this process or as another. */
let folder: string;
beforeEach(() => {
  if (readdirSync(process.cwd()).length > 0) throw new Error("Another's files would be removed.");
  folder = process.cwd();
});
afterEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
});

const FILE = join(".poundkey", "poundkey.db");
const words = (line: string) => line.split(" ");

/** Runs a command within this process, and returns what its own would print. */
async function run(line: string): Promise<Ran> {
  const { code, out, err } = await runPrinting((io) => runCommandLine(words(line), io));
  const end = (text: string) => (text === "" ? "" : `${text}\n`);
  return { code, out: end(out), err: end(err) };
}

describe("without a store", () => {
  test.each([
    "keys list",
    "keys revoke key_x",
    "tokens add --name a --role viewer",
    "accounts list",
    "accounts show default",
    "ledger verify",
    "backup copy.db",
    "route --learned",
    "route --replay chatcmpl-x",
    "route --export lessons.jsonl",
    "route --forget",
  ])(
    "%s fails, names the place and how to create a store, and creates nothing",
    async (line) => {
      const { code, out, err } = await run(line);
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toBe(
        `poundkey: There is no store at ${join(folder, FILE)}. Create one with \`poundkey serve\` or \`poundkey keys add\`.\n`,
      );
      expect(readdirSync(folder)).toEqual([]);
    },
    LONG_MS,
  );

  test(
    "an empty file is not a store",
    async () => {
      writeFileSync(join(folder, "empty.db"), "");
      const { code, err } = await run("ledger verify --store sqlite:empty.db");
      expect([code, err]).toEqual([1, expect.stringContaining(join(folder, "empty.db"))]);
      expect(readdirSync(folder)).toEqual(["empty.db"]);
    },
    LONG_MS,
  );

  test(
    "a choice is shown anyway, because it needs none",
    async () => {
      const env = { OPENAI_API_KEY: "any" };
      const { code, out, err } = await poundkey(folder, ["route", "What is 2 + 2?", "--json"], env);
      expect(code).toBe(0);
      expect(parseJson(out)).toMatchObject({ selector: "Router#fair", choice: expect.any(String) });
      expect(err).toContain(`There is no store at ${join(folder, FILE)}`);
      expect(readdirSync(folder)).toEqual([]);
    },
    LONG_MS,
  );

  test.each([
    "keys add --name a",
    "accounts add --name a",
    "accounts topup default 1",
    "admin token --reset",
  ])(
    "%s creates one and says where, and names it the next time",
    async (line) => {
      const first = await run(line);
      expect(first).toMatchObject({
        code: 0,
        err: `poundkey: creating a store at ${join(folder, FILE)}\n`,
      });
      const again = await run(line);
      const named = `poundkey: using the store at ${join(folder, FILE)}\n`;
      // A second one of the name is warned of behind it.
      const [, warned = ""] = again.err.split(named);
      expect([again.code, again.err]).toEqual([0, `${named}${warned}`]);
      expect(warned).toMatch(/^(warning: another (account|key) has this name, .*\n)?$/);
      const listed = await run("accounts list --json");
      expect(listed).toMatchObject({ code: 0, err: "" });
      expect(asArray(parseJson(listed.out)).length).toBeGreaterThan(0);
    },
    LONG_MS,
  );

  test.each([
    "keys add --nmae a",
    "keys add",
    "keys --help",
    "accounts add",
    "accounts topup default",
    "accounts topup default many",
    "admin token",
  ])(
    "%s, which is invalid or only asks for help, creates none",
    async (line) => {
      await run(line);
      expect(existsSync(join(folder, ".poundkey"))).toBe(false);
    },
    LONG_MS,
  );
});

test.each([
  ["server.admin_token", "server: { admin_token: a-configured-token }\n", {}],
  ["POUNDKEY_ADMIN_TOKEN", "log: {}\n", { POUNDKEY_ADMIN_TOKEN: "a-configured-token" }],
])(
  "admin token --reset fails where the token is set by %s, since no other would work",
  async (where, config, env) => {
    writeFileSync(join(folder, "poundkey.yaml"), config);
    const { code, out, err } = await poundkey(folder, words("admin token --reset --json"), env);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toBe(
      `poundkey: The admin token is set by ${where}, and a new one would not work: change it there, and restart the gateway.\n`,
    );
    expect(existsSync(join(folder, ".poundkey"))).toBe(false);
  },
  LONG_MS,
);

describe("beside a file with mistakes", () => {
  const BROKEN = `server: { prot: 1 }\nproviders: { OpenAI: { keys: ["\${NOT_SET}"] } }\n`;
  let key = "";
  let config = "";
  beforeEach(async () => {
    config = join(folder, "poundkey.yaml");
    const store = `store: "sqlite:${join(folder, FILE)}"\n`;
    writeFileSync(config, store);
    key = String(asObject(parseJson((await run("keys add --name a --json")).out)).id);
    writeFileSync(config, BROKEN + store);
  });
  const FIRST = "poundkey.yaml:1:11: server.prot: unknown field; did you mean port?";

  test(
    "commands that only need the store go on with a warning",
    async () => {
      const month = new Date().toISOString().slice(0, 7);
      const changes = ["pause", "resume", "rotate", "revoke"].map((action) => `keys ${action} ${key}`);
      changes.push("accounts topup default 1");
      const reads = ["keys list", "accounts list", "accounts show default", "tokens list", "requests"];
      reads.push("refusals", "usage", "providers", `statement --account default --month ${month}`);
      reads.push("ledger verify", "audit verify", `backup ${join(folder, "copy.db")}`);
      for (const line of [...changes, ...reads]) {
        const { code, err } = await run(line);
        expect([line, code, ...err.split("\n").slice(0, 2)]).toEqual([
          line,
          0,
          `warning: ${FIRST} (and 1 more)`,
          `warning: this command only needs the store, ${join(folder, FILE)}, and goes on without the rest of the configuration`,
        ]);
      }
      const { out } = await run("keys list --json");
      expect(parseJson(out)).toMatchObject([{ id: key, state: "revoked" }]);
    },
    LONG_MS,
  );

  test(
    "commands whose result depends on the file fail",
    async () => {
      const lines = ["keys add --name b", "accounts add --name b", "export state"];
      lines.push(
        "tokens add --name t --role viewer",
        "admin token --reset",
        "export requests",
        "route --learned",
      );
      lines.push("restore copy.db", `master-key rotate --new ${join(folder, "new.key")}`);
      for (const line of lines) {
        const { code, out, err } = await run(line);
        expect([line, code, out, err.split("\n")[0]]).toEqual([line, 1, "", FIRST]);
      }
      expect(existsSync(join(folder, "new.key"))).toBe(false);
    },
    LONG_MS,
  );

  test(
    "a store that the file may name otherwise is never guessed, but may be named",
    async () => {
      writeFileSync(config, `${BROKEN}store: "\${NOT_SET_EITHER}"\n`);
      const refused = await run(`keys pause ${key}`);
      expect([refused.code, refused.err.trimEnd().split("\n").at(-1)]).toEqual([
        1,
        "This command only needs the store, but the file may name one that can't be read from it: name it by --store.",
      ]);
      const named = await run(`keys pause ${key} --store sqlite:${FILE}`);
      expect([named.code, named.out]).toEqual([0, `Paused ${key} (a).\n`]);
      writeFileSync(config, BROKEN);
      expect((await run(`keys resume ${key}`)).out).toBe(`Resumed ${key} (a).\n`);
    },
    LONG_MS,
  );
});

test(
  "health asks a running gateway beside a file with mistakes, unless they hide where it listens",
  async () => {
    const gateway = Bun.serve({ port: 0, fetch: () => Response.json({ status: "ready", problems: [] }) });
    const config = join(folder, "poundkey.yaml");
    const port = `port: ${gateway.port}`;
    writeFileSync(config, `server: { ${port}, admin_token: "\${NOT_SET}" }\n`);
    const asked = await run("health");
    expect([asked.code, asked.out]).toEqual([0, "ready\n"]);
    expect(asked.err).toStartWith("warning: poundkey.yaml:1:");
    for (const server of [`server: { ${port}: 1 }`, `server: { port: "\${NOT_SET}" }`, `server: [${port}]`]) {
      writeFileSync(config, server);
      expect([server, (await run("health")).code]).toEqual([server, 1]);
    }
    await gateway.stop(true);
  },
  LONG_MS,
);

describe("serve", () => {
  const place = (): Place => ({ directory: folder, configure: () => {}, remove: () => {} });

  test(
    "says which store it uses, and which of its files others may read",
    async () => {
      const first = startServe(place(), "--port", "0");
      await first.listens();
      first.signal("SIGTERM");
      expect(await first.exited).toBe(0);
      expect(first.err).toContain(`poundkey: creating a store at ${join(folder, FILE)}\n`);
      expect(first.events("store_exposed")).toEqual([]);
      chmodSync(join(folder, FILE), 0o644);
      const second = startServe(place(), "--port", "0", "--workers", "2");
      await second.listens();
      const [line] = await second.logged("store_exposed", 1);
      second.signal("SIGTERM");
      expect(await second.exited).toBe(0);
      expect(line).toMatchObject({ level: "warn", files: expect.arrayContaining([join(folder, FILE)]) });
      expect(second.err.split(`poundkey: using the store at ${join(folder, FILE)}\n`).length).toBe(2);
      expect(second.events("store_exposed").length).toBe(1);
    },
    LONG_MS * 2,
  );

  test(
    "with an invalid host creates no store",
    async () => {
      expect((await poundkey(folder, words("serve --host not/a/host"))).code).toBe(2);
      expect(readdirSync(folder)).toEqual([]);
    },
    LONG_MS,
  );

  test(
    "and check refuse an admin token that is easily guessed, without showing it",
    async () => {
      writeFileSync(join(folder, "poundkey.yaml"), "log: {}\nserver:\n  admin_token: fifteen-letters\n");
      const said =
        "poundkey.yaml:3:16: server.admin_token: expected 16 to 512 printable characters without spaces, got a hidden value\n";
      const ends = [
        { args: ["serve", "--port", "0"], code: 4 },
        { args: ["check"], code: 1 },
      ];
      for (const { args, code } of ends)
        expect(await poundkey(folder, args)).toEqual({ code, out: "", err: said });
      const env = { POUNDKEY_ADMIN_TOKEN: "fifteen-letters" };
      rmSync(join(folder, "poundkey.yaml"));
      for (const { args, code } of ends)
        expect(await poundkey(folder, args, env)).toMatchObject({
          code,
          err: "environment: POUNDKEY_ADMIN_TOKEN: expected 16 to 512 printable characters without spaces\n",
        });
      expect(readdirSync(folder)).toEqual([]);
    },
    LONG_MS,
  );
});
