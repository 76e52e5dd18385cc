// Signing in from an agent with a real provider: the page, the tokens, and the end of both.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { until } from "../../whole/world/until.ts";
import { poll, postForm, refresh, sendDecision, signInAgent, startDevice } from "./agent.ts";
import { Browser } from "./browser.ts";
import { askAs, type SignInWorld, signInAs, startSignInWorld } from "./world.ts";

const RULES = `rules: [
  { group: platform, role: admin }, { group: watchers, role: viewer, accounts: [default] },
  { group: search, role: member, accounts: [default] } ]`;

let world: SignInWorld;
let mia: Browser;
beforeAll(async () => {
  world = await startSignInWorld({ oidc: RULES });
  const { people } = world.provider;
  people.set("mia", { name: "Mia", groups: ["search"] });
  people.set("vic", { name: "Vic", groups: ["watchers"] });
  for (const name of ["ada", "lea", "max", "eve", "zoe"]) people.set(name, { name, groups: ["search"] });
  people.set("ida", { name: "Ida", groups: ["platform"] });
  mia = (await signInAs(world, "mia")).browser;
});
afterAll(() => world.stop());

async function chat(secret: unknown, url = world.url) {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "Local#m", messages: [{ role: "user", content: "say: hi" }] }),
  });
  return { status: response.status, body: asObject(await response.json()) };
}

async function showKey(secret: unknown) {
  const response = await fetch(`${world.url}/v1/key`, { headers: { authorization: `Bearer ${secret}` } });
  return { status: response.status, body: asObject(await response.json()) };
}

describe("an agent", () => {
  test("finds where to sign in", async () => {
    const response = await fetch(`${world.url}/.well-known/oauth-authorization-server`);
    expect(await response.json()).toEqual({
      issuer: world.url,
      device_authorization_endpoint: `${world.url}/oauth/device_authorization`,
      token_endpoint: `${world.url}/oauth/token`,
      grant_types_supported: ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
      token_endpoint_auth_methods_supported: ["none"],
      gateway_protocol_version: 1,
    });
  });

  test("shows a code, waits for the person, and gets a key once", async () => {
    const { body } = await postForm(`${world.url}/oauth/device_authorization`, { client_id: "claude-code" });
    const userCode = String(body.user_code);
    expect(userCode).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(body).toEqual({
      device_code: expect.stringMatching(/^[0-9A-Za-z]{43}$/),
      user_code: userCode,
      verification_uri: `${world.url}/device`,
      verification_uri_complete: `${world.url}/device?user_code=${userCode}`,
      expires_in: 600,
      interval: 5,
    });
    const begun = { deviceCode: String(body.device_code) };
    expect(await poll(world.url, begun)).toMatchObject({
      status: 400,
      body: { error: "authorization_pending" },
    });
    expect(await poll(world.url, begun)).toMatchObject({ status: 429, body: { error: "slow_down" } });
    const typed = userCode.toLowerCase().replace("-", " ");
    const page = await sendDecision(mia, world.url, { user_code: typed, action: "approve" });
    expect([page.status, page.text]).toEqual([200, expect.stringContaining("works in your name now")]);
    const got = await poll(world.url, begun);
    expect(got).toEqual({
      status: 200,
      body: {
        access_token: expect.stringMatching(/^sk-[0-9A-Za-z]{49}$/),
        token_type: "Bearer",
        expires_in: expect.any(Number),
        refresh_token: expect.stringMatching(/^[0-9A-Za-z]{43}$/),
      },
    });
    expect(Number(got.body.expires_in)).toBeWithin(3590, 3601);
    expect((await chat(got.body.access_token)).status).toBe(200);
    expect(await poll(world.url, begun)).toMatchObject({ status: 400, body: { error: "expired_token" } });
  });

  test.each([
    ["an empty name", "/oauth/device_authorization", { client_id: "" }, "invalid_request"],
    ["an agent with a line break", "/oauth/device_authorization", { client_id: "a\nb" }, "invalid_request"],
    ["no grant", "/oauth/token", {}, "invalid_request"],
    ["another grant", "/oauth/token", { grant_type: "password" }, "unsupported_grant_type"],
    ["no code", "/oauth/token", { grant_type: "refresh_token" }, "invalid_request"],
    ["an odd code", "/oauth/token", { grant_type: "refresh_token", refresh_token: "' --" }, "invalid_grant"],
    [
      "an unknown code",
      "/oauth/token",
      { grant_type: "refresh_token", refresh_token: "a".repeat(43) },
      "invalid_grant",
    ],
  ])("that sends %s is refused", async (_, path, fields: Record<string, string>, error) => {
    const { status, body } = await postForm(`${world.url}${path}`, fields);
    expect([status, body]).toEqual([400, { error, error_description: expect.any(String) }]);
  });

  test("without a name is shown by its User-Agent, as Claude Code sends it", async () => {
    const headers = { "user-agent": "axios/1.15.2 (of an agent)" };
    const response = await fetch(`${world.url}/oauth/device_authorization`, { method: "POST", headers });
    const { user_code: code } = asObject(await response.json());
    expect((await mia.get(`${world.url}/device?user_code=${code}`)).text).toContain("<dd>axios/1.15.2</dd>");
  });

  test("that a person denies learns it", async () => {
    const begun = await startDevice(world.url);
    const page = await sendDecision(mia, world.url, { user_code: begun.userCode, action: "deny" });
    expect([page.status, page.text]).toEqual([200, expect.stringContaining("was not signed in")]);
    expect(await poll(world.url, begun)).toMatchObject({ status: 400, body: { error: "access_denied" } });
    const again = await sendDecision(mia, world.url, { user_code: begun.userCode, action: "approve" });
    expect(again.status).toBe(400);
  });
});

