// `poundkey check` and the start name the keys whose list has a model that ends.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readAccountNames, readKeyModels } from "../../src/app/start/account-names.ts";
import { noteEndingKeys } from "../../src/app/start/ending-keys.ts";
import { openStore } from "../../src/app/start/open-store.ts";
import { buildCatalogue } from "../../src/catalogue/catalogue.ts";
import { runCheck } from "../../src/cli/start/check.ts";
import type { JsonObject } from "../../src/core/json/json.ts";
import type { Store } from "../../src/core/store.ts";
import { PROVIDERS } from "../../src/providers/index.ts";
import { makeKey } from "../harness/samples.ts";
import { readFrom, readSettings } from "../harness/settings.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { useDatabases } from "../store/postgres/databases.ts";

const LONG_MS = 60_000;
const ENDING = "OpenAI#gpt-5-nano";
const CONFIGURED = "providers: { OpenAI: { keys: [k] } }";
const AT_MS = Date.parse("2026-12-01T00:00:00Z");
const END = `${ENDING} ends: its last day is 2026-12-11; before then, name another model, such as OpenAI#gpt-6-luna`;

const server = await useDatabases();
let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "poundkey-ending-"));
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await server.remove();
}, LONG_MS);

/** Returns the warnings about models that end. */
async function check(store: string, args: readonly string[], nowMs: number): Promise<readonly string[]> {
  const said: string[] = [];
  const ports = {
    env: () => undefined,
    known: PROVIDERS,
    readFile: readFrom({}),
    readConfig: readFrom({ "poundkey.yaml": `store: "${store}"\n${CONFIGURED}` }),
    probe: async () => [],
    probeIssuer: async () => "",
    exposedFiles: () => [],
    accountNames: readAccountNames,
    keyModels: readKeyModels,
    schema: async () => null,
    nowMs: () => nowMs,
    version: async () => "",
  };
  const io = { out: () => {}, err: (text: string) => said.push(text) };
  expect(await runCheck(args, io, ports)).toBe(0);
  return said.filter((line) => line.includes("its last day"));
}

/** Returns the lines of a start, and how often it looks through the keys. */
async function note(store: Pick<Store, "keys">) {
  const cards = buildCatalogue({ ...readSettings(CONFIGURED), nowMs: AT_MS }).listWithEnded();
  const lines: JsonObject[] = [];
  let looks = 0;
  const counted: typeof store = {
    keys: (...asked) => {
      looks++;
      return store.keys(...asked);
    },
  };
  await noteEndingKeys(counted, cards, (line) => lines.push(line), AT_MS);
  return { lines, looks };
}

async function fill(address: string): Promise<void> {
  const masterKey = address.startsWith("postgres") ? Buffer.alloc(32, 1).toString("base64") : undefined;
  const { store } = await openStore(address, masterKey);
  await unrecorded(store).addKey(
    makeKey("key_other", { allowedModels: ["OpenAI#gpt-6-luna"] }),
    "digest other",
  );
  expect(await note(store)).toEqual({ lines: [], looks: 1 });
  for (const [at, allowedModels] of [[ENDING.toLowerCase(), "Other#x"], ["OpenAI#*"], null].entries())
    await unrecorded(store).addKey(
      makeKey(`key_${at}`, { name: `app ${at}`, allowedModels }),
      `digest ${at}`,
    );
  const gone = { allowedModels: [ENDING], revokedAtMs: 1 };
  await unrecorded(store).addKey(makeKey("key_gone", gone), "digest gone");
  const { lines, looks } = await note(store);
  expect(lines).toMatchObject([{ event: "model_ending", level: "warn", model: ENDING, keys: ["key_0"] }]);
  expect(looks).toBeGreaterThan(1);
  await store.close();
}

const WARNING = `warning: keys: ${END}: allowed_models of 'app 0' (key_0)`;

test("the keys that name it are named from 30 days before its end, by check and at the start", async () => {
  const store = `sqlite:${join(directory, "poundkey.db")}`;
  expect(await check(store, [], AT_MS)).toEqual([]);
  await fill(store);
  expect(await check(store, [], AT_MS)).toEqual([WARNING]);
  expect(await check(store, [], Date.parse("2026-11-01T00:00:00Z"))).toEqual([]);
});

test("on a server, it is asked only with --probe", async () => {
  const store = server.url;
  await fill(store);
  expect(await check(store, [], AT_MS)).toEqual([]);
  expect(await check(store, ["--probe"], AT_MS)).toEqual([WARNING]);
});
