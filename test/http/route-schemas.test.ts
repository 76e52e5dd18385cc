// The gateway's routes and its OpenAPI document list the same, and every answer to the operator matches its schema.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Ajv from "ajv";
import addFormats from "ajv-formats";
import { asArray, asObject, type JsonObject, parseJson } from "../../src/core/json/json.ts";
import { closeSchema, resolveRefs } from "../whole/world/closed-schema.ts";
import { REGISTERED } from "../whole/world/registered.ts";
import { until } from "../whole/world/until.ts";
import { asking, type HttpWorld, startHttpWorld } from "../whole/world/world.ts";
import { APART } from "./routes-apart.ts";

const ajv = new Ajv({ strict: true, strictTypes: false, allowUnionTypes: true });
addFormats(ajv);
ajv.addVocabulary(["example"]);

let world: HttpWorld;
let document: JsonObject;
let keyId = "";
let requestId = "";
let credentialId = "";
let sampled = "";
let tokenId = "";
let closable = "";
beforeAll(async () => {
  world = await startHttpWorld({ more: "log: { content: true }" });
  document = asObject(await (await fetch(`${world.url}/openapi.json`)).json());
  const key = await world.newKey();
  keyId = key.id;
  const answered = await world.chat(asking("Router#light"), { secret: key.secret });
  const { id } = asObject(await answered.json());
  requestId = String(id);
  await until(
    "the request is in the log",
    async () => (await ask("GET", `/requests/${requestId}`)).status === 200,
  );
  const { body } = await ask("POST", "/providers/Groq", { key: "key-of-the-tests-of-schemas" });
  const [credential] = asArray(asObject(body).credentials);
  credentialId = String(asObject(credential).id);
  tokenId = String(asObject((await ask("POST", "/tokens", { name: "old", role: "viewer" })).body).id);
  closable = String(asObject((await ask("POST", "/accounts", { name: "closed" })).body).id);
  const asked = { messages: SAMPLED, models: ["Acme#cheap", "Acme#dear"], max_cost_usd: 1 };
  const [first] = asArray(asObject((await ask("POST", "/samples/ask", asked)).body).answers);
  sampled = String(asObject(first).answer);
});
afterAll(() => world.stop());

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: unknown;
}

async function ask(method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${world.url}/admin/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${world.adminToken}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const type = response.headers.get("content-type") ?? "";
  const text = type.startsWith("text/event-stream") ? "" : await response.text();
  if (text === "") await response.body?.cancel();
  return { status: response.status, type, body: parseJson(text) };
}

/** Returns the errors of an answer by the document's schema for its route and status. */
function findMistakes(template: string, method: string, { status, body }: Answer): unknown {
  const operation = asObject(asObject(asObject(document.paths)[template])[method.toLowerCase()]);
  const answer = asObject(asObject(operation.responses)[String(status)]);
  const media = asObject(asObject(answer.content)["application/json"]);
  if (media.schema === undefined) return `no schema of ${method} ${template} ${status}`;
  const validate = ajv.compile(asObject(closeSchema(resolveRefs(media.schema, document))));
  return validate(body) ? null : validate.errors;
}

const thisMonth = () => new Date().toISOString().slice(0, 7);

type Row = readonly [method: string, template: string, path: () => string, body?: () => unknown];

const TEXTS = ["a", "b"].map((text) => ({ answer: text, text }));
const ADJUSTED = { amount_usd: -1, reason: "a wrong price" };
const SAMPLED = [{ role: "user", content: "Hi" }];
const GROUP = [{ model: "Acme#cheap", weight: 2 }, { model: "Acme#dear" }];

