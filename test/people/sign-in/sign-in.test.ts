// Signing in with a real OpenID Connect provider: from its pages to a session with the role that the rules give.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { probeIssuer } from "../../../src/app/oidc/sign-in.ts";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { readSettings } from "../../harness/settings.ts";
import { until } from "../../whole/world/until.ts";
import { Browser } from "./browser.ts";
import { startForger } from "./forger.ts";
import { askAs, oidcYaml, RULES, type SignInWorld, signInAs, startSignInWorld } from "./world.ts";

let world: SignInWorld;
beforeAll(async () => {
  world = await startSignInWorld();
  const { people } = world.provider;
  const email = "ada@example.com";
  people.set("ada", { email, email_verified: true, name: "Ada", groups: ["platform", "others"] });
  people.set("vic", { name: "Vic", groups: ["watchers", "search"] });
});
afterAll(() => world.stop());

async function viewSignIn(browser = new Browser()) {
  const { text } = await browser.get(`${world.url}/auth/oidc`);
  return asObject(JSON.parse(text));
}

describe("signing in", () => {
  test("gives a session in the role of the rules", async () => {
    const { page, browser } = await signInAs(world, "ada");
    expect([page.status, page.text]).toEqual([200, expect.stringContaining("You are signed in")]);
    const cookie = page.headers.getSetCookie().find((one) => one.startsWith("poundkey_session="));
    expect(cookie?.split("; ").slice(1)).toEqual(["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"]);
    expect((await askAs(browser, world.url, "/settings")).status).toBe(200);
    const made = { method: "POST", body: JSON.stringify({ name: "made by a person" }) };
    expect((await askAs(browser, world.url, "/keys", made)).status).toBe(201);
    const { body } = await askAs(browser, world.url, "/members");
    const [ada] = asArray(asObject(body).data);
    expect(ada).toMatchObject({
      name: "Ada",
      email: "ada@example.com",
      role: "admin",
      accounts: null,
      disabled: false,
      grants: [{ role: "admin", account: null }],
      own_grants: [],
      keys_expire_at: null,
    });
  });

  test("is on record with the person, as are sign-outs and refusals, which name nobody", async () => {
    const { browser } = await signInAs(world, "ada");
    const other = await signInAs(world, "vic");
    await askAs(other.browser, world.url, "/session", { method: "DELETE" });
    world.provider.people.set("bob", { name: "Bob", groups: [] });
    expect((await signInAs(world, "bob")).page.status).toBe(403);
    const rows = await until("all are chained", async () => {
      const { body } = await askAs(browser, world.url, "/audit?limit=200");
      const all = asArray(asObject(body).data).map(asObject);
      return ["session.ended", "session.refused"].every((one) => all.some(({ action }) => action === one))
        ? all
        : null;
    });
    const list = (action: string) =>
      rows.filter((row) => row.action === action).map((row) => [asObject(row.actor).name, row.reason]);
    expect(list("session.started")).toContainEqual(["Ada", null]);
    const sessions = rows.filter(({ action }) => action === "session.started" || action === "session.ended");
    for (const { request_id } of sessions) expect(request_id).toMatch(/^req_/);
    expect(list("session.ended")).toEqual([["Vic", null]]);
    expect(list("session.refused")).toEqual([["", "no_rule"]]);
    expect(list("member.created")).toContainEqual(["Ada", null]);
    expect(JSON.stringify(rows)).not.toContain("Bob");
  });

  test("that no rule lets in any more ends the sessions from before at once", async () => {
    world.provider.people.set("ned", { name: "Ned", groups: ["platform"] });
    const { browser } = await signInAs(world, "ned");
    expect((await askAs(browser, world.url, "/keys")).status).toBe(200);
    world.provider.people.set("ned", { name: "Ned", groups: ["others"] });
    expect((await signInAs(world, "ned")).page.status).toBe(403);
    expect((await askAs(browser, world.url, "/keys")).status).toBe(401);
  });

  test("permits no more than the role does", async () => {
    const { browser } = await signInAs(world, "vic");
    expect((await askAs(browser, world.url, "/usage")).status).toBe(200);
    for (const path of ["/settings", "/tokens"]) {
      const { status, body } = await askAs(browser, world.url, path);
      expect([path, status, asObject(asObject(body).error).code]).toEqual([path, 403, "not_permitted"]);
    }
  });

  test("is offered to everyone, with the provider's host", async () => {
    const offered = {
      provider: new URL(world.provider.issuer).host,
      start_url: `${world.url}/auth/oidc/start`,
    };
    expect(await viewSignIn()).toEqual({ ...offered, signed_in: false });
    const { browser } = await signInAs(world, "vic");
    expect(await viewSignIn(browser)).toEqual({ ...offered, signed_in: true });
    const end = { method: "DELETE" };
    expect((await askAs(browser, world.url, "/session", end)).status).toBe(204);
    expect(await viewSignIn(browser)).toEqual({ ...offered, signed_in: false });
  });

  test("isn't ended by another site's form, and its person reads so on a page", async () => {
    const { browser } = await signInAs(world, "vic");
    const headers = { cookie: browser.cookies(world.url), "sec-fetch-site": "cross-site" };
    const page = await fetch(`${world.url}/auth/oidc/logout`, {
      method: "POST",
      headers,
      redirect: "manual",
    });
    expect([page.status, page.headers.get("content-type")]).toEqual([403, "text/html; charset=utf-8"]);
    expect(await page.text()).toContain("You are not signed out");
    expect((await askAs(browser, world.url, "/usage")).status).toBe(200);
  });

  test("starts with a cookie that the provider's redirect brings back, for one attempt", async () => {
    const browser = new Browser();
    const page = await browser.get(`${world.url}/auth/oidc/start`);
    expect([page.status, page.headers.get("cache-control")]).toEqual([302, "no-store"]);
    const [cookie = ""] = page.headers.getSetCookie();
    expect(cookie.split("; ").slice(1)).toEqual([
      "HttpOnly",
      "SameSite=Lax",
      "Path=/auth/oidc",
      "Max-Age=600",
    ]);
    const asked = new URL(page.headers.get("location") ?? "").searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: "code",
      response_mode: "query",
      code_challenge_method: "S256",
      client_id: "poundkey",
      redirect_uri: `${world.url}/auth/oidc/callback`,
      scope: "openid email profile offline_access",
    });
    // The browser's cookies don't grow without end.
    for (let count = 0; count < 12; count++) await browser.get(`${world.url}/auth/oidc/start`);
    expect(browser.cookies(`${world.url}/auth/oidc/callback`).split("; ").length).toBeLessThan(8);
  });
});

test("poundkey check --probe says how leavers are noticed", async () => {
  const rulesOf = (issuer: string) => {
    const { signIn } = readSettings(`server: { public_url: "${world.url}" }\n${oidcYaml(issuer, RULES)}`);
    if (signIn === undefined) throw new Error("people can't sign in");
    return signIn;
  };
  expect(await probeIssuer(rulesOf(world.provider.issuer))).toContain("leavers are noticed within 1h");
  const forger = await startForger();
  expect(await probeIssuer(rulesOf(forger.issuer))).toContain(
    "sign in again after 1h, and their keys end 30d",
  );
  await forger.stop();
  expect(probeIssuer(rulesOf("http://127.0.0.1:1"))).rejects.toThrow("ECONNREFUSED");
});
