// `poundkey catalogue publish` and `verify`: a signed list is made and checked as the manual says.
import { afterAll, beforeEach, expect, test } from "bun:test";
import {
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
import { source } from "../../../src/app/start/configuration.ts";
import { SHIPPED_DAY as DAY } from "../../../src/catalogue/feeds/as-of.ts";
import { runCatalogue } from "../../../src/cli/models/catalogue.ts";
import { asArray, asObject, parseJson } from "../../../src/core/json/json.ts";
import { ROW } from "../catalogue-run.ts";

const folder = mkdtempSync(join(tmpdir(), "poundkey-publish-"));
afterAll(() => rmSync(folder, { recursive: true }));
const sh = (command: string) => Bun.spawnSync(["sh", "-c", command], { cwd: folder }).exitCode;
for (const name of ["own", "other"]) {
  sh(
    `openssl genpkey -algorithm ed25519 -out ${name}.key && openssl pkey -in ${name}.key -pubout -out ${name}.pub`,
  );
}
sh("openssl genpkey -algorithm rsa -pkeyopt rsa_keygen_bits:2048 -out rsa.key");
const at = (name: string) => join(folder, name);
const FIRST = Number(`${DAY.replaceAll("-", "")}00`);
const out = at("out");
const LIST = join(out, "catalogue.json");
beforeEach(() => rmSync(out, { recursive: true, force: true }));

async function run(...args: string[]) {
  const printed: string[] = [];
  const io = { out: (line: string) => printed.push(line), err: (line: string) => printed.push(line) };
  return { code: await runCatalogue(args, io, source), out: printed.join("\n") };
}
const publish = (...args: string[]) => run("publish", "--out", out, ...args);
const read = () => asObject(parseJson(readFileSync(LIST, "utf8")));
function makeFile(name: string, content: unknown): string {
  writeFileSync(at(name), JSON.stringify(content));
  return at(name);
}

test("the built-in rows make the day's first list, and the same bytes again elsewhere", async () => {
  expect((await publish("--key", at("own.key"))).code).toBe(0);
  const bytes = readFileSync(LIST);
  expect([read().serial, read().as_of]).toEqual([FIRST, DAY]);
  for (const file of [LIST, `${LIST}.sig`]) expect(statSync(file).mode & 0o777).toBe(0o644);
  expect(
    sh(
      "openssl pkeyutl -verify -pubin -inkey own.pub -rawin -in out/catalogue.json -sigfile out/catalogue.json.sig",
    ),
  ).toBe(0);
  expect((await run("publish", "--out", at("elsewhere"), "--key", at("own.key"))).code).toBe(0);
  expect(readFileSync(join(at("elsewhere"), "catalogue.json")).equals(bytes)).toBe(true);
  expect(readFileSync(join(at("elsewhere"), "catalogue.json.sig")).equals(readFileSync(`${LIST}.sig`))).toBe(
    true,
  );
});

test("equal rows write nothing, other rows get the next number, and a day has a hundred", async () => {
  await publish("--only", "OpenAI#*");
  const before = statSync(LIST).ino;
  const again = await publish("--only", "OpenAI#*");
  expect([again.code, statSync(LIST).ino, existsSync(`${LIST}.sig`)]).toEqual([0, before, false]);
  expect(again.out).toContain("Nothing was written");
  await publish("--only", "Groq#*");
  expect(read().serial).toBe(FIRST + 1);
  await publish("--only", "OpenAI#*", "--serial", String(FIRST + 99));
  const full = await publish("--only", "Groq#*");
  expect([full.code, read().serial]).toEqual([2, FIRST + 99]);
  await publish("--only", "Groq#*", "--serial", "118");
  expect(read().serial).toBe(118);
  const used = await publish("--only", "OpenAI#*", "--serial", "118");
  expect([used.code, used.out.includes("that of another list")]).toEqual([2, true]);
  const list = at("before.json");
  writeFileSync(list, readFileSync(LIST));
  rmSync(out, { recursive: true });
  await publish("--after", list, "--only", "OpenAI#*");
  expect(read().serial).toBe(FIRST);
});

test("rows of files replace built-in ones, in turn, with their own day", async () => {
  const one = makeFile("one.json", {
    as_of: "2026-12-05",
    models: [
      { ...ROW, output: 7 },
      { ...ROW, id: "Edge#m" },
    ],
  });
  const two = makeFile("two.json", [{ ...ROW, output: 8 }]);
  expect((await publish("--with", one, "--with", two, "--only", "*#gpt-99", "--only", "edge#*")).code).toBe(
    0,
  );
  expect([read().as_of, read().serial]).toEqual(["2026-12-05", 2026120500]);
  const rows = asArray(read().models).map((row) => asObject(row));
  expect(rows.map(({ id, output, as_of }) => [id, output, as_of])).toEqual([
    [ROW.id, 8, DAY],
    ["Edge#m", ROW.output, undefined],
  ]);
});

test("rows that can't be published are refused with their file, and nothing is written", async () => {
  const rows: [object, string][] = [
    [{ ...ROW, price: null }, "has no price"],
    [{ ...ROW, shutdown: "2026-11-01" }, "has ended on 2026-11-01"],
    [{ ...ROW, id: "OpenAI#gpt-5.4", price: { input: 0.001, output: 0.001 } }, "factor of 100"],
    [{ ...ROW, mood: 1 }, "mood"],
  ];
  for (const [row, why] of rows) {
    const { code, out: said } = await publish("--with", makeFile("wrong.json", [row]));
    expect([row, code, existsSync(out)]).toEqual([row, 1, false]);
    expect(said).toContain(why);
    expect(said).toContain("wrong.json");
  }
  expect((await publish("--with", at("nowhere.json"))).code).toBe(1);
  expect((await publish("--only", "Nobody#*")).code).toBe(1);
});

test("a key that can't sign is refused by its file before anything is written", async () => {
  for (const name of ["rsa.key", "own.pub", "nowhere.key"]) {
    const { code, out: said } = await publish("--key", at(name));
    expect([name, code, said.includes(name), existsSync(out)]).toEqual([name, 2, true, false]);
  }
  for (const serial of ["0", "-1", "1.5", "9007199254740992", "x"])
    expect([serial, (await publish(`--serial=${serial}`)).code]).toEqual([serial, 2]);
});

test("verify tells a list's number, day, models and key, and refuses what isn't signed by it", async () => {
  await publish("--key", at("own.key"), "--only", "OpenAI#*");
  const right = await run("verify", LIST, "--key", at("other.pub"), "--key", at("own.pub"));
  expect(right.code).toBe(0);
  expect(right.out).toContain(`serial ${FIRST} of ${DAY}, ${asArray(read().models).length} models`);
  expect(right.out).toMatch(/signed by [0-9a-f]{8}$/);
  const other = await run("verify", LIST, "--key", at("other.pub"));
  expect([other.code, other.out.includes("(signature)")]).toEqual([1, true]);
  expect(other.out).toMatch(/[0-9a-f]{8}/);
  const unlooked = await run("verify", LIST);
  expect([unlooked.code, unlooked.out.includes("wasn't looked at")]).toEqual([0, true]);
  const signature = readFileSync(`${LIST}.sig`);
  const wrong = [signature.subarray(1), Buffer.concat([signature, Buffer.of(1)]), null];
  for (const bytes of wrong) {
    if (bytes === null) rmSync(`${LIST}.sig`);
    else writeFileSync(`${LIST}.sig`, bytes);
    const said = await run("verify", LIST, "--key", at("own.pub"));
    expect([said.code, said.out.includes("(signature)")]).toEqual([1, true]);
  }
  const own = await run("verify", LIST, "--key", at("own.key"));
  expect([own.code, own.out.includes("is a private key")]).toEqual([2, true]);
  expect(own.out).not.toContain(readFileSync(at("own.key"), "utf8").split("\n")[1]);
});

test("verify refuses what is no list, with the cause", async () => {
  mkdirSync(out);
  const rows: [string | Uint8Array, string][] = [
    ["", "form"],
    ["[]", "form"],
    ["{".repeat(1_000_000), "form"],
    [Buffer.of(0xff, 0xfe), "form"],
    ['\ufeff{"poundkey_catalogue":1}', "form"],
    [JSON.stringify({ poundkey_catalogue: 2, serial: 1, as_of: DAY, models: [ROW] }), "form"],
    [
      `${JSON.stringify({ poundkey_catalogue: 1, serial: 1, as_of: DAY, models: [ROW] }).slice(0, -1)}`,
      "form",
    ],
    [JSON.stringify({ poundkey_catalogue: 1, serial: 1, as_of: DAY, models: [ROW, ROW] }), "value"],
    [Buffer.alloc(64_000_001, " "), "size"],
  ];
  for (const [bytes, why] of rows) {
    writeFileSync(LIST, bytes);
    const { code, out: said } = await run("verify", LIST);
    expect([code, said.includes(`(${why})`), why]).toEqual([1, true, why]);
  }
  expect((await run("verify", at("nowhere.json"))).out).toContain("(unreachable)");
});

test("wrong usage is told, and flags belong to their verbs", async () => {
  const rows: [string[], string][] = [
    [["verify"], "verify needs a file"],
    [["publish", "x"], 'unexpected argument "x"'],
    [["frobnicate"], "expected: diff FILE"],
    [["diff", "x", "--key", "y"], "--key belongs to update and publish and verify"],
    [["verify", "x", "--serial", "1"], "--serial belongs to publish"],
    [["publish", "--key", "a", "--key", "b"], "publish signs with one key"],
  ];
  for (const [args, why] of rows) {
    const { code, out: said } = await run(...args);
    expect([args, code]).toEqual([args, 2]);
    expect(said).toContain(why);
  }
  expect(readdirSync(folder).filter((name) => name.endsWith(".new"))).toEqual([]);
});