describe("the page", () => {
  test("leads to the sign-in first, and back", async () => {
    const { userCode } = await startDevice(world.url);
    const page = await new Browser().get(`${world.url}/device?user_code=${userCode}`);
    const back = encodeURIComponent(`/device?user_code=${userCode}`);
    expect([page.status, page.headers.get("location")]).toEqual([
      302,
      `${world.url}/auth/oidc/start?return_to=${back}`,
    ]);
    const sent = await sendDecision(new Browser(), world.url, { user_code: userCode, action: "approve" });
    expect([sent.status, sent.headers.get("location")]).toEqual([
      303,
      `${world.url}/auth/oidc/start?return_to=%2Fdevice`,
    ]);
  });

  test("shows agent, address and time, never approves by itself, and has the code typed", async () => {
    const begun = await startDevice(world.url, "my-agent/1.0");
    const page = await mia.get(`${world.url}/device?user_code=${begun.userCode}`);
    for (const part of ["my-agent/1.0", "127.0.0.1", new Date().toISOString().slice(0, 10), "Mia"]) {
      expect(page.text).toContain(part);
    }
    expect(page.text).not.toContain(begun.userCode);
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(await poll(world.url, begun)).toMatchObject({ body: { error: "authorization_pending" } });
    const looked = await sendDecision(mia, world.url, { user_code: begun.userCode });
    expect([looked.status, looked.text]).toEqual([200, expect.stringContaining(begun.userCode)]);
    expect(await poll(world.url, begun)).toMatchObject({ body: { error: "slow_down" } });
  });

  test.each<[string, Record<string, string>]>([
    ["another site", { origin: "https://evil.example" }],
    ["no site at all", {}],
    ["another site, as the browser says", { origin: "https://a.example", "sec-fetch-site": "cross-site" }],
  ])("takes nothing from %s", async (_, headers) => {
    const begun = await startDevice(world.url);
    const fields = { user_code: begun.userCode, action: "approve" };
    const page = await sendDecision(mia, world.url, fields, headers);
    expect([page.status, page.text]).toEqual([403, expect.stringContaining("Nothing was changed")]);
    expect(await poll(world.url, begun)).toMatchObject({ body: { error: "authorization_pending" } });
  });

  test("lets in no agent of somebody whose role has no keys", async () => {
    const { browser } = await signInAs(world, "vic");
    const { userCode } = await startDevice(world.url);
    const page = await sendDecision(browser, world.url, { user_code: userCode, action: "approve" });
    expect([page.status, page.text]).toEqual([403, expect.stringContaining("has no keys of its own")]);
  });

  test("says that the store is away, and works once it is back", async () => {
    const fields = { user_code: (await startDevice(world.url)).userCode, action: "approve" };
    const file = join(world.gateway.directory, "poundkey.db");
    renameSync(file, `${file}.away`);
    const pages = [await mia.get(`${world.url}/device`), await sendDecision(mia, world.url, fields)];
    renameSync(`${file}.away`, file);
    for (const { status, headers, text } of pages) {
      const type = headers.get("content-type");
      const seconds = headers.get("retry-after");
      expect([status, type, seconds]).toEqual([503, "text/html; charset=utf-8", "30"]);
      expect(text).toContain('<a href="/device">');
    }
    const decide = async () => (await sendDecision(mia, world.url, fields)).status === 200;
    await until("the store is back", decide);
  });

  test("bounds wrong codes, and then takes not even the right one", async () => {
    const { browser } = await signInAs(world, "eve");
    const statuses: number[] = [];
    for (let count = 0; count < 21; count++) {
      statuses.push((await sendDecision(browser, world.url, { user_code: "BBBB-BBBB" })).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 400), 429]);
    const { userCode } = await startDevice(world.url);
    const right = await sendDecision(browser, world.url, { user_code: userCode, action: "approve" });
    expect([right.status, right.headers.get("retry-after")]).toEqual([429, "600"]);
  });

  test("bounds wrong codes that come at once, too", async () => {
    const { browser } = await signInAs(world, "zoe");
    const sending = Array.from({ length: 60 }, () =>
      sendDecision(browser, world.url, { user_code: "BBBB-BBBB" }),
    );
    const statuses = (await Promise.all(sending)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 400)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(40);
  });

  test("asks for the account if there are several", async () => {
    const { browser } = await signInAs(world, "ida");
    const accountId = await world.gateway.newAccount("Payers");
    const { userCode } = await startDevice(world.url);
    const fields = { user_code: userCode, action: "approve" };
    const unsaid = await sendDecision(browser, world.url, fields);
    expect([unsaid.status, unsaid.text]).toEqual([400, expect.stringContaining("Choose the account")]);
    expect(unsaid.text).toContain(">Payers</option>");
    expect((await sendDecision(browser, world.url, { ...fields, account: "acct_none" })).status).toBe(400);
    expect((await sendDecision(browser, world.url, { ...fields, account: accountId })).status).toBe(200);
    const foreign = {
      user_code: (await startDevice(world.url)).userCode,
      action: "approve",
      account: accountId,
    };
    expect((await sendDecision(mia, world.url, foreign)).status).toBe(400);
  });
});

