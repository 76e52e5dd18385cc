// Paused keys and keys limited to client addresses, over HTTP: each route and each form of its errors.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asObject, parseJson } from "../../../src/core/json/json.ts";
import { ATTACKED_ROUTES, type AttackedRoute } from "../../abuse/routes.ts";
import { createKeyHolder, ELSEWHERE, type KeyHolder, PAUSED, REVOKED } from "../world/key-holder.ts";
import { formatLine, seen } from "../world/observe.ts";
import { createOperator, type Operator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { asking, type HttpWorld, startHttpWorld } from "../world/world.ts";

let world: HttpWorld;
let operator: Operator;
let holder: KeyHolder;
beforeAll(async () => {
  // The tests are a proxy to the gateway, so that they can have any address.
  world = await startHttpWorld({ server: 'trusted_proxies: ["127.0.0.0/8", "::1"]' });
  operator = createOperator(world);
  holder = createKeyHolder(world);
});
afterAll(() => world.stop());

/** Sends a request for each route for key holders. Returns its status, type and code, whatever the form of the error. */
async function knock({ method, path, body }: AttackedRoute, secret: string, from: string): Promise<string> {
  const response = await fetch(world.url + path.replace("{model}", "Local%23sim"), {
    method,
    headers: { "x-api-key": secret, "content-type": "application/json", "x-forwarded-for": from },
    ...(body ? { body: JSON.stringify(body({ model: "Local#sim", stream: false, more: {} })) } : {}),
  });
  const error = asObject(asObject(parseJson(await response.text())).error);
  const retry = response.headers.get("x-should-retry") ?? "unsaid";
  return `${response.status} ${error.type ?? error.status ?? "fine"} ${error.code ?? ""} ${retry} ${error.message ?? ""}`;
}

describe("a paused key", () => {
  test("is refused from its next request on, calls nobody, and works again once resumed", async () => {
    const { secret, id } = await world.newKey();
    expect(await holder.chat(secret)).toBe("200 whole");
    const paused = await operator.patch(`/keys/${id}`, { paused: true });
    expect(paused.body).toMatchObject({ paused: true, state: "paused" });
    world.callsSince();
    expect(await holder.chat(secret)).toBe(PAUSED);
    expect(world.callsSince()).toBe(0);
    await holder.listsModels(secret, PAUSED);
    await operator.patch(`/keys/${id}`, { paused: false });
    await holder.listsModels(secret, "200 whole");
    expect(await holder.chat(secret)).toBe("200 whole");
    expect((await operator.get(`/keys/${id}`)).body).toMatchObject({
      allowance: { used: 2 },
      state: "active",
    });
  });

  test("can see at /v1/key that it is paused, but not the operator's notes", async () => {
    const { secret } = await world.newKey({ paused: true, notes: "never show this" });
    const own = await holder.get(secret, "/v1/key");
    expect([own.status, own.body.paused]).toEqual([200, true]);
    expect(own.text).not.toContain("notes");
    expect(own.text).not.toContain("never show this");
  });

  test("can finish its running streams", async () => {
    const { secret, id } = await world.newKey();
    const body = asking("Local#sim~pace=30", "say: a b c d e f", { stream: true });
    const response = await world.chat(body, { secret });
    await operator.patch(`/keys/${id}`, { paused: true });
    expect((await seen(response)).stream).toMatchObject({ texts: ["a b c d e f"], error: null });
  });

  test("that is revoked too is like any revoked one", async () => {
    const { secret, id } = await world.newKey({ paused: true });
    await operator.delete(`/keys/${id}`);
    expect(await holder.chat(secret)).toBe(REVOKED);
  });

  test("isn't held against the provider", async () => {
    const { secret } = await world.newKey({ paused: true });
    for (let at = 0; at < 20; at++) await holder.chat(secret);
    const metrics = await (await fetch(`${world.url}/metrics`)).text();
    const lines = metrics.split("\n").filter((line) => line.includes("key_paused"));
    expect(lines).toEqual([expect.stringMatching(/^poundkey_refused_total\{fault="key_paused"\} \d+$/)]);
    expect(await holder.chat(world.secret)).toBe("200 whole");
  });
});

/** The forms of a 403: OpenAI's, Anthropic's and Google's. */
function formFor(path: string, code: string): RegExp {
  if (/^\/v1beta\/|\/interactions|:generateContent/.test(path)) return /^403 PERMISSION_DENIED 403 false /;
  return new RegExp(`^403 permission_error ${code} false `);
}

/** Tool servers are off here: `test/http/tools/refusals.test.ts` has them. */
const ROUTES = ATTACKED_ROUTES.filter(({ path }) => !path.startsWith("/mcp"));

describe.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
  "%s",
  (_name, route) => {
    test("refuses a paused key in its own form", async () => {
      const { secret } = await world.newKey({ paused: true });
      world.callsSince();
      const line = await knock(route, secret, "192.0.2.1");
      if (route.path === "/v1/key") expect(line).toStartWith("200 fine");
      else expect(line).toMatch(formFor(route.path, "key_paused"));
      expect(world.callsSince()).toBe(0);
    });

    test("refuses a key from other addresses than its own in its own form", async () => {
      const { secret } = await world.newKey({ allowed_addresses: ["192.0.2.0/25"] });
      world.callsSince();
      expect(await knock(route, secret, "192.0.2.200")).toMatch(formFor(route.path, "address_not_allowed"));
      expect(world.callsSince()).toBe(0);
      expect(await knock(route, secret, "192.0.2.100")).not.toMatch(/^40[13]/);
    });
  },
);

