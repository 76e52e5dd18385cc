// The ruler of a tool's call: the objects, promises, statements and system calls that it takes, against the budgets in
// src/README.md.
import { test } from "bun:test";
import { expectNone } from "../tidy/sources.ts";
import { judgeAndRecord } from "./budgets.ts";
import type { Request } from "./costs.ts";
import { startFixedToolServer } from "./fixed-tool-server.ts";
import { type MeasuredGateway, startMeasured } from "./measured-gateway.ts";
import { measureRequests } from "./measuring.ts";

const BATCH = 4;

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

test("a tool's call takes no more objects, promises, statements and system calls than its budget", async () => {
  const server = startFixedToolServer();
  try {
    const servers = `{ fixed: { url: "${server.url.origin}/mcp", price_per_call: 0.002 } }`;
    const start = () => startMeasured(`mcp: { allowed_tools: ["*"], servers: ${servers} }`);
    const counted = await measureRequests(start, listRequests);
    expectNone([...counted].flatMap(([name, counts]) => judgeAndRecord(name, counts)));
  } finally {
    await server.stop(true);
  }
}, 300_000);