/** In this order: what is created first is changed and then removed. */
const ROWS: readonly Row[] = [
  ["POST", "/accounts", () => "/accounts", () => ({ name: "Team" })],
  ["GET", "/accounts", () => "/accounts?limit=1"],
  ["GET", "/accounts/{id}", () => "/accounts/default"],
  ["GET", "/accounts/{id}", () => "/accounts/funding"],
  ["PATCH", "/accounts/{id}", () => "/accounts/default", () => ({ name: "Default" })],
  ["PUT", "/accounts/by-name/{name}", () => "/accounts/by-name/Default", () => ({ parallel: 9000 })],
  ["POST", "/accounts/{id}/budgets/reset", () => "/accounts/default/budgets/reset", () => ({ reason: "x" })],
  ["POST", "/accounts/{id}/topups", () => "/accounts/default/topups", () => ({ amount_usd: 3, note: "x" })],
  ["POST", "/accounts/{id}/adjustments", () => "/accounts/default/adjustments", () => ADJUSTED],
  ["GET", "/accounts/{id}/journal", () => "/accounts/default/journal"],
  ["GET", "/accounts/{id}/journal", () => "/accounts/default/journal?detail=ledger"],
  ["GET", "/accounts/{id}/journal", () => "/accounts/funding/journal"],
  ["GET", "/accounts/{id}/statements/{month}", () => `/accounts/default/statements/${thisMonth()}`],
  ["GET", "/reconciliation", () => "/reconciliation?from=2026-01-01"],
  ["POST", "/accounts/{id}/close", () => `/accounts/${closable}/close`, () => ({})],
  ["POST", "/accounts/{id}/reopen", () => "/accounts/default/reopen", () => ({})],
  ["POST", "/keys", () => "/keys", () => ({ name: "a", allowed_models: ["Acme#cheap"], spend_limit_usd: 1 })],
  ["GET", "/keys", () => "/keys"],
  ["GET", "/keys/{id}", () => `/keys/${keyId}`],
  [
    "PATCH",
    "/keys/{id}",
    () => `/keys/${keyId}`,
    () => ({ expires_at: "2099-01-01", requests_per_day: null, paused: true, allowed_addresses: ["::1"] }),
  ],
  ["PUT", "/keys/by-name/{account}/{name}", () => "/keys/by-name/default/a", () => ({ spend_limit_usd: 1 })],
  ["PUT", "/keys/by-name/{account}/{name}", () => "/keys/by-name/default/new", () => ({})],
  ["POST", "/keys/{id}/rotate", () => `/keys/${keyId}/rotate`, () => ({ grace: "24h" })],
  ["POST", "/keys/{id}/budgets/reset", () => `/keys/${keyId}/budgets/reset`, () => ({ reason: "x" })],
  ["DELETE", "/keys/{id}", () => `/keys/${keyId}`],
  [
    "POST",
    "/tokens",
    () => "/tokens",
    () => ({ name: "report", role: "manager", accounts: ["default"], content: true, contact: "ops" }),
  ],
  ["GET", "/tokens", () => "/tokens"],
  ["POST", "/tokens/{id}/take", () => `/tokens/${tokenId}/take`, () => ({})],
  ["DELETE", "/tokens/{id}", () => `/tokens/${tokenId}`],
  ["GET", "/files", () => "/files"],
  ["GET", "/webhooks/deliveries", () => "/webhooks/deliveries?state=dead"],
  ["GET", "/requests", () => "/requests?selector=light&status=ok"],
  ["GET", "/requests/{id}", () => `/requests/${requestId}`],
  ["GET", "/requests/{id}/neighbours", () => `/requests/${requestId}/neighbours`],
  ["GET", "/refusals", () => "/refusals?code=budget_exceeded"],
  ["GET", "/search", () => "/search?q=acme"],
  ["POST", "/search", () => "/search", () => ({ q: "acme" })],
  ["GET", "/statements/{month}", () => `/statements/${thisMonth()}`],
  ["GET", "/spending", () => "/spending"],
  ["GET", "/spending/people", () => "/spending/people"],
  ["GET", "/webhooks", () => "/webhooks"],
  ["GET", "/usage", () => "/usage?group_by=day,model,key,account,provider,operation,surface"],
  ["GET", "/usage", () => "/usage?group_by=hour,month,outcome&provider=Acme&outcome=answered"],
  ["GET", "/overview", () => "/overview?step=hour&from=2099-01-01&to=2099-01-02"],
  ["GET", "/overview", () => "/overview"],
  ["GET", "/guard", () => "/guard"],
  ["POST", "/guard/try", () => "/guard/try", () => ({ text: "ada@corp-x.de" })],
  ["GET", "/nearing", () => "/nearing"],
  ["GET", "/sockets", () => "/sockets"],
  ["GET", "/savings", () => "/savings?weeks=2"],
  ["GET", "/audit", () => "/audit?action=key&limit=5"],
  ["GET", "/configuration", () => "/configuration"],
  ["POST", "/configuration/check", () => "/configuration/check", () => ({ text: "quota: { scope: key }" })],
  ["GET", "/models", () => "/models"],
  ["GET", "/catalogue", () => "/catalogue"],
  ["GET", "/models/retiring", () => "/models/retiring"],
  ["GET", "/models/missing", () => "/models/missing"],
  ["GET", "/models/family-priced", () => "/models/family-priced"],
  ["GET", "/mcp/servers", () => "/mcp/servers"],
  ["GET", "/mcp/tools", () => "/mcp/tools?limit=5"],
  ["GET", "/scim", () => "/scim"],
  ["GET", "/sessions", () => "/sessions"],
  ["GET", "/settings", () => "/settings"],
  ["GET", "/learned", () => "/learned"],
  ["GET", "/problems", () => "/problems"],
  ["GET", "/state", () => "/state"],
  ["POST", "/state", () => "/state", () => ({ file: "made", state: { keys: [{ name: "of a file" }] } })],
  ["POST", "/aliases", () => "/aliases", () => ({ name: "team", target: GROUP })],
  ["POST", "/aliases", () => "/aliases", () => ({ name: "best", target: "Router#best" })],
  ["GET", "/models/{id}", () => "/models/Acme%23dear"],
  ["PATCH", "/models/{id}", () => "/models/Acme%23dear", () => ({ refuses: ["temperature"] })],
  ["GET", "/aliases", () => "/aliases"],
  ["PATCH", "/aliases", () => "/aliases", () => ({ name: "team", target: "Acme#dear" })],
  ["PATCH", "/aliases/{name}", () => "/aliases/best", () => ({ target: GROUP })],
  ["DELETE", "/aliases", () => "/aliases?name=team"],
  ["DELETE", "/aliases/{name}", () => "/aliases/best"],
  ["POST", "/samples/plan", () => "/samples/plan", () => ({ prompts: 2, messages: [SAMPLED] })],
  [
    "POST",
    "/samples/ask",
    () => "/samples/ask",
    () => ({ messages: SAMPLED, models: ["Acme#cheap", "Acme#dear"], max_cost_usd: 1 }),
  ],
  [
    "POST",
    "/samples/judge",
    () => "/samples/judge",
    () => ({ messages: SAMPLED, judge: "Acme#cheap", answers: TEXTS, max_cost_usd: 1 }),
  ],
  [
    "POST",
    "/samples/scores",
    () => "/samples/scores",
    () => ({ messages: SAMPLED, scores: [{ answer: sampled, score: 1 }] }),
  ],
  ["DELETE", "/learned", () => "/learned?model=Acme%23cheap"],
  ["GET", "/accounts/{id}/checkout", () => "/accounts/default/checkout"],
  ["GET", "/providers", () => "/providers?all=true"],
  [
    "POST",
    "/providers/{name}",
    () => "/providers/Cohere",
    () => ({ key: "another-key-of-the-tests", weight: 2 }),
  ],
  [
    "PATCH",
    "/providers/{name}",
    () => "/providers/Groq",
    () => ({ credential_id: credentialId, enabled: false }),
  ],
  ["POST", "/providers/{name}/test", () => "/providers/Local/test", () => ({})],
  ["DELETE", "/providers/{name}", () => `/providers/Groq?credential_id=${credentialId}`],
];