describe("tokens", () => {
  test("of one person in one account are one key, with its counters", async () => {
    const { browser } = await signInAs(world, "ada");
    const first = await signInAgent(browser, world.url);
    const second = await signInAgent(browser, world.url);
    const one = await showKey(first.access_token);
    const other = await showKey(second.access_token);
    expect(one.body.id).toBe(other.body.id);
    const next = await refresh(world.url, first.refresh_token);
    expect((await showKey(next.body.access_token)).body.id).toBe(one.body.id);
    const { body } = await askAs(browser, world.url, "/keys");
    const keys = asArray(asObject(body).data).map(asObject);
    expect(keys.map(({ name, kind }) => [name, kind])).toEqual([["Agents", "personal"]]);
  });

  test("are refreshed once, and again within a minute with the same successor", async () => {
    const first = await signInAgent(mia, world.url);
    const answers = await Promise.all([1, 2, 3].map(() => refresh(world.url, first.refresh_token)));
    const secrets = new Set(answers.map(({ body }) => body.access_token));
    expect([answers.map(({ status }) => status), secrets.size]).toEqual([[200, 200, 200], 1]);
    const next = await refresh(world.url, answers[0]?.body.refresh_token);
    expect(next.status).toBe(200);
    // Two before the present one.
    expect(await refresh(world.url, first.refresh_token)).toMatchObject({
      status: 400,
      body: { error: "invalid_grant" },
    });
    for (const token of [first.access_token, next.body.access_token]) {
      expect((await showKey(token)).status).toBe(200);
    }
    expect((await refresh(world.url, next.body.refresh_token)).status).toBe(200);
  });

  test("end with the person, who is told where to sign in again", async () => {
    const { browser } = await signInAs(world, "lea");
    const tokens = await signInAgent(browser, world.url);
    expect((await showKey(tokens.access_token)).status).toBe(200);
    const list = asObject((await askAs((await signInAs(world, "ida")).browser, world.url, "/members")).body);
    const lea = asArray(list.data)
      .map(asObject)
      .find(({ name }) => name === "lea");
    const headers = { authorization: `Bearer ${world.gateway.adminToken}` };
    const path = `${world.gateway.url}/admin/v1/members/${lea?.id}/anonymise`;
    expect((await fetch(path, { method: "POST", headers })).status).toBe(201);
    await until("the secret has ended", async () => (await showKey(tokens.access_token)).status === 401);
    const { status, body } = await chat(tokens.access_token);
    const error = {
      code: "sign_in_required",
      message: expect.stringContaining(`poundkey login ${world.url}`),
    };
    expect([status, body.error]).toEqual([401, expect.objectContaining(error)]);
    expect(await refresh(world.url, tokens.refresh_token)).toMatchObject({
      status: 401,
      body: { error: "invalid_grant" },
    });
  });

  test("are not those of service keys: a wrong secret is still a wrong key", async () => {
    const { status, body } = await chat("sk-wrong");
    expect([status, asObject(body.error).code]).toEqual([401, "invalid_api_key"]);
  });

  test("of a person are ten: the eleventh ends the one longest unused", async () => {
    const { browser } = await signInAs(world, "max");
    const all = [];
    for (let count = 0; count < 11; count++) all.push(await signInAgent(browser, world.url));
    const statuses = [];
    for (const { access_token: secret } of all) statuses.push((await showKey(secret)).status);
    expect(statuses).toEqual([401, ...Array.from({ length: 10 }, () => 200)]);
  });
});
