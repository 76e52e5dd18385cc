// Every wrong part of a callback is refused with its own sentence, and leaves nobody signed in.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Browser } from "./browser.ts";
import { askAs, reachCallback, type SignInWorld, signInAs, startSecond, startSignInWorld } from "./world.ts";

let world: SignInWorld;
beforeAll(async () => {
  world = await startSignInWorld();
  world.provider.people.set("ada", { name: "Ada", groups: ["platform"] });
  world.provider.people.set("eve", { name: "Eve <b>", groups: ["Platform", "others"] });
  world.provider.people.set("ned", { name: "Ned", groups: ["nowhere"] });
});
afterAll(() => world.stop());

/** Opens an address in the browser, and expects a page that refuses it. */
async function expectRefusal(browser: Browser, url: string, status: number, sentence: string) {
  const page = await browser.get(url);
  expect([page.status, page.text]).toEqual([status, expect.stringContaining(sentence)]);
  expect(page.headers.get("content-type")).toStartWith("text/html");
  expect(page.headers.get("cache-control")).toBe("no-store");
  expect(page.text).toContain("Start again");
  expect(browser.cookies(world.url)).not.toContain("poundkey_session");
  return page;
}

/** Returns a callback that would work, with some of its query's fields replaced or, by null, removed. */
async function makeCallback(
  browser: Browser,
  change: Readonly<Record<string, string | null>>,
): Promise<string> {
  const url = new URL(await reachCallback(world, browser, "ada"));
  for (const [name, value] of Object.entries(change)) {
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url.href;
}

const NOT_STARTED = "was not started in this browser";

describe("a callback", () => {
  test.each([
    ["another state", { state: "another" }, 400, NOT_STARTED],
    ["no state", { state: null }, 400, NOT_STARTED],
    ["another issuer", { iss: "https://other.example" }, 400, "from another issuer (iss)"],
    ["no issuer, though it announces one", { iss: null }, 400, "from another issuer (iss)"],
    ["another code", { code: "made-up" }, 400, "accept the code"],
    ["no code", { code: null }, 400, "Start again"],
    ["a stop at the provider", { code: null, error: "access_denied" }, 403, "did not let you in"],
    ["an odd error", { code: null, error: "<script>" }, 400, "answered &#39;an unknown error&#39;"],
  ])("with %s is refused", async (_, change, status, sentence) => {
    const browser = new Browser();
    const page = await expectRefusal(browser, await makeCallback(browser, change), status, sentence);
    expect(page.text).not.toContain("script");
  });

  test("without its cookie is refused", async () => {
    const url = await makeCallback(new Browser(), {});
    await expectRefusal(new Browser(), url, 400, NOT_STARTED);
  });

  test("works once, over all nodes", async () => {
    const browser = new Browser();
    const url = await makeCallback(browser, {});
    const cookie = browser.cookies(url);
    const second = await startSecond(world);
    const open = (base: string) =>
      fetch(url.replace(world.url, base), { headers: { cookie }, redirect: "manual" });
    const first = await open(world.gateway.url);
    expect([first.status, await first.text()]).toEqual([200, expect.stringContaining("You are signed in")]);
    for (const base of [world.gateway.url, second.url]) {
      const again = await open(base);
      expect([again.status, await again.text()]).toEqual([400, expect.stringContaining("already used once")]);
    }
    await second.stop();
  });

  test("with the cookie of another attempt is refused, even under this one's name", async () => {
    const browser = new Browser();
    const url = await makeCallback(browser, {});
    const other = new Browser();
    const otherUrl = await makeCallback(other, {});
    const [name] = browser.cookies(url).split("=", 1);
    const value = other.cookies(otherUrl).split(/=(.*)/s)[1] ?? "";
    const answer = await fetch(url, { headers: { cookie: `${name}=${value}` } });
    expect([answer.status, await answer.text()]).toEqual([
      400,
      expect.stringContaining("belongs to another sign-in"),
    ]);
  });

  test("never leads to another site", async () => {
    for (const path of ["//other.example", "https://other.example", "/\\other.example", "other", "/%0aa\n"]) {
      const start = `${world.url}/auth/oidc/start?return_to=${encodeURIComponent(path)}`;
      await expectRefusal(new Browser(), start, 400, "must be a path of this gateway");
    }
    const browser = new Browser();
    const start = `${world.url}/auth/oidc/start?return_to=${encodeURIComponent('/docs?a=1&b="<2>"')}`;
    await expectRefusal(browser, start.replace("%22%3C2%3E%22", "%20"), 400, "must be a path");
    const page = await browser.get(await reachCallback(world, browser, "ada", start));
    expect(page.text).toContain('content="0; url=/docs?a=1&amp;b=&quot;&lt;2&gt;&quot;"');
  });
});

describe("a person", () => {
  test("without a rule isn't let in, and nothing is stored of them", async () => {
    const { page, browser } = await signInAs(world, "eve");
    expect([page.status, page.text]).toEqual([
      403,
      expect.stringContaining("none of your groups has a role"),
    ]);
    expect(browser.cookies(world.url)).not.toContain("poundkey_session");
    const headers = { authorization: `Bearer ${world.gateway.adminToken}` };
    const members = await (await fetch(`${world.gateway.url}/admin/v1/members`, { headers })).text();
    expect(members).not.toContain("Eve");
    expect(JSON.stringify(world.gateway.events)).not.toMatch(/eve"|Eve/);
  });

  test.each([
    [99, "none of your groups has a role"],
    [100, "none of the 100 groups that it sent has a role here. It may have cut the list off"],
    [101, "none of your groups has a role"],
  ])("with %i groups and no rule is told whether the list may be cut off", async (count, words) => {
    const groups = Array.from({ length: count }, (_, at) => `group-${at}`);
    world.provider.people.set("many", { name: "Many", groups });
    const { page } = await signInAs(world, "many");
    expect([page.status, page.text]).toEqual([403, expect.stringContaining(words)]);
  });

  test("whose rules name no account that exists isn't let in", async () => {
    const { page } = await signInAs(world, "ned");
    expect([page.status, page.text]).toEqual([403, expect.stringContaining("accounts that don&#39;t exist")]);
  });
});

test("while the provider is away, a page says so, and everything else works", async () => {
  const away = await startSignInWorld({ issuer: "http://127.0.0.1:1" });
  const page = await new Browser().get(`${away.url}/auth/oidc/start`);
  expect([page.status, page.text]).toEqual([503, expect.stringContaining("answer. Try again in a minute.")]);
  expect(
    (await away.gateway.chat({ model: "OpenAI#a", messages: [{ role: "user", content: "hi" }] })).status,
  ).toBe(200);
  await away.stop();
});

test("nobody signs in with a session's cookie from another site", async () => {
  const { browser } = await signInAs(world, "ada");
  const at = `${world.url}/auth/oidc/logout`;
  const headers = { cookie: browser.cookies(at), origin: "https://other.example" };
  expect((await fetch(at, { method: "POST", headers, redirect: "manual" })).status).toBe(403);
  expect((await askAs(browser, world.url, "/keys")).status).toBe(200);
  const own = await fetch(at, {
    method: "POST",
    headers: { ...headers, origin: world.url },
    redirect: "manual",
  });
  expect(own.status).toBe(303);
  expect(own.headers.get("location")).toStartWith(`${world.provider.issuer}/session/end`);
  expect((await askAs(browser, world.url, "/keys")).status).toBe(401);
});
