// The link of a quick start: it signs in once, on the gateway's own machine alone, and a row for each reason why it doesn't.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { actAs } from "../../../src/admin/audit/audit-trail.ts";
import { endLink } from "../../../src/admin/people/console-link.ts";
import { findSession } from "../../../src/admin/people/session.ts";
import { resetAdminToken } from "../../../src/admin/people/token.ts";
import { WrongTokens } from "../../../src/admin/people/wrong-tokens.ts";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { proveLink } from "../../../src/http/people/console-link.ts";
import { Cookies } from "../../../src/http/people/cookies.ts";
import { makeAddressReader, makeOriginReader } from "../../../src/http/serve/client-address.ts";
import { TESTER } from "../../harness/acting.ts";
import { catchThrown, readCode } from "../../harness/thrown.ts";
import { formatLine, seen } from "../../whole/world/observe.ts";
import { until } from "../../whole/world/until.ts";
import { type QuickGateway, startQuick } from "./quick-gateway.ts";

const WRONG = "401 invalid_request_error invalid_api_key";

let gateway: QuickGateway;
beforeAll(async () => {
  gateway = await startQuick();
});
afterAll(() => gateway.stop());

async function send(body: object, headers: Record<string, string> = {}, { url } = gateway) {
  const response = await fetch(`${url}/admin/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const cookie = (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const line = response.ok ? "" : formatLine(await seen(response));
  return { status: response.status, cookie, line };
}

/** Returns the secret in a session's cookie. */
const readSecret = (cookie: string) => cookie.split("=")[1] ?? "";

describe("a link", () => {
  test("has 256 random bits, and its secret isn't in the store", async () => {
    const secret = await gateway.link();
    expect(secret).toMatch(/^[0-9A-Za-z]{43}$/);
    expect(await gateway.opened.store.people.takeLink(secret, 0)).toBe(false);
  });

  test("begins an admin's session, once, which is on record", async () => {
    const once = await gateway.link();
    const { status, cookie } = await send({ once });
    expect([status, cookie]).toEqual([204, expect.stringMatching(/^poundkey_session=/)]);
    const own = await fetch(`${gateway.url}/admin/v1/session`, { headers: { cookie } });
    expect(await own.json()).toMatchObject({ actor: { kind: "admin" }, role: "admin" });
    const again = await send({ once });
    expect([again.line, again.cookie]).toEqual([WRONG, ""]);
    const list = () => fetch(`${gateway.url}/admin/v1/audit?action=session.started`, { headers: { cookie } });
    const rows = await until("it is on record", async () => {
      const found = asArray((await list().then((answer) => answer.json())).data).map(asObject);
      return found.length > 0 ? found : null;
    });
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ outcome: "success", address: "127.0.0.1", actor: { kind: "admin" } });
  });

  test("signs in one of many who send it at once", async () => {
    const once = await gateway.link();
    const all = await Promise.all(Array.from({ length: 10 }, () => send({ once })));
    expect(all.map(({ status }) => status).toSorted()).toEqual([
      204,
      ...Array.from({ length: 9 }, () => 401),
    ]);
  });

  test("gives a session that ends with the admin token", async () => {
    const { world } = gateway.opened;
    const { cookie } = await send({ once: await gateway.link() });
    expect(await findSession(world, null, readSecret(cookie))).not.toBeNull();
    await resetAdminToken(actAs(world, TESTER));
    expect(await findSession(world, null, readSecret(cookie))).toBeNull();
  });

  test("ends with the next start", async () => {
    const once = await gateway.link();
    const next = await gateway.link();
    expect((await send({ once })).status).toBe(401);
    expect((await send({ once: next })).status).toBe(204);
    const last = await gateway.link();
    await endLink(gateway.opened.world);
    expect((await send({ once: last })).status).toBe(401);
  });
});

test.each([
  "Forwarded: for=192.0.2.1",
  "X-Forwarded-For: 127.0.0.1",
  "X-Forwarded-Host: a.example",
  "X-Forwarded-Proto: https",
  "X-Forwarded-Anything: yes",
  "Via: 1.1 a.example",
  "X-Real-IP: 127.0.0.1",
  "X-Original-Forwarded-For: 192.0.2.1",
  "X-Client-IP: 192.0.2.1",
  "True-Client-IP: 192.0.2.1",
  "Fastly-Client-IP: 192.0.2.1",
  "CF-Connecting-IP: 192.0.2.1",
  "X-Envoy-External-Address: 192.0.2.1",
  "CDN-Loop: cloudflare",
  "Tailscale-User-Login: ann@example.com",
])("with %s it signs nobody in, and isn't used up", async (header) => {
  const [name = "", value = ""] = header.split(": ");
  const once = await gateway.link();
  expect((await send({ once }, { [name]: value })).line).toBe(WRONG);
  expect((await send({ once })).status).toBe(204);
});

test.each([
  ["127.0.0.1", true],
  ["127.8.9.1", true],
  ["::1", true],
  ["::ffff:127.0.0.1", true],
  ["192.0.2.1", false],
  ["10.0.0.1", false],
  ["fe80::1%eth0", false],
  ["::ffff:192.0.2.1", false],
  ["", false],
])("a connection from %p signs in: %p", async (address, isTaken) => {
  const { store, world } = gateway.opened;
  const { clock } = world;
  const parts = {
    world,
    adminToken: null,
    adminTokenFrom: [],
    readAddress: makeAddressReader([]),
    readOrigin: makeOriginReader([]),
    wrongTokens: new WrongTokens({ store, clock, log: () => {}, refused: { note: () => {} } }),
    findPerson: async () => null,
    cookies: new Cookies({ publicUrl: null, basePath: "", clock }),
    publicUrl: null,
  };
  const server = { requestIP: () => ({ address }), timeout: () => {} };
  const asked = { request: new Request("http://localhost/admin/v1/session"), route: "/session", server };
  const once = await gateway.link();
  const thrown = await catchThrown(proveLink(parts, asked, once));
  expect(readCode(thrown)).toBe(isTaken ? undefined : "invalid_api_key");
  expect((await send({ once })).status).toBe(isTaken ? 401 : 204);
});

test.each<[string, object, string]>([
  ["a wrong link", { once: "a".repeat(43) }, WRONG],
  ["an empty link", { once: "" }, WRONG],
  ["neither", {}, "400 invalid_request_error missing_required_parameter"],
  ["both", { once: "a", token: "b" }, "400 invalid_request_error invalid_value"],
  ["a number", { once: 1 }, "400 invalid_request_error invalid_type"],
])("%s is refused", async (_, body, expected) => {
  const { line, cookie } = await send(body);
  expect([line, cookie]).toEqual([expected, ""]);
});

test.each<[string, string, boolean]>([
  ["without --quickstart", "{}", false],
  ["beside a configured admin token", "server: { admin_token: a-configured-admin-token }", true],
  ["beyond loopback", 'server: { host: "0.0.0.0" }', true],
  [
    "where people sign in",
    `server: { public_url: "http://127.0.0.1:8080" }
sign_in: { oidc: { issuer: "http://127.0.0.1:9", client_id: a, client_secret: b, rules: [{ group: a, role: admin }] } }`,
    true,
  ],
])("no link works %s", async (_, yaml, isQuickstart) => {
  const other = await startQuick(yaml, isQuickstart);
  try {
    const once = await other.link();
    expect((await send({ once }, {}, other)).line).toBe(WRONG);
  } finally {
    await other.stop();
  }
});

test("wrong links are counted with wrong tokens, and refused beyond their bound", async () => {
  const other = await startQuick();
  try {
    await until("a minute sees all of it", async () => {
      const guesses = Array.from({ length: 61 }, () => send({ once: "wrong" }, {}, other));
      const isRefused = (await Promise.all(guesses)).some(({ status }) => status === 429);
      return isRefused && (await send({ token: "wrong" }, {}, other)).status === 429;
    });
    expect((await send({ once: await other.link() }, {}, other)).status).toBe(204);
  } finally {
    await other.stop();
  }
});