describe("answers to the operator match their schemas", () => {
  test.each(ROWS)("%s %s", async (method, template, path, body) => {
    const answer = await ask(method, path(), body?.());
    const isMade =
      path().endsWith("/new") ||
      (method === "POST" && !/\/(test|close|reopen|search|state|check|try)$/.test(template));
    expect(answer).toMatchObject({ status: isMade ? 201 : 200 });
    expect(answer.type).toBe("application/json");
    expect(findMistakes(`/admin/v1${template}`, method, answer)).toBeNull();
  });

  test("for every route", () => {
    const prefix = "/admin/v1";
    const listed = listOperations().filter((one) => one.includes(` ${prefix}`));
    const asked = [...ROWS.map(([method, template]) => `${method} ${template}`), ...APART];
    expect(
      listed.map((one) => one.replace(prefix, "")).toSorted(),
      "each admin route takes a row in ROWS of this file, or in routes-apart.ts",
    ).toEqual([...new Set(asked)].toSorted());
  });

  test("with rows in the lists and all parts in requests", async () => {
    for (const path of ["/accounts", "/keys", "/requests", "/usage", "/models", "/providers"]) {
      expect([path, asArray(asObject((await ask("GET", path)).body).data).length > 0]).toEqual([path, true]);
    }
    const request = asObject((await ask("GET", `/requests/${requestId}`)).body);
    expect([request.decision, request.timeline, request.cost, request.content]).not.toContain(null);
  });

  test("and without a token they are refused before the body is read", async () => {
    const operations = listOperations().filter((one) => /^(POST|PUT|PATCH|DELETE) \/admin/.test(one));
    const refused = operations.filter((one) => one !== "POST /admin/v1/session");
    expect(refused.length).toBeGreaterThan(10);
    for (const one of refused) {
      const [method = "", path = ""] = one.split(" ");
      // A body that never ends.
      const body = new ReadableStream({ start: (controller) => controller.enqueue('{"name":') });
      const headers = { "content-type": "application/json" };
      const response = await fetch(world.url + path.replace(/\{\w+\}/g, "x"), { method, headers, body });
      expect([one, response.status]).toEqual([one, 401]);
      await response.body?.cancel();
    }
  });

  test("for refusals too", async () => {
    for (const [method, template, path] of [
      ["GET", "/accounts/{id}", "/accounts/none"],
      ["POST", "/keys", "/keys"],
    ] as const) {
      const answer = await ask(method, path, method === "POST" ? {} : undefined);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      const operation = asObject(
        asObject(asObject(document.paths)[`/admin/v1${template}`])[method.toLowerCase()],
      );
      const media = asObject(
        asObject(asObject(asObject(operation.responses).default).content)["application/json"],
      );
      expect(ajv.validate(asObject(closeSchema(resolveRefs(media.schema, document))), answer.body)).toBe(
        true,
      );
    }
  });
});

