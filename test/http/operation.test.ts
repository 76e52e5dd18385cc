// Routes for machines and readers: health, metrics, the schema, the OpenAPI document, CORS.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { version } from "../../package.json" with { type: "json" };
import { asArray, asObject, isObject, type JsonObject } from "../../src/core/json/json.ts";
import { parseExposition, type Sample } from "../telemetry/metrics-world.ts";
import { type Seen, seen } from "../whole/world/observe.ts";
import { until } from "../whole/world/until.ts";
import { asking, type HttpWorld, startHttpWorld } from "../whole/world/world.ts";

const ORIGIN = "https://app.example.test";
/** Said by routes that exist, but need a setting that is missing here. */
const UNCONFIGURED = /isn't configured|are off here/;

let world: HttpWorld;
beforeAll(async () => {
  world = await startHttpWorld({ server: `cors: ["${ORIGIN}"]` });
});
afterAll(() => world.stop());

async function get(path: string, headers: Record<string, string> = {}): Promise<Seen> {
  return seen(await fetch(world.url + path, { headers }));
}

describe("without credentials", () => {
  test("liveness and readiness", async () => {
    expect((await get("/healthz")).body).toEqual({ status: "ok" });
    expect(await get("/readyz")).toMatchObject({ status: 200, body: { status: "ready" } });
  });

  test("metrics contain no keys, accounts or names made up by clients", async () => {
    const { secret, id } = await world.newKey();
    for (const model of ["Acme#cheap", "Local#made-up-1", "Local#made-up-2", "Local#made-up~trouble=500"]) {
      await seen(await world.chat(asking(model), { secret }));
    }
    const counted = (model: string, count: number) => (samples: readonly Sample[]) =>
      samples.some(
        ({ labels, value }) => labels.model === model && labels.outcome === "answered" && value === count,
      );
    const text = await until("the requests are counted", async () => {
      const { headers, text } = await get("/metrics");
      expect(headers.get("content-type")).toStartWith("text/plain; version=0.0.4");
      const { samples } = parseExposition(text).get("poundkey_requests_total") ?? { samples: [] };
      return counted("Acme#cheap", 1)(samples) && counted("Local#(unlisted)", 2)(samples) ? text : null;
    });
    expect(text).not.toMatch(/\bkey_|\bacct_|sk-|sim-key|"default"|made-up/);
    expect(text).not.toContain(id);
    expect(text).toMatch(/^poundkey_attempts_failed_total\{[^}]*fault="upstream_error"\} [1-9]/m);
    expect(text).toContain(`\npoundkey_build_info{version="${version}"} 1\n`);
  });

  test.skipIf(process.platform !== "linux")("process metrics have their standard names", async () => {
    const families = parseExposition((await get("/metrics")).text);
    const valueNamed = (name: string) => families.get(name)?.samples[0]?.value ?? Number.NaN;
    expect(valueNamed("process_cpu_seconds_total")).toBeGreaterThan(0);
    expect(valueNamed("process_resident_memory_bytes")).toBeGreaterThan(10_000_000);
    expect(valueNamed("process_start_time_seconds")).toBeWithin(Date.now() / 1000 - 7200, Date.now() / 1000);
    expect(valueNamed("process_open_fds")).toBeWithin(3, valueNamed("process_max_fds"));
  });

  test("the configuration's schema", async () => {
    const { body, headers } = await get("/config.schema.json");
    expect(headers.get("content-type")).toBe("application/json");
    expect(body.type).toBe("object");
    const sections = Object.keys(asObject(body.properties));
    expect(sections).toEqual(
      expect.arrayContaining(["server", "store", "providers", "models", "quota", "limits"]),
    );
  });
});

