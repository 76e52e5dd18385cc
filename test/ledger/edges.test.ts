// Attacks on the books by a client, provider or operator: absurd amounts, links, slow bodies, expanding schemas.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../../src/core/json/json.ts";
import { NO_AMOUNTS } from "../../src/core/money/units.ts";
import { cleanSchema } from "../../src/dialects/gemini/schema.ts";
import { makeFunctionCalling } from "../../src/dialects/gemini/tools.ts";
import { decide } from "../../src/ledger/decide.ts";
import { resolveEach } from "../../src/ledger/lost.ts";
import { estimateWorstPromptTokens } from "../../src/operations/chat/estimate.ts";
import type { ChatRequest } from "../../src/operations/chat/form.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { cost, makeModelCard } from "../harness/cards.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import {
  addKey,
  costing,
  give,
  makeOffer,
  makeRecord,
  NOON,
  openMemoryStore,
  writeRecord,
} from "../harness/samples.ts";
import { catchThrown } from "../harness/thrown.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { fill, list } from "../surfaces/growth/place.ts";
import { until } from "../whole/world/until.ts";
import { ALWAYS, findErrors, openPayments } from "./payments.ts";

const folder = mkdtempSync(join(tmpdir(), "poundkey-edges-"));
afterAll(() => rmSync(folder, { recursive: true }));

const CARD = makeModelCard("OpenAI#gpt-5.4");

test("empty list entries count, and names of sealed thinking count as text if a model reads them", () => {
  const withTools = (parameters: JsonObject): ChatRequest => ({
    model: "x",
    messages: [{ role: "user", content: "hi" }],
    tools: [{ type: "function", function: { name: "f", parameters } }],
  });
  const plain = estimateWorstPromptTokens(withTools({}), CARD);
  for (const empty of [[], {}, ""]) {
    const filled = estimateWorstPromptTokens(withTools({ enum: Array(10_000).fill(empty) }), CARD);
    expect(filled - plain).toBeGreaterThan(10_000);
  }
  const text = "word ".repeat(2000);
  const named = estimateWorstPromptTokens(withTools({ thought_signature: text }), CARD);
  expect(named - plain).toBeGreaterThan(text.length / 1.5);
});

test("a schema with endlessly expanding references stays small", () => {
  const definition = { type: "object", description: "x".repeat(20_000), properties: {} };
  const properties: JsonObject = {};
  for (let at = 0; at < 2000; at++) properties[`p${at}`] = { $ref: "#/$defs/big" };
  const given = { type: "object", properties, $defs: { big: definition } };
  const written = JSON.stringify(cleanSchema(given)).length;
  expect(written).toBeLessThan(4 * JSON.stringify(given).length + 200_000);
});

test("the references of many tools together expand no further than those of one", () => {
  const definition = { type: "object", properties: fill(200, () => ({ type: "string" })) };
  const parameters = {
    type: "object",
    properties: fill(100, () => ({ $ref: "#/$defs/a" })),
    $defs: { a: definition },
  };
  const tools = list(40, (at) => ({
    type: "function" as const,
    function: { name: `tool_${at}`, parameters },
  }));
  const { fields } = makeFunctionCalling({ model: "m", messages: [], tools }, false);
  expect(JSON.stringify(fields).length).toBeLessThan(2 * JSON.stringify(tools).length + 100_000);
});

test("an implausible cost is capped to what rows can hold", () => {
  const amounts = { ...NO_AMOUNTS, prompt: 1e9, completion: 1e9 };
  expect(cost({ input: 10_000, output: 10_000 }, amounts, 100)).toBe(1e15);
});

test("totals beyond exact numbers can still be read", async () => {
  const store = await openMemoryStore();
  for (let at = 0; at < 12; at++) await writeRecord(store, makeRecord(`r${at}`, { costNanoUsd: 1e15 }));
  const [sum] = await store.usage({ fromMs: 0, toMs: NOON * 2, groupBy: [] });
  expect(sum?.costNanoUsd).toBe(12e15);
  await store.close();
});

