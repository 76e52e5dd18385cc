// Types that openapi-typescript makes from the OpenAPI document: they name Key, Request and Account, and a client over them reads
// what the gateway answers.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asObject, parseJson } from "../../../src/core/json/json.ts";
import { isMissing } from "../../harness/tools.ts";
import { asking, type HttpWorld, startHttpWorld } from "../../whole/world/world.ts";

setDefaultTimeout(120_000);

const MODULES = join(import.meta.dir, "node_modules");
/** False unless the generator is installed, which .ci/run does. */
const INSTALLED = !isMissing("no openapi-typescript", existsSync(MODULES));
const ROOT = join(import.meta.dir, "..", "..", "..");
const GENERATOR = join(MODULES, "openapi-typescript", "bin", "cli.js");
const COMPILER = join(ROOT, "node_modules", "typescript", "bin", "tsc");
const OPTIONS = [
  "--noEmit",
  "--strict",
  "--skipLibCheck",
  "--allowImportingTsExtensions",
  ...["--target", "esnext"],
  ...["--module", "esnext"],
  ...["--moduleResolution", "bundler"],
  ...["--typeRoots", join(ROOT, "node_modules", "@types")],
  ...["--types", "bun"],
];

const PROGRAM = `
import createClient from "openapi-fetch";
import type { Account, Key, paths, Request } from "./types.ts";

const [, , baseUrl = "", token = ""] = process.argv;
const client = createClient<paths>({ baseUrl, headers: { authorization: "Bearer " + token } });

const showKey = ({ name, budgets, account_id }: Key): string => [name, budgets?.length, account_id].join(" ");
const showRequest = ({ model_asked, status }: Request): string => [model_asked, status].join(" ");
const showAccount = ({ name, balance_usd }: Account): string => [name, balance_usd.toFixed(2)].join(" ");

const body = { name: "typed", budgets: [{ usd: 5, per: "month" as const }] };
const made = await client.POST("/admin/v1/keys", { body });
const wrong = await client.POST("/admin/v1/keys", { body: { name: "" } });
const page = { params: { query: { limit: 50 } } };
const keys = await client.GET("/admin/v1/keys", page);
const requests = await client.GET("/admin/v1/requests", page);
const accounts = await client.GET("/admin/v1/accounts", page);
const usage = await client.GET("/admin/v1/usage", { params: { query: { group_by: "model" } } });
const shown = {
  secret: made.data?.secret,
  error: wrong.error?.error.message,
  keys: keys.data?.data.map(showKey),
  requests: requests.data?.data.map(showRequest),
  accounts: accounts.data?.data.map(showAccount),
  models: usage.data?.data.map(({ model }) => model),
};
console.log(JSON.stringify(shown));
`;

/** A field that no key has, and an amount that is no number. */
const MISTAKES = `
import createClient from "openapi-fetch";
import type { Key, paths } from "./types.ts";

export const readName = (key: Key) => key.nmae;
export const add = () =>
  createClient<paths>({}).POST("/admin/v1/keys", { body: { name: "a", budgets: [{ usd: "5", per: "month" }] } });
`;

let world: HttpWorld;
let folder: string;

beforeAll(async () => {
  if (!INSTALLED) return;
  world = await startHttpWorld();
  folder = mkdtempSync(join(tmpdir(), "poundkey-types-"));
  symlinkSync(MODULES, join(folder, "node_modules"));
  await Bun.write(join(folder, "openapi.json"), await (await fetch(`${world.url}/openapi.json`)).text());
  await Bun.write(join(folder, "program.ts"), PROGRAM);
  await Bun.write(join(folder, "mistakes.ts"), MISTAKES);
  const generated = await run(
    "node",
    GENERATOR,
    "openapi.json",
    "--output",
    "types.ts",
    "--root-types",
    "--root-types-no-schema-prefix",
  );
  expect(generated.code).toBe(0);
});
afterAll(async () => {
  if (!INSTALLED) return;
  await world.stop();
  rmSync(folder, { recursive: true });
});

async function run(...command: readonly string[]) {
  const child = Bun.spawn([...command], { cwd: folder, stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out, err };
}

describe.skipIf(!INSTALLED)("openapi-typescript (skipped unless it is installed)", () => {
  test("names the types of keys, requests and accounts, with words on their fields", () => {
    const types = readFileSync(join(folder, "types.ts"), "utf8");
    for (const name of ["Key", "Request", "Account"]) {
      expect(types).toMatch(
        new RegExp(`^export type ${name} = components\\['schemas'\\]\\['${name}'\\];$`, "m"),
      );
      expect(types).toMatch(new RegExp(`components\\["schemas"\\]\\["${name}"\\]\\[\\]`));
    }
    expect(types).toContain("@description Ids of models and selectors");
  });

  test("a client over them compiles, and reads what the gateway answers", async () => {
    await (await world.chat(asking("Acme#cheap"))).text();
    expect(await run("node", COMPILER, ...OPTIONS, "program.ts")).toMatchObject({ code: 0, out: "" });
    const { code, out, err } = await run(process.execPath, "program.ts", world.url, world.adminToken);
    expect([code, err]).toEqual([0, ""]);
    const shown = asObject(parseJson(out));
    expect(shown.secret).toStartWith("sk-");
    expect(shown.error).toContain("'name'");
    expect(shown.keys).toContain("typed 1 default");
    expect(shown.requests).toContain("Acme#cheap 200");
    expect(shown.accounts).toContain("default 0.00");
    expect(shown.models).toContain("Acme#cheap");
  });

  test("a mistake in it doesn't compile", async () => {
    const { code, out } = await run("node", COMPILER, ...OPTIONS, "mistakes.ts");
    expect(code).not.toBe(0);
    expect(out).toContain("Property 'nmae' does not exist on type");
    expect(out).toContain("Type 'string' is not assignable to type 'number");
  });
});
