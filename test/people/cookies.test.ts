// The names of cookies where browsers reach the gateway by https, which origins are its own, and one's own sessions.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject } from "../../src/core/json/json.ts";
import { Cookies } from "../../src/http/people/cookies.ts";
import { placeHtml } from "../../src/http/serve/base-path.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { seen } from "../whole/world/observe.ts";

const HOUR_MS = 3_600_000;
const asking = (cookie: string) => new Request("http://a.example/", { headers: { cookie } });

describe("the cookies", () => {
  const make = (publicUrl: string | null, basePath = "") => {
    let nowMs = 0;
    const cookies = new Cookies({ publicUrl, basePath, clock: { nowMs: () => nowMs } });
    return {
      cookies,
      pass: (ms: number) => {
        nowMs += ms;
      },
    };
  };

  test("are the host's own where public_url is https, and each base path has its own", () => {
    const root = make("https://gw.example").cookies;
    const [one, two] = ["/llm", "/other"].map((base) => make(`https://gw.example${base}`, base).cookies);
    const set = root.formatSession("abc", 60, false);
    expect(set).toBe("__Host-poundkey_session=abc; HttpOnly; SameSite=Strict; Path=/; Max-Age=60; Secure");
    expect(root.formatAttempt(root.nameAttempt("s"), "v", 60)).toMatch(
      /^__Host-poundkey_attempt_[0-9a-f]+=v; HttpOnly; SameSite=Lax; Path=\/; Max-Age=60; Secure$/,
    );
    const all = [root, one, two].map((cookies) => cookies?.formatSession("abc", 60, true).split("=")[0]);
    expect(new Set(all).size).toBe(3);
    const [given = ""] = one?.formatSession("own", 60, true).split(";") ?? [];
    expect(one?.readSession(asking(`__Host-poundkey_session=root; ${given}`))).toBe("own");
    expect(two?.readSession(asking(given))).toBeNull();
    expect(make("http://gw.example").cookies.formatSession("abc", 60, false)).toStartWith(
      "poundkey_session=",
    );
  });

  test("of the version before are read for twelve hours, and never before the new one", () => {
    const { cookies, pass } = make("https://gw.example");
    expect(cookies.readSession(asking("poundkey_session=old"))).toBe("old");
    expect(cookies.readSession(asking("poundkey_session=old; __Host-poundkey_session=new"))).toBe("new");
    pass(12 * HOUR_MS);
    expect(cookies.readSession(asking("poundkey_session=old"))).toBeNull();
    expect(cookies.readSession(asking("__Host-poundkey_session=new"))).toBe("new");
  });
});

describe("at an address of https below a path", () => {
  let world: UnderTest;
  beforeAll(async () => {
    world = await startUnderTest({
      server: 'public_url: "https://gw.example/llm", base_path: /llm',
    });
  });
  afterAll(() => world.stop());

  const begin = async (agent: string) => {
    const headers = { "content-type": "application/json", "user-agent": agent };
    const body = JSON.stringify({ token: world.adminToken });
    const answer = await fetch(`${world.url}/llm/admin/v1/session`, { method: "POST", headers, body });
    return (answer.headers.get("set-cookie") ?? "").split(";", 2);
  };
  const ask = async (method: string, path: string, headers: Record<string, string>) =>
    seen(await fetch(`${world.url}/llm/admin/v1${path}`, { method, headers }));

  test("the session's cookie keeps the root as its path, without which browsers refuse it", async () => {
    const answer = await fetch(`${world.url}/llm/admin/v1/session`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token: world.adminToken }),
    });
    expect(answer.headers.get("set-cookie")).toMatch(
      /^__Host-poundkey_session_[0-9a-f]{8}=.*; Path=\/; .*Secure$/,
    );
    expect(placeHtml('<a href="/x">', "/llm")).toBe('<a href="/llm/x">');
  });

  test("a page of the same host that came by http changes nothing", async () => {
    const [cookie = ""] = await begin("one");
    const change = (origin: string) =>
      ask("POST", "/accounts", { cookie, origin, "content-type": "application/json" });
    expect((await change("http://gw.example")).error?.code).toBe("cross_site_request");
    expect((await change("https://gw.example")).error?.code).not.toBe("cross_site_request");
  });

  test("one's own sessions are listed, and each can be ended", async () => {
    const [first = ""] = await begin("a phone");
    const [second = ""] = await begin("a laptop");
    const headers = { cookie: second, "sec-fetch-site": "same-origin" };
    const { body } = await ask("GET", "/sessions", headers);
    const rows = asArray(body.data).map(asObject);
    expect(rows.find(({ current }) => current)).toMatchObject({ agent: "a laptop", address: "127.0.0.1" });
    const other = rows.find(({ agent }) => agent === "a phone");
    expect(other).toMatchObject({ current: false, created_at: expect.any(String) });
    const bearer = { authorization: `Bearer ${world.adminToken}` };
    expect(asArray((await ask("GET", "/sessions", bearer)).body.data)).toHaveLength(rows.length);
    expect((await ask("DELETE", `/sessions/${other?.id}`, headers)).status).toBe(200);
    expect((await ask("GET", "/keys", { cookie: first })).status).toBe(401);
    expect((await ask("GET", "/keys", { cookie: second })).status).toBe(200);
    expect((await ask("DELETE", `/sessions/${other?.id}`, headers)).status).toBe(404);
    expect((await ask("DELETE", "/sessions/ses_x", { cookie: second })).error?.code).toBe(
      "cross_site_request",
    );
  });

  test("an ended cookie is 401, also while wrong tokens get 429", async () => {
    const guess = () => ask("GET", "/keys", { authorization: "Bearer wrong" });
    for (let at = 0; at < 130; at++) if ((await guess()).status === 429) break;
    expect((await guess()).status).toBe(429);
    const [cookie = ""] = await begin("late");
    const name = cookie.split("=")[0];
    expect((await ask("GET", "/keys", { cookie: `${name}=gone` })).status).toBe(401);
  });
});
