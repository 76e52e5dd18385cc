// Routes that the server calls without Elysia: they begin and fail like those that it calls.
import { afterAll, expect, test } from "bun:test";
import { clock, random } from "../../src/app/world.ts";
import { toFault } from "../../src/core/faults/fault.ts";
import type { ServerRules } from "../../src/core/settings.ts";
import type { LogEvent } from "../../src/core/world/world.ts";
import { buildApp, listen } from "../../src/http/serve/app.ts";

const HOST = "gateway.example";
const ORIGIN = "https://app.example";
const server: ServerRules = {
  host: "127.0.0.1",
  port: 0,
  adminToken: null,
  adminTokenSetBy: null,
  adminTokenFrom: [],
  bodyBytesMax: 1000,
  bodyMemoryBytes: 1000,
  drainMs: 0,
  storeWaitMs: 0,
  keepAliveMs: 0,
  idleSeconds: 75,
  basePath: "",
  trustedProxies: [],
  hosts: [HOST],
  cors: [ORIGIN],
  publicUrl: null,
};

const logged: LogEvent[] = [];
const log = (event: LogEvent) => void logged.push(event);
const fail = async (): Promise<Response> => {
  throw new Error("a bug");
};
/** A bug within a call to a provider, as the transport reports it. */
const failWithin = async (): Promise<Response> => {
  throw toFault(new TypeError("sk-secret"));
};
const ports = { server, clock, random, log, draining: () => true };
const app = listen(
  buildApp(ports, false, { "/direct": fail })
    .post("/usual", fail)
    .post("/within", failWithin)
    .post("/direct", () => "Elysia's"),
);
afterAll(() => app.stop(true));

async function post(path: string, headers: Readonly<Record<string, string>>) {
  const url = `http://127.0.0.1:${app.server?.port}${path}`;
  const response = await fetch(url, { method: "POST", headers: { host: HOST, ...headers } });
  const { status } = response;
  const { date: _date, "x-request-id": id, ...rest } = response.headers.toJSON();
  expect(id).toMatch(/^req_[0-9a-f]{32}$/);
  return { status, headers: rest, body: await response.json(), logged: logged.splice(0).length };
}

test.each([
  ["a bug is logged, and answered without its cause", 500, { origin: ORIGIN }],
  ["a host that isn't served is refused", 400, { host: "other.example" }],
] as const)("%s", async (_name, status, headers) => {
  const direct = await post("/direct", headers);
  expect(direct).toEqual(await post("/usual", headers));
  expect(direct).toMatchObject({ status, headers: { connection: "close" }, logged: status === 500 ? 1 : 0 });
  expect(JSON.stringify(direct)).not.toContain("a bug");
});

test("a bug within a call is logged with its place, without its words, which may quote the call", async () => {
  const url = `http://127.0.0.1:${app.server?.port}/within`;
  expect((await fetch(url, { method: "POST", headers: { host: HOST } })).status).toBe(500);
  const [line] = logged.splice(0);
  expect(String(line?.cause)).toMatch(/^TypeError\n +at failWithin .*direct\.test\.ts/);
  expect(String(line?.cause)).not.toContain("sk-secret");
});

test("the other methods of the path are Elysia's", async () => {
  const url = `http://127.0.0.1:${app.server?.port}/direct`;
  const response = await fetch(url, { headers: { host: HOST } });
  expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
});
