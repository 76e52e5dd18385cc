// The ruler of a tool's call: the objects, promises, statements and system calls that it takes, against the budgets in
// src/README.md.
import { expect, test } from "bun:test";
import { expectNone } from "../tidy/sources.ts";
import { countObjects, countStatements, type Request, type Statements } from "./costs.ts";
import { startFixedToolServer } from "./fixed-tool-server.ts";
import { type Counts, judge, keepLeast } from "./judging.ts";
import { type MeasuredGateway, startMeasured } from "./measured-gateway.ts";
import { countSystemCalls } from "./system-calls.ts";

const BATCH = 8;

async function listRequests(gateway: MeasuredGateway): Promise<readonly Request[]> {
  const { secret } = await gateway.admin("/keys", {
    name: "free",
    requests_per_day: null,
    requests_per_minute: 1_000_000,
  });
  const { id } = await gateway.admin("/accounts", { name: "payer" });
  await gateway.admin(`/accounts/${id}/topups`, { amount_usd: 100 });
  const payer = await gateway.admin("/keys", { name: "payer", account_id: id, requests_per_day: 0 });
  const params = { name: "fixed_echo", arguments: { text: "The words of a call." } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  return [
    { name: "a tool's call", key: secret },
    { name: "a paid call of a tool", key: payer.secret },
  ].map(({ name, key }) => {
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const send = async () => {
      const response = await fetch(`${gateway.url}/mcp`, { method: "POST", headers, body });
      const text = await response.text();
      if (!text.includes("has been given")) throw new Error(`${name}: ${text}`);
    };
    return { name, count: BATCH, send };
  });
}

async function measureObjects(gateway: MeasuredGateway, request: Request): Promise<Counts> {
  const kinds = await countObjects(gateway, request);
  console.log(`${request.name}: ${JSON.stringify(kinds)}`);
  const objects = Object.values(kinds).reduce((sum, count) => sum + count, 0);
  return { objects, promises: kinds.promises ?? Number.NaN };
}

async function measureAll(url: string): Promise<ReadonlyMap<string, Counts>> {
  const servers = `{ fixed: { url: "${url}", price_per_call: 0.002 } }`;
  const gateway = await startMeasured(`mcp: { allowed_tools: ["*"], servers: ${servers} }`);
  try {
    const requests = await listRequests(gateway);
    const objects = new Map<string, Counts>();
    for (const request of requests) objects.set(request.name, await measureObjects(gateway, request));
    await gateway.ask("count");
    const statements = new Map<string, Statements>();
    for (const request of requests) statements.set(request.name, await countStatements(gateway, request));
    const calls = await countSystemCalls(gateway, requests);
    if (typeof calls === "string") console.log(`System calls are not counted: ${calls}.`);
    const take = ({ name }: Request): Counts => ({
      ...objects.get(name),
      statements: statements.get(name)?.statements ?? Number.NaN,
      values: statements.get(name)?.values ?? Number.NaN,
      ...(typeof calls === "string" ? {} : { "system calls": calls.get(name) ?? Number.NaN }),
    });
    return new Map(requests.map((request) => [request.name, take(request)]));
  } finally {
    await gateway.stop();
  }
}

/** Other work of a busy machine only adds to a count, so the least of as many is judged. */
const MEASURES_MAX = 3;

test("a tool's call takes no more objects, promises, statements and system calls than its budget", async () => {
  const server = startFixedToolServer();
  try {
    const least = new Map<string, Counts>();
    let above: readonly string[] = ["nothing is measured"];
    for (let measured = 0; above.length > 0 && measured < MEASURES_MAX; measured++) {
      for (const [name, counts] of await measureAll(`${server.url.origin}/mcp`)) {
        const before = least.get(name);
        least.set(name, before === undefined ? counts : keepLeast(before, counts));
      }
      above = [...least].flatMap(([name, counts]) => judge(name, counts));
    }
    expect(least.size).toBeGreaterThan(0);
    expectNone(above);
  } finally {
    await server.stop(true);
  }
}, 300_000);
