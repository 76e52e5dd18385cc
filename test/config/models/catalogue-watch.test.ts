// The fields of `catalogue.watch`: what they come to, and what is refused.
import { afterAll, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../../src/app/start/configuration.ts";
import { warnOfUnwritable } from "../../../src/cli/start/catalogue-writable.ts";
import { PROVIDERS } from "../../../src/providers/index.ts";
import { readFrom } from "../../harness/settings.ts";

const pair = generateKeyPairSync("ed25519");
const PEM = pair.publicKey.export({ type: "spki", format: "pem" }).toString();
const PRIVATE = pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const KEY = PEM.split("\n").slice(1, -2).join("");
const BASE64 = Buffer.from(KEY, "base64").subarray(12).toString("base64");
const FROM = "https://prices.example.com/catalogue.json";
const folder = mkdtempSync(join(tmpdir(), "poundkey-watch-fields-"));
afterAll(() => rmSync(folder, { recursive: true }));

function load(catalogue: object, store = "sqlite:./data/poundkey.db") {
  const readFile = readFrom({ "conf/poundkey.yaml": JSON.stringify({ catalogue }) });
  const source = { env: () => undefined, readConfig: readFile, readFile, known: PROVIDERS };
  return loadConfig({ config: "conf/poundkey.yaml", store }, source).loaded;
}

function settingsOf(catalogue: object) {
  const loaded = load(catalogue);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  return loaded.settings;
}

test("the defaults are our own form, a day, and nothing taken", () => {
  const { catalogueWatch, catalogueFile } = settingsOf({ watch: { from: FROM } });
  expect(catalogueWatch).toEqual({ from: FROM, format: "poundkey", everyMs: 86_400_000 });
  expect(catalogueFile).toBeUndefined();
});

test("a path stands beside the configuration, keys have one form, and what is taken a file beside the store", () => {
  const watch = {
    from: "./lists/catalogue.json",
    keys: [PEM, `${BASE64}\n`],
    take: "new",
    pin: 7,
    ignore: ["A#*"],
  };
  const { catalogueWatch, catalogueFile, isCatalogueFileDefault } = settingsOf({ watch });
  expect(catalogueWatch).toEqual({
    from: "conf/lists/catalogue.json",
    format: "poundkey",
    everyMs: 86_400_000,
    keys: [BASE64, BASE64],
    take: "new",
    pin: 7,
    ignore: ["A#*"],
  });
  expect([catalogueFile, isCatalogueFileDefault]).toEqual(["data/catalogue.taken.json", true]);
});

test("a path from the root is that path", () => {
  const from = "/srv/lists/catalogue.json";
  expect(settingsOf({ watch: { from } }).catalogueWatch).toMatchObject({ from });
});

test("what can't be meant is refused, and a private key isn't shown", () => {
  const watch = { from: FROM, keys: [BASE64] };
  const rows: [object, string, string][] = [
    [{ watch: { ...watch, keys: [PRIVATE] } }, "catalogue.watch.keys[0]", "is a private key"],
    [{ watch: { ...watch, keys: ["key"] } }, "catalogue.watch.keys[0]", "is no public key"],
    [{ watch: { ...watch, keys: [] } }, "catalogue.watch.keys", "1 to 4"],
    [{ watch: { ...watch, keys: [1, 2, 3, 4, 5].map(String) } }, "catalogue.watch.keys", "1 to 4"],
    [{ watch: { from: FROM, take: "safe" } }, "catalogue.watch.take", "only signed lists"],
    [{ watch: { ...watch, take: "all" } }, "catalogue.watch.take", "none"],
    [{ watch: { from: FROM, format: "litellm", pin: 1 } }, "catalogue.watch.pin", "not litellm"],
    [{ watch: { from: FROM, pin: 0 } }, "catalogue.watch.pin", "serial"],
    [{ keys: [BASE64] }, "catalogue.keys", "watch.keys"],
    [{ file: "a.json", pin: 1 }, "catalogue.pin", "watch.pin"],
    [{ watch: { from: "http://prices.example.com/list" } }, "catalogue.watch.from", "https://"],
    [{ watch: { from: "ftp://prices.example.com/list" } }, "catalogue.watch.from", "no URL"],
  ];
  for (const [catalogue, field, why] of rows) {
    const loaded = load(catalogue);
    const [error] = loaded.ok ? [] : loaded.errors;
    expect([catalogue, error?.field]).toEqual([catalogue, field]);
    expect(error?.message).toContain(why);
    expect(JSON.stringify(loaded)).not.toContain(PRIVATE.split("\n")[1]);
  }
});

test("without a file, take needs an SQLite store", () => {
  const watch = { from: FROM, keys: [BASE64], take: "safe" };
  for (const store of ["postgres://db.example.com/poundkey", "sqlite::memory:"]) {
    const loaded = load({ watch }, store);
    expect(loaded.ok ? [] : loaded.errors.map(({ field }) => field)).toEqual(["catalogue.watch.take"]);
    expect(load({ watch, file: "a.json" }, store).ok).toBe(true);
  }
});

test("a public key in the configuration is no secret, and a file that can't be written is told", () => {
  const loaded = load({ file: join(folder, "a.json"), watch: { from: FROM, keys: [BASE64], take: "safe" } });
  const warnings = loaded.ok ? loaded.warnings.filter(({ field }) => field.startsWith("catalogue")) : null;
  expect(warnings).toEqual([]);
  const watch = settingsOf({ watch: { from: FROM } }).catalogueWatch;
  const warn = (file: string) =>
    warnOfUnwritable({ catalogueFile: file, ...(watch && { catalogueWatch: watch }) });
  expect(warn(join(folder, "a.json"))).toEqual([]);
  expect(warn(join(folder, "missing", "a.json")).map(({ field }) => field)).toEqual(["catalogue.file"]);
});