describe("the OpenAPI document", () => {
  const METHODS = ["get", "head", "post", "put", "patch", "delete"];

  /** Each operation with its path and method. */
  function operationsOf(document: JsonObject): readonly (readonly [string, string, JsonObject])[] {
    return Object.entries(asObject(document.paths)).flatMap(([path, item]) =>
      Object.entries(asObject(item)).map(
        ([method, operation]) => [path, method, asObject(operation)] as const,
      ),
    );
  }

  test("is valid OpenAPI 3 at the product's version, with complete operations", async () => {
    const { body } = await get("/openapi.json");
    expect(body.openapi).toMatch(/^3\.\d+\.\d+$/);
    expect(body.info).toMatchObject({
      title: expect.any(String),
      version: "1.0.0",
      "x-program-version": version,
    });
    const ids = new Set<unknown>();
    for (const [path, method, operation] of operationsOf(body)) {
      expect(path).toStartWith("/");
      expect(METHODS).toContain(method);
      expect(ids.has(operation.operationId)).toBe(false);
      ids.add(operation.operationId);
      expect(Object.keys(asObject(operation.responses)).length).toBeGreaterThan(0);
      for (const [status, response] of Object.entries(asObject(operation.responses))) {
        expect(status).toMatch(/^([1-5]\d\d|default)$/);
        expect(typeof asObject(response).description).toBe("string");
      }
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const declared = asArray(operation.parameters).filter((one) => asObject(one).in === "path");
      expect(declared.map((one) => asObject(one).name)).toEqual(inPath);
    }
  });

  test("has no dangling reference and no type unknown to OpenAPI 3.0", async () => {
    const { body } = await get("/openapi.json");
    const visit = (value: unknown, trail: string): void => {
      if (Array.isArray(value)) for (const [at, one] of value.entries()) visit(one, `${trail}[${at}]`);
      if (!isObject(value)) return;
      if (typeof value.$ref === "string")
        expect([trail, referred(body, value.$ref)]).not.toEqual([trail, undefined]);
      if (trail.endsWith("schema") && typeof value.type === "string") {
        expect(["object", "array", "string", "number", "integer", "boolean"]).toContain(value.type);
      }
      for (const [field, one] of Object.entries(value)) visit(one, `${trail}.${field}`);
    };
    visit(body, "");
    expect(JSON.stringify(body)).not.toContain('"type":"null"');
  });

  function referred(document: JsonObject, reference: string): unknown {
    if (!reference.startsWith("#/")) return undefined;
    let at: unknown = document;
    for (const step of reference.slice(2).split("/")) at = asObject(at)[step];
    return at;
  }

  test("lists only routes that exist", async () => {
    const { body } = await get("/openapi.json");
    for (const [path, method] of operationsOf(body)) {
      const at = path
        .replace(/^\/(docs|console)\/\{id\}$/, "/docs/clients")
        .replace(/\{\w+\}/, "Router%23best");
      const response = await fetch(world.url + at, { method: method.toUpperCase() });
      const isUnknown = [404, 405].includes(response.status) && !UNCONFIGURED.test(await response.text());
      expect([path, isUnknown]).toEqual([path, false]);
    }
  });

  test("has a chat example that works", async () => {
    const { body } = await get("/openapi.json");
    const { post } = asObject(asObject(body.paths)["/v1/chat/completions"]);
    const { content } = asObject(asObject(post).requestBody);
    const { example, schema } = asObject(asObject(content)["application/json"]);
    expect(asObject(schema).required).toEqual(["model", "messages"]);
    const bounds = asObject(asObject(schema).properties);
    expect(bounds.temperature).toMatchObject({ minimum: 0, maximum: 2 });
    expect(bounds.n).toMatchObject({ type: "integer", minimum: 1 });
    expect((await world.chat(example)).status).toBe(200);
  });
});

describe("calls from browsers", () => {
  test("an allowed origin may call and read our headers", async () => {
    const headers = { origin: ORIGIN, authorization: `Bearer ${world.secret}` };
    for (const [path, status] of [
      ["/v1/models", 200],
      ["/v1/nowhere", 404],
    ] as const) {
      const answer = await get(path, headers);
      expect(answer.status).toBe(status);
      expect(answer.headers.get("access-control-allow-origin")).toBe(ORIGIN);
      expect(answer.headers.get("vary")).toContain("origin");
      expect(answer.headers.get("access-control-expose-headers")).toBe("*");
    }
    const unasked = await get("/v1/models", { origin: ORIGIN });
    expect([unasked.status, unasked.headers.get("access-control-allow-origin")]).toEqual([401, ORIGIN]);
  });

  test("streams and errors have them too", async () => {
    for (const model of ["Local#sim", "Local#sim~trouble=500"]) {
      const response = await world.chat(asking(model, "x", { stream: true }), {
        headers: { origin: ORIGIN },
      });
      expect(response.headers.get("access-control-allow-origin")).toBe(ORIGIN);
      await seen(response);
    }
  });

  test("a preflight is only answered for that origin", async () => {
    const preflight = (origin: string) =>
      fetch(`${world.url}/v1/chat/completions`, {
        method: "OPTIONS",
        headers: {
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": "authorization",
        },
      });
    const allowed = await preflight(ORIGIN);
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get("access-control-allow-methods")).toContain("POST");
    expect(allowed.headers.get("access-control-allow-headers")).toContain("authorization");
    expect(allowed.headers.get("access-control-allow-origin")).toBe(ORIGIN);
    for (const origin of ["https://evil.test", "null", `${ORIGIN}.evil.test`]) {
      const refused = await preflight(origin);
      expect(refused.status).toBe(405);
      expect(refused.headers.get("access-control-allow-origin")).toBeNull();
      const plain = await get("/healthz", { origin });
      expect(plain.headers.get("access-control-allow-origin")).toBeNull();
    }
  });
});
