// No answer of a tool server carries the credential back that it was sent, in whatever field and dress it quotes it.
import { afterAll, describe, expect, test } from "bun:test";
import type { ToolAuth } from "../../../src/core/tools/tool-server.ts";
import { Redaction } from "../../../src/tools/redaction.ts";
import { DRESSES, QuotingServer } from "../../simulator/tools/quoting-server.ts";
import { startTokenServer } from "../auth/token-server.ts";
import { makeServer, openToolWorld, type ToolNode } from "./tool-world.ts";

const { startNode } = openToolWorld();

const tokens = await startTokenServer();
const quoting = new QuotingServer();
afterAll(async () => {
  await tokens.stop();
  await quoting.stop();
});

const SECRET = 'operators"secret/of+the=server?';
const BASIC = Buffer.from(`someone:${SECRET}`).toString("base64");
const TOKEN = "a-token-of-the-tokens'-server";
const clientSecret = "secret-of-the-client";
const oauth: ToolAuth = {
  ...{ kind: "oauth", tokenUrl: `${tokens.origin}/token`, clientId: "id", clientSecret },
  ...{ scope: null, resource: null },
};

interface Case {
  readonly auth: ToolAuth;
  readonly pass: string | null;
  readonly secrets: readonly string[];
}

const CASES: Readonly<Record<string, Case>> = {
  bearer: { auth: { kind: "bearer", token: SECRET }, pass: null, secrets: [SECRET] },
  header: { auth: { kind: "header", headers: new Map([["x-key", SECRET]]) }, pass: null, secrets: [SECRET] },
  "header with a name and a password": {
    auth: { kind: "header", headers: new Map([["authorization", `Basic ${BASIC}`]]) },
    pass: null,
    secrets: [BASIC, SECRET],
  },
  oauth: { auth: oauth, pass: null, secrets: [TOKEN, clientSecret] },
  pass: { auth: { kind: "pass", header: "x-own" }, pass: `Bearer ${SECRET}`, secrets: [SECRET] },
};

/** Everything that a node tells of a server. */
async function readAll(node: ToolNode, pass: string | null): Promise<string> {
  const progress: unknown[] = [];
  const ask = (method: "tools/call" | "prompts/get" | "resources/read", target: string) =>
    node.call(target, {}, { pass, method, onProgress: (one) => progress.push(one) });
  const mirror = await node.servers.list("fake", pass);
  const all = {
    lists: { ...mirror, tools: [...(mirror?.tools.values() ?? [])] },
    instructions: node.servers.findInstructions("fake", pass),
    calls: [
      await ask("tools/call", "result"),
      await ask("tools/call", "refuse"),
      await ask("tools/call", "fail"),
    ],
    prompt: await ask("prompts/get", "greet"),
    resource: await ask("resources/read", "file:///a"),
    progress,
    server: node.servers.describe(),
    logged: node.logged,
  };
  expect(all.lists.tools).toHaveLength(4);
  return JSON.stringify(all);
}

/** Returns the text and what is encoded in it, each without the signs of JSON in JSON. */
function listReadings(text: string): readonly string[] {
  const base64 = text.match(/[\w+/=-]{12,}/g) ?? [];
  const decoded = base64.flatMap((one) =>
    [0, 1, 2, 3].map((from) => Buffer.from(one.slice(from), "base64").toString("latin1")),
  );
  const addresses = text.match(/(%[0-9A-F]{2}|[\w+=-])+/g)?.map((one) => decodeURIComponent(one)) ?? [];
  return [text, ...decoded, ...addresses].map((one) => one.replaceAll("\\", ""));
}

function findLeaks(text: string, secrets: readonly string[]): readonly string[] {
  const readings = listReadings(text);
  return secrets.filter((secret) => readings.some((one) => one.includes(secret)));
}

const NAMED = Object.entries(CASES).flatMap(([kind, one]) =>
  (["json", "events"] as const).map((answers) => [kind, answers, one] as const),
);

describe.each(NAMED)("with %s, in answers of %s", (_kind, answers, { auth, pass, secrets }) => {
  test.each(Object.keys(DRESSES))("nothing shows it %s", async (dress) => {
    tokens.answer = () => ({ body: { access_token: TOKEN, expires_in: 3600, token_type: "bearer" } });
    quoting.options = { dress: DRESSES[dress] ?? String, answers };
    const node = startNode([makeServer(quoting.url, { auth, resources: true, prompts: true })]);
    const all = await readAll(node, pass);
    expect(all).toContain("[redacted]");
    expect(findLeaks(all, secrets)).toEqual([]);
  });

  test("nothing shows it in escapes", async () => {
    quoting.options = { dress: String, answers, escapes: true };
    const node = startNode([makeServer(quoting.url, { auth, resources: true, prompts: true })]);
    const all = await readAll(node, pass);
    expect(all).toContain("[redacted]");
    expect(findLeaks(all, secrets)).toEqual([]);
  });
});

test("a server without a credential is passed on as it is", async () => {
  quoting.options = { dress: String, answers: "json" };
  const node = startNode([makeServer(quoting.url)]);
  expect(JSON.stringify(await node.call("result"))).toContain('"text":"nothing"');
});

test("a credential of less than 8 characters is left: words would go with it", () => {
  const given = { text: "seven77 eight888" };
  const text = JSON.stringify(given);
  expect(new Redaction(["Bearer seven77"]).hide(given, text)).toEqual(given);
  expect(new Redaction(["eight888"]).hide(given, text)).toEqual({ text: "seven77 [redacted]" });
});