test("a key over its limit may still use free models", async () => {
  const store = await openMemoryStore();
  await give(store, "default", 1000);
  const key = await addKey(store, "key_a");
  const payments = openPayments(store);
  await payments.post(await payments.hold("1", key, 500), 500);
  await unrecorded(store).changeKey(key.id, { spendLimitNanoUsd: 100 });
  const free = { offers: () => [makeOffer({ lines: [], outputUsdPerMillion: 0 })] };
  expect((await payments.ledger.admit(payments.ticket("2", key, 0, free))).kind).toBe("granted");
  await expect(
    payments.ledger.admit(payments.ticket("3", key, 0, { offers: () => [costing(1)] })),
  ).rejects.toThrow();
  await store.close();
});

test("a linked database file is recognized as the same by all processes, and syncs find its log", async () => {
  const real = join(folder, "real");
  mkdirSync(real);
  const first = await openSqliteStore({ path: join(real, "p.db"), decide });
  symlinkSync(join(real, "p.db"), join(folder, "link.db"));
  const second = await openSqliteStore({ path: join(folder, "link.db"), decide });
  await Promise.all([first.beat(), second.beat()]);
  await give(first, "default", 1000);
  const payments = openPayments(first, ALWAYS);
  const held = await payments.hold("1", await addKey(first, "key_a"), 500);
  expect(await second.orphans(9)).toEqual([]);
  await second.durable();
  expect(await payments.post(held, 400)).toMatchObject({ chargedNanoUsd: 400, late: false });
  expect(findErrors(await second.audit())).toEqual([]);
  await Promise.all([first.close(), second.close()]);
});

test("a hold that can't be settled is reported, and keeps no other of a dead node unsettled", async () => {
  const left = new Set(Array.from({ length: 1200 }, (_, at) => `hold_${at}`));
  const orphans = async (most: number) => [...left].slice(0, most).map((id) => ({ id, accountId: "acc_a" }));
  const resolve = async ({ id }: { id: string }) => {
    if (Number(id.slice("hold_".length)) < 600) throw new Error("unsettled", { cause: "why" });
    left.delete(id);
  };
  const thrown = await catchThrown(resolveEach(orphans, resolve));
  expect(thrown).toEqual(
    new Error("the hold of hold_0 in account acc_a and 599 more can't be settled: Error: unsettled", {
      cause: "why",
    }),
  );
  expect(left.size).toBe(600);
});

describe("over HTTP", () => {
  let gateway: UnderTest;
  beforeAll(async () => {
    gateway = await startUnderTest();
  });
  afterAll(() => gateway.stop());

  test("a limit set while a body arrives applies to that request", async () => {
    const { secret, id } = await gateway.newKey();
    const body = JSON.stringify({ model: "OpenAI#sim-mini", messages: [{ role: "user", content: "hi" }] });
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    const answer = new Promise<string>((resolve) => socket.once("data", (data) => resolve(data.toString())));
    const head = [
      "POST /v1/chat/completions HTTP/1.1",
      `host: ${hostname}:${port}`,
      `authorization: Bearer ${secret}`,
      "content-type: application/json",
      `content-length: ${body.length}`,
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n${body.slice(0, 10)}`);
    // The head is there before the change.
    await Bun.sleep(50);
    const changed = await fetch(`${gateway.url}/admin/v1/keys/${id}`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${gateway.adminToken}`, "content-type": "application/json" },
      body: JSON.stringify({ allowed_models: ["OpenAI#other"] }),
    });
    expect(changed.status).toBe(200);
    // Keys are cached for half a second.
    await until("the change applies", async () => (await gateway.chat(body, { secret })).status === 403);
    socket.write(body.slice(10));
    expect((await answer).split("\r\n")[0]).toContain("403");
    socket.destroy();
  });
});
