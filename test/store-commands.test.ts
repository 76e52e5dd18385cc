// Commands that create a store and commands that only read one: none shows an empty store by mistake.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asArray, parseJson } from "../src/core/json.ts";
import { poundkey } from "./poundkey.ts";
import { LONG_MS, type Place, startServe } from "./serve-process.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "poundkey-store-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const FILE = join(".poundkey", "poundkey.db");
const words = (line: string) => line.split(" ");

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
      const { code, out, err } = await poundkey(folder, words(line));
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
      const { code, err } = await poundkey(folder, ["ledger", "verify", "--store", "sqlite:empty.db"]);
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
      const first = await poundkey(folder, words(line));
      expect(first).toMatchObject({
        code: 0,
        err: `poundkey: creating a store at ${join(folder, FILE)}\n`,
      });
      const again = await poundkey(folder, words(line));
      expect(again).toMatchObject({ code: 0, err: `poundkey: using the store at ${join(folder, FILE)}\n` });
      const listed = await poundkey(folder, ["accounts", "list", "--json"]);
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
    "serve --host not/a/host",
  ])(
    "%s, which is invalid or only asks for help, creates none",
    async (line) => {
      await poundkey(folder, words(line));
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
    "and check refuse an admin token that is easily guessed, without showing it",
    async () => {
      writeFileSync(join(folder, "poundkey.yaml"), "log: {}\nserver:\n  admin_token: fifteen-letters\n");
      const said =
        "poundkey.yaml:3:16: server.admin_token: expected 16 to 512 printable characters without spaces, got a hidden value\n";
      for (const args of [["serve", "--port", "0"], ["check"]])
        expect(await poundkey(folder, args)).toEqual({ code: 1, out: "", err: said });
      const env = { POUNDKEY_ADMIN_TOKEN: "fifteen-letters" };
      rmSync(join(folder, "poundkey.yaml"));
      for (const args of [["serve", "--port", "0"], ["check"]]) {
        const { code, err } = await poundkey(folder, args, env);
        expect([code, err]).toEqual([
          1,
          "environment: POUNDKEY_ADMIN_TOKEN: expected 16 to 512 printable characters without spaces\n",
        ]);
      }
      expect(readdirSync(folder)).toEqual([]);
    },
    LONG_MS,
  );
});