test("stored responses can't be deleted with a paused key", async () => {
  const { secret } = await world.newKey({ paused: true });
  const headers = { authorization: `Bearer ${secret}` };
  const response = await fetch(`${world.url}/v1/responses/resp_1`, { method: "DELETE", headers });
  expect(response.status).toBe(403);
});

describe("a key limited to client addresses", () => {
  const from = (address: string) => ({ "x-forwarded-for": address });

  test.each<[allowed: string, inside: string, outside: string]>([
    ["203.0.113.7", "203.0.113.7", "203.0.113.8"],
    ["10.0.0.0/8", "10.200.3.4", "11.0.0.1"],
    ["10.0.0.0/8", "::ffff:10.1.1.1", "::10.1.1.1"],
    ["10.0.0.0/8", "10.1.1.1:4711", "192.0.2.1:4711"],
    ["10.0.0.0/8", "192.0.2.1, 10.1.1.1", "10.1.1.1, 192.0.2.1"],
    ["2001:db8::/32", "[2001:DB8::7]:4711", "2001:db9::"],
  ])("%s admits %s and refuses %s", async (allowed, inside, outside) => {
    const { secret } = await world.newKey({ allowed_addresses: [allowed] });
    expect(await holder.chat(secret, from(inside))).toBe("200 whole");
    expect(await holder.chat(secret, from(outside))).toBe(ELSEWHERE);
    expect(await holder.chat(secret)).toBe(ELSEWHERE);
  });

  test("believes no header if the proxy isn't trusted", async () => {
    const plain = await startHttpWorld();
    const { secret } = await plain.newKey({ allowed_addresses: ["10.0.0.0/8"] });
    const lie = {
      secret,
      headers: { ...from("10.0.0.1"), forwarded: "for=10.0.0.1", "x-real-ip": "10.0.0.1" },
    };
    expect(formatLine(await seen(await plain.chat(asking("Local#sim"), lie)))).toBe(ELSEWHERE);
    const local = await plain.newKey({ allowed_addresses: ["127.0.0.1", "::1"] });
    expect((await plain.chat(asking("Local#sim"), { secret: local.secret })).status).toBe(200);
    await plain.stop();
  });

  test("is judged by its present list from the next request on", async () => {
    const { secret, id } = await world.newKey();
    expect(await holder.chat(secret, from("192.0.2.1"))).toBe("200 whole");
    await operator.patch(`/keys/${id}`, { allowed_addresses: ["10.0.0.0/8"] });
    expect(await holder.chat(secret, from("192.0.2.1"))).toBe(ELSEWHERE);
    await operator.patch(`/keys/${id}`, { allowed_addresses: null });
    await until("any address is admitted", async () => (await holder.chat(secret)) === "200 whole");
  });

  test("doesn't tell others that it is paused", async () => {
    const { secret } = await world.newKey({ allowed_addresses: ["10.0.0.0/8"], paused: true });
    expect(await holder.chat(secret, from("192.0.2.1"))).toBe(ELSEWHERE);
    expect(await holder.chat(secret, from("10.0.0.1"))).toBe(PAUSED);
  });

  test.skipIf(process.env.POUNDKEY_BINARY !== undefined)("leaves the address in the log only", async () => {
    const { secret } = await world.newKey({ allowed_addresses: ["10.0.0.0/8"] });
    const headers = { ...from("192.0.2.77"), "x-request-id": "from-77" };
    const { text } = await seen(await world.chat(asking("Local#sim"), { secret, headers }));
    expect(text).not.toContain("192.0.2.77");
    expect(world.events.find(({ request_id }) => request_id === "from-77")).toMatchObject({
      event: "refused",
      code: "address_not_allowed",
      address: "192.0.2.77",
    });
  });
});
