// The console's sign-in over HTTP: cookie, same-origin rule, limit on wrong tokens, sign-out, and changed tokens.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { version } from "../../../package.json" with { type: "json" };
import { actAs } from "../../../src/admin/audit/audit-trail.ts";
import { findSession } from "../../../src/admin/people/session.ts";
import { resetAdminToken } from "../../../src/admin/people/token.ts";
import { openStore } from "../../../src/app/start/open-store.ts";
import { TESTER } from "../../harness/acting.ts";
import { BINARY, startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { formatLine, type Seen, seen } from "../world/observe.ts";
import { signIn as begin } from "../world/sign-in.ts";
import { until } from "../world/until.ts";

const LONG_MS = 30_000;
/** Asked this often for as long as the test may take, a node hears fewer than the sixty guesses that it refuses by itself. */
const ASKED_EVERY_MS = 600;
const MASTER_KEY = Buffer.alloc(32, 3).toString("base64");
const TRUSTED = 'trusted_proxies: ["127.0.0.1"], cors: ["https://other.example"]';

let world: UnderTest;
beforeAll(async () => {
  world = await startUnderTest({ server: TRUSTED });
});
afterAll(() => world.stop());

/** Each sign-in comes from its own address. */
let address = 0;
const next = () => `198.51.100.${++address}`;

function signIn(
  token: string,
  from: string,
  headers: Record<string, string> = {},
  url = world.url,
): Promise<Response> {
  return fetch(`${url}/admin/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-forwarded-for": from, ...headers },
    body: JSON.stringify({ token }),
  });
}

/** The cookie of a successful sign-in. */
async function cookie(url = world.url): Promise<string> {
  const given = (await signIn(world.adminToken, next(), {}, url)).headers.get("set-cookie") ?? "";
  return given.split(";", 1)[0] ?? "";
}

async function ask(path: string, init: RequestInit = {}, url = world.url): Promise<Seen> {
  return seen(await fetch(`${url}/admin/v1${path}`, init));
}

describe("signing in", () => {
  test("sets a cookie that scripts can't read and other sites don't send", async () => {
    const answer = await signIn(world.adminToken, next());
    expect(answer.status).toBe(204);
    const [given = "", ...attributes] = (answer.headers.get("set-cookie") ?? "").split("; ");
    expect(given).toMatch(/^poundkey_session=[0-9A-Za-z]{43}$/);
    expect(attributes).toEqual(["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"]);
    const { status, body } = await ask("/session", { headers: { cookie: given } });
    expect([status, body.version]).toEqual([200, version]);
    const restMs = Date.parse(String(body.expires_at)) - Date.now();
    expect(restMs > 11 * 3_600_000 && restMs <= 12 * 3_600_000).toBe(true);
    expect((await ask("/keys", { headers: { cookie: `a=b; ${given}; c=d` } })).status).toBe(200);
  });

  test("marks it Secure if a trusted proxy says that the client uses TLS", async () => {
    const answer = await signIn(world.adminToken, next(), { "x-forwarded-proto": "https" });
    expect(answer.headers.get("set-cookie")).toEndWith("; Secure");
  });

  test.each([
    [{ token: "wrong" }, "401 invalid_request_error invalid_api_key"],
    [{ token: "" }, "401 invalid_request_error invalid_api_key"],
    [{}, "400 invalid_request_error missing_required_parameter"],
    [{ token: 1 }, "400 invalid_request_error invalid_type"],
    [{ token: "x", more: 1 }, "400 invalid_request_error unknown_parameter"],
  ])("%p is refused", async (body, expected) => {
    const headers = { "content-type": "application/json", "x-forwarded-for": next() };
    const answer = await ask("/session", { method: "POST", headers, body: JSON.stringify(body) });
    expect(formatLine(answer)).toBe(expected);
    expect(answer.headers.get("set-cookie")).toBeNull();
  });
});

describe("wrong tokens", () => {
  const bearer = (token: string, url: string) =>
    fetch(`${url}/admin/v1/keys`, { headers: { authorization: `Bearer ${token}` } });
  const withCookie = (secret: string, url: string) =>
    fetch(`${url}/admin/v1/session`, { headers: { cookie: `poundkey_session=${secret}` } });
  const guesses = {
    bearer: (url: string) => bearer("guess", url),
    "sign-in": (url: string) => signIn("guess", next(), {}, url),
  };
  type Way = keyof typeof guesses;
  const WAYS: readonly Way[] = ["bearer", "sign-in"];
  /** Returns the answers to this many at once. The minute may end in between, so tests repeat what one minute must see. */
  const guess = (way: Way, times: number, url: string) =>
    Promise.all(Array.from({ length: times }, () => guesses[way](url)));

  const countMinutes = () => Math.floor(Date.now() / 60_000);

  test.each(WAYS)(
    "as %s are refused beyond a bound that holds for both, while right ones pass and an ended cookie is 401",
    async (way) => {
      const gateway = await startUnderTest({ server: TRUSTED });
      try {
        const session = await cookie(gateway.url);
        await until("a minute sees all of it", async () => {
          const minute = countMinutes();
          const statuses = (await guess(way, 61, gateway.url)).map(({ status }) => status);
          const others = await Promise.all(WAYS.map((other) => guesses[other](gateway.url)));
          if (countMinutes() !== minute) return false;
          expect(statuses).toContain(429);
          for (const answer of others)
            expect(formatLine(await seen(answer))).toMatch(
              /^429 rate_limit_error rate_limit_exceeded, retry after \d+$/,
            );
          return true;
        });
        expect((await withCookie("a".repeat(43), gateway.url)).status).toBe(401);
        expect((await bearer(gateway.adminToken, gateway.url)).status).toBe(200);
        expect((await signIn(gateway.adminToken, next(), {}, gateway.url)).status).toBe(204);
        expect((await ask("/session", { headers: { cookie: session } }, gateway.url)).status).toBe(200);
      } finally {
        await gateway.stop();
      }
    },
    LONG_MS,
  );

  test(
    "on one node count on all nodes, and are logged once a minute",
    async () => {
      const gateway = await startUnderTest();
      const other = await gateway.another();
      try {
        let shown = 0;
        await until(
          "the other node refuses too",
          async () => {
            await guess("bearer", 61, gateway.url);
            shown++;
            await Bun.sleep(ASKED_EVERY_MS);
            return (await bearer("guess", other.url)).status === 429;
          },
          LONG_MS,
        );
        expect(shown).toBeLessThan(60);
        expect((await bearer(gateway.adminToken, other.url)).status).toBe(200);
        if (BINARY) return;
        const lines = gateway.events.filter(({ event }) => event === "wrong_admin_tokens");
        // There are two nodes, and the minute may have ended.
        expect(lines.length).toBeLessThanOrEqual(4);
        expect(lines[0]).toMatchObject({ level: "warn", last_address: "127.0.0.1" });
        expect(JSON.stringify(lines)).not.toContain("guess");
      } finally {
        await other.stop();
        await gateway.stop();
      }
    },
    LONG_MS,
  );
});

describe("the cookie", () => {
  const change = async (headers: Record<string, string>) => {
    const body = JSON.stringify({ name: "by cookie" });
    const all = { "content-type": "application/json", cookie: await cookie(), ...headers };
    return ask("/accounts", { method: "POST", headers: all, body });
  };
  const own = () => ({ origin: world.url });

  test("only allows changes from the console's own page", async () => {
    expect((await change({ "sec-fetch-site": "same-origin" })).status).toBe(201);
    expect((await change(own())).status).toBe(201);
    const forwarded = { origin: "https://console.example", "x-forwarded-host": "console.example" };
    expect((await change(forwarded)).status).toBe(201);
  });

  test.each<Record<string, string>>([
    {},
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none" },
    { origin: "https://evil.example" },
    { origin: "https://other.example" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site", origin: "http://127.0.0.1" },
  ])("with %p it changes nothing", async (headers) => {
    expect(formatLine(await change(headers))).toBe("403 permission_error cross_site_request");
  });

  test("is ignored beside a bearer token", async () => {
    const headers = { cookie: await cookie(), authorization: "Bearer wrong" };
    expect((await ask("/keys", { headers })).status).toBe(401);
    const right = { cookie: "poundkey_session=x", authorization: `Bearer ${world.adminToken}` };
    expect((await ask("/keys", { headers: right })).status).toBe(200);
  });

  test.each(["", "poundkey_session=", `poundkey_session=${"a".repeat(43)}`, "poundkey_session=a b"])(
    "%p is not valid",
    async (given) => {
      expect((await ask("/session", { headers: { cookie: given } })).status).toBe(401);
      expect((await ask("/keys", { headers: { cookie: given } })).status).toBe(401);
    },
  );

  test("gives no access to the key holders' routes", async () => {
    const answer = await fetch(`${world.url}/v1/models`, { headers: { cookie: await cookie() } });
    expect(answer.status).toBe(401);
  });
});

describe("a session", () => {
  test("is valid on every node, as is its sign-out", async () => {
    const other = await world.another();
    try {
      const given = await cookie(other.url);
      expect((await ask("/keys", { headers: { cookie: given } })).status).toBe(200);
      const kept = await cookie();
      const headers = { cookie: given, origin: world.url };
      expect(formatLine(await ask("/session", { method: "DELETE", headers: { cookie: given } }))).toContain(
        "403",
      );
      const out = await fetch(`${world.url}/admin/v1/session`, { method: "DELETE", headers });
      expect([out.status, out.headers.get("set-cookie")]).toEqual([
        204,
        "poundkey_session=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0",
      ]);
      for (const url of [world.url, other.url]) {
        expect((await ask("/session", { headers: { cookie: given } }, url)).status).toBe(401);
        expect((await ask("/session", { headers: { cookie: kept } }, url)).status).toBe(200);
      }
    } finally {
      await other.stop();
    }
  });
});

test("ends when the admin token is replaced or configured anew", async () => {
  const address = `sqlite:${join(world.directory, "tokens.db")}`;
  const opened = await openStore(address, MASTER_KEY);
  const at = actAs(opened.world, TESTER);
  const first = await resetAdminToken(at);
  const secret = (await begin(at, null, first)) ?? "";
  expect(await findSession(at, null, secret)).not.toBeNull();
  expect(await findSession(at, "configured", secret)).toBeNull();
  await resetAdminToken(at);
  expect(await findSession(at, null, secret)).toBeNull();
  expect(await begin(at, null, first)).toBeNull();
  const configured = (await begin(at, "configured", "configured")) ?? "";
  expect(await findSession(at, "configured", configured)).not.toBeNull();
  expect(await findSession(at, "changed", configured)).toBeNull();
  await opened.store.close();
});

test("expires", async () => {
  const opened = await openStore(`sqlite:${join(world.directory, "late.db")}`, MASTER_KEY);
  const secret = (await begin(opened.world, "token", "token")) ?? "";
  const at = (hours: number) => {
    const nowMs = Date.now() + hours * 3_600_000;
    return findSession({ ...opened.world, clock: { nowMs: () => nowMs } }, "token", secret);
  };
  expect(await at(11.9)).not.toBeNull();
  expect(await at(12.1)).toBeNull();
  await opened.store.close();
});
