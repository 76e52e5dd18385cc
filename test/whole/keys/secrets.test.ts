// The secrets of a key over HTTP: rotation with and without a grace, expiry and revocation, and how fast they apply.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createKeyHolder, type KeyHolder, PAUSED, REVOKED } from "../world/key-holder.ts";
import { formatLine, seen } from "../world/observe.ts";
import { createOperator, type Operator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { asking, type HttpWorld, startHttpWorld } from "../world/world.ts";

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let world: HttpWorld;
let operator: Operator;
let holder: KeyHolder;
beforeAll(async () => {
  world = await startHttpWorld();
  operator = createOperator(world);
  holder = createKeyHolder(world);
});
afterAll(() => world.stop());

describe("a rotated key", () => {
  const rotate = async (id: string, body: unknown = {}) =>
    (await operator.post(`/keys/${id}/rotate`, body)).body;

  test("has another secret and everything else as before, and the old one stops at once", async () => {
    const made = await operator.post("/keys", { name: "turning", requests_per_day: 5 });
    const { secret: first, ...before } = made.body;
    expect(await holder.chat(String(first))).toBe("200 whole");
    const { secret: second, ...after } = await rotate(String(before.id));
    expect(second).not.toBe(first);
    expect(after).toEqual({ ...before, last4: String(second).slice(-4) });
    expect(await holder.chat(String(first))).toBe(REVOKED);
    await holder.listsModels(String(first), REVOKED);
    expect(await holder.chat(String(second))).toBe("200 whole");
    const own = await holder.get(String(second), "/v1/key");
    expect(own.body).toMatchObject({ id: before.id, allowance: { used: 2 }, last4: after.last4 });
    const listed = await operator.get(`/keys/${before.id}`);
    expect(listed.text).not.toContain(String(second));
  });

  test("has two secrets during the grace, and the old one ends on time", async () => {
    const { secret: first, id } = await world.newKey();
    const { secret, old_secret_expires_at: endsAt } = await rotate(id, { grace: "1500ms" });
    const second = String(secret);
    expect(endsAt).toMatch(INSTANT);
    expect((await operator.get(`/keys/${id}`)).body).toMatchObject({ old_secret_expires_at: endsAt });
    expect([await holder.chat(first), await holder.chat(second)]).toEqual(["200 whole", "200 whole"]);
    await until("the old secret ends", async () => (await holder.chat(first)) === REVOKED);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(String(endsAt)));
    await holder.listsModels(first, REVOKED);
    expect(await holder.chat(second)).toBe("200 whole");
    expect((await operator.get(`/keys/${id}`)).body).toMatchObject({ old_secret_expires_at: null });
  });

  test("twice has no grace for the first secret, on another gateway too", async () => {
    const other = await world.another();
    const { secret: first, id } = await world.newKey();
    const there = (secret: string) =>
      fetch(`${other.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body: JSON.stringify(asking("Local#sim")),
      });
    expect((await there(first)).status).toBe(200);
    const { secret: second } = await rotate(id, { grace: "1h" });
    const { secret: third } = await rotate(id, { grace: "30d" });
    const statuses = [];
    for (const secret of [first, second, third]) statuses.push((await there(String(secret))).status);
    expect(statuses).toEqual([401, 200, 200]);
    await operator.delete(`/keys/${id}`);
    for (const secret of [second, third]) expect((await there(String(secret))).status).toBe(401);
    await other.stop();
  });

  test("answers an Idempotency-Key with either secret", async () => {
    const { secret: first, id } = await world.newKey();
    const { secret: second } = await rotate(id, { grace: "1h" });
    const headers = { "idempotency-key": "same" };
    const ids = [];
    for (const secret of [first, String(second)])
      ids.push((await seen(await world.chat(asking("Local#sim"), { secret, headers }))).body.id);
    expect(ids[0]).toBe(ids[1]);
  });

  test("that is paused gets a secret, and stays paused", async () => {
    const { id } = await world.newKey({ paused: true });
    const { secret } = await rotate(id);
    expect(await holder.chat(String(secret))).toBe(PAUSED);
  });

  const WRONG: readonly (readonly [unknown, string])[] = [
    [{ grace: "24 hours" }, "400 invalid_value grace"],
    [{ grace: "31d" }, "400 invalid_value grace"],
    [{ grace: "-1h" }, "400 invalid_value grace"],
    [{ grace: "" }, "400 invalid_value grace"],
    [{ grace: 60 }, "400 invalid_value grace"],
    [{ grace: true }, "400 invalid_type grace"],
    [{ grave: "1h" }, "400 unknown_parameter grave"],
    [{ grace: "30d" }, "201"],
    [{ grace: 0 }, "201"],
    [{ grace: null }, "201"],
  ];
  test.each(WRONG)("asked with %j", async (body, expected) => {
    const { secret, id } = await world.newKey();
    const { status, error } = await operator.post(`/keys/${id}/rotate`, body);
    expect(error ? `${status} ${error.code} ${error.param}` : String(status)).toBe(expected);
    if (error) expect(await holder.chat(secret)).toBe("200 whole");
  });

  test("that was revoked, or doesn't exist, is refused", async () => {
    const { id } = await world.newKey();
    await operator.delete(`/keys/${id}`);
    const refused = await operator.post(`/keys/${id}/rotate`, { grace: "1h" });
    expect(formatLine(refused)).toBe("409 invalid_request_error key_revoked");
    expect(refused.text).not.toContain("sk-");
    expect((await operator.post("/keys/key_none/rotate", {})).status).toBe(404);
    expect((await operator.post("/keys/console/rotate", {})).status).toBe(404);
  });
});

describe("the end of a key", () => {
  test("a revocation takes effect immediately at admission, and soon elsewhere", async () => {
    const { body: key } = await operator.post("/keys", { name: "to go" });
    const secret = String(key.secret);
    expect((await world.chat(asking("Local#sim"), { secret })).status).toBe(200);
    expect((await holder.get(secret, "/v1/key")).status).toBe(200);
    const revoked = await operator.delete(`/keys/${key.id}`);
    expect(revoked.body).toMatchObject({ id: key.id, revoked_at: expect.stringMatching(INSTANT) });
    world.callsSince();
    const refused = await seen(await world.chat(asking("Local#sim"), { secret }));
    expect(formatLine(refused)).toBe("401 invalid_request_error invalid_api_key");
    expect(world.callsSince()).toBe(0);
    for (const path of ["/v1/key", "/v1/models"]) {
      await until(`${path} refuses`, async () => (await holder.get(secret, path)).status === 401);
    }
    const again = await operator.delete(`/keys/${key.id}`);
    expect(again.body).toEqual(revoked.body);
    expect((await operator.get(`/keys/${key.id}`)).body).toMatchObject(revoked.body);
  });

  test("a revoked key's running streams finish", async () => {
    const { body: key } = await operator.post("/keys", { name: "to go" });
    const body = asking("Local#sim~pace=30", "say: a b c d e f", { stream: true });
    const response = await world.chat(body, { secret: String(key.secret) });
    await operator.delete(`/keys/${key.id}`);
    const { stream } = await seen(response);
    expect(stream).toMatchObject({ texts: ["a b c d e f"], error: null });
  });

  test("a key expires on time", async () => {
    const at = Date.now() + 1500;
    const { body: key } = await operator.post("/keys", {
      name: "brief",
      expires_at: new Date(at).toISOString(),
    });
    const secret = String(key.secret);
    expect((await world.chat(asking("Local#sim"), { secret })).status).toBe(200);
    await until(
      "it is refused",
      async () => (await world.chat(asking("Local#sim"), { secret })).status === 401,
    );
    expect(Date.now()).toBeGreaterThanOrEqual(at);
    expect(formatLine(await holder.get(secret, "/v1/key"))).toBe("401 invalid_request_error invalid_api_key");
  });
});