/** As `GET /v1/models/{id}`, with one row for all verbs behind an id. */
function listOperations(): readonly string[] {
  const all = Object.entries(asObject(document.paths)).flatMap(([path, item]) =>
    Object.keys(asObject(item)).map((method) => `${method.toUpperCase()} ${path.replace(/\}:\w+$/, "}")}`),
  );
  return [...new Set(all)];
}

/** The routes registered in the gateway's source text, as `listOperations` names them. */
function listRegistered(): readonly string[] {
  return REGISTERED.map(
    ({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}").replace("*", "{id}")}`,
  );
}

/** They only answer with a refusal that names the methods. */
const REFUSALS = ["GET /v1/responses", "GET /responses", "POST /v1beta/interactions/{id}"];

describe("the OpenAPI document", () => {
  test("lists exactly the registered routes", () => {
    const registered = listRegistered().filter((one) => !REFUSALS.includes(one));
    expect(registered.length).toBeGreaterThan(60);
    expect(listOperations().toSorted()).toEqual(registered.toSorted());
  });

  test("names the operator's token and the clients' key where they apply", () => {
    for (const [path, item] of Object.entries(asObject(document.paths))) {
      const schemes = Object.values(asObject(item)).flatMap((one) =>
        asArray(asObject(one).security).flatMap((row) => Object.keys(asObject(row))),
      );
      const isOurs = path.startsWith("/admin/") ? !schemes.includes("key") : !schemes.includes("operator");
      expect([path, isOurs]).toEqual([path, true]);
    }
  });
});
