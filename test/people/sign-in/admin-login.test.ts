// `poundkey login --admin`: commands that act with a person's rights at the gateway that gave the sign-in, and nothing else.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asArray, asObject, parseJson } from "../../../src/core/json/json.ts";
import { poundkey } from "../../harness/poundkey.ts";
import { until } from "../../whole/world/until.ts";
import { poll, postForm, sendDecision } from "./agent.ts";
import type { Browser } from "./browser.ts";
import { findFile, logInAt } from "./command-line.ts";
import { askAs, type SignInWorld, signInAs, startSignInWorld } from "./world.ts";

const RULES = `rules: [{ group: platform, role: admin }, { group: watchers, role: viewer, accounts: [default] },
  { group: search, role: member, accounts: [default] }]`;

let world: SignInWorld;
let ida: Browser;
let vic: Browser;
const home = mkdtempSync(join(tmpdir(), "poundkey-admin-login-"));
beforeAll(async () => {
  world = await startSignInWorld({ oidc: RULES });
  const { people } = world.provider;
  people.set("ida", { name: "Ida", groups: ["platform"] });
  people.set("vic", { name: "Vic", groups: ["watchers"] });
  ida = (await signInAs(world, "ida")).browser;
  vic = (await signInAs(world, "vic")).browser;
});
afterAll(async () => {
  await world.stop();
  rmSync(home, { recursive: true });
});

const run = (...args: readonly string[]) => poundkey(home, args, { HOME: home });
const at = () => ["--gateway", world.url];

async function begin() {
  const form = { client_id: "poundkey", scope: "admin" };
  const { body } = await postForm(`${world.url}/oauth/device_authorization`, form);
  return { deviceCode: String(body.device_code), userCode: String(body.user_code) };
}

async function approve(browser: Browser): Promise<string> {
  const begun = await begin();
  const page = await sendDecision(browser, world.url, { user_code: begun.userCode, action: "approve" });
  expect([page.status, page.text]).toEqual([200, expect.stringContaining("acts with your rights")]);
  const { status, body } = await poll(world.url, begun);
  const secret = expect.stringMatching(/^pk-login-[0-9A-Za-z]{49}$/);
  expect([status, body]).toEqual([
    200,
    { access_token: secret, token_type: "Bearer", expires_in: expect.any(Number), scope: "admin" },
  ]);
  expect(Number(body.expires_in)).toBeWithin(43_190, 43_201);
  return String(body.access_token);
}

async function ask(path: string, secret: string, init: RequestInit = {}) {
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const response = await fetch(`${world.url}${path}`, { ...init, headers });
  return { status: response.status, body: asObject(parseJson(await response.text())) };
}

const kept = () => asObject(parseJson(readFileSync(findFile(home), "utf8")));

test("a command signs in, acts as the person, and signs out", async () => {
  expect(await run("accounts", "list", ...at())).toMatchObject({
    code: 2,
    err: expect.stringContaining(`poundkey login --admin ${world.url}`),
  });
  expect(await logInAt(world.url, home, ida, "--admin")).toBe(0);
  expect(statSync(findFile(home)).mode & 0o777).toBe(0o600);
  const made = await run("accounts", "add", "--name", "Remote", ...at(), "--json");
  expect(made).toMatchObject({ code: 0, err: "" });
  const isRecorded = async () => {
    const { body } = await askAs(ida, world.url, "/audit?action=account.created");
    const rows = asArray(asObject(body).data).map(asObject);
    return rows.some(
      ({ actor, target }) => asObject(actor).name === "Ida" && asObject(target).name === "Remote",
    );
  };
  await until("it is on record as Ida's", isRecorded);
  // It isn't an agents' sign-in, and another gateway gets none of it.
  expect(await run("token")).toMatchObject({ code: 1, out: "" });
  const elsewhere = await run("accounts", "list", "--gateway", world.gateway.url);
  expect(elsewhere).toMatchObject({ code: 2, err: expect.stringContaining("POUNDKEY_TOKEN") });
  const secret = String(asObject(asObject(kept().admin)[world.url]).secret);
  expect((await ask("/admin/v1/session", secret)).status).toBe(200);
  expect(await run("logout")).toMatchObject({ code: 0, out: `Signed out at ${world.url}.\n` });
  expect(kept().admin).toEqual({});
  const ended = await ask("/admin/v1/session", secret);
  const error = expect.objectContaining({ message: expect.stringContaining("Your sign-in has ended") });
  expect([ended.status, ended.body.error]).toEqual([401, error]);
  expect(await run("logout")).toMatchObject({
    code: 1,
    err: expect.stringContaining("No command is signed in"),
  });
}, 60_000);

test("one that has ended isn't sent", async () => {
  const file = findFile(home);
  const admin = { [world.url]: { secret: "pk-login-x", until_ms: Date.now() - 1 } };
  writeFileSync(file, JSON.stringify({ url: null, logins: {}, admin }));
  const { code, err } = await run("keys", "list", ...at());
  expect([code, err]).toEqual([2, expect.stringContaining("poundkey login --admin")]);
});

test("the page says what is asked for, and never fills in the code", async () => {
  const { userCode } = await begin();
  const page = await ida.get(`${world.url}/device?user_code=${userCode}`);
  expect(page.text).toContain("a command line asks for your rights");
  expect(page.text).toContain("your role: admin");
  expect(page.text).not.toContain(userCode);
  expect(page.text).not.toContain("account that pays");
});

test("a sign-in has the person's rights on the admin routes, and is good nowhere else", async () => {
  const secret = await approve(vic);
  expect((await ask("/admin/v1/keys", secret)).status).toBe(200);
  const account = { method: "POST", body: JSON.stringify({ name: "No" }) };
  expect((await ask("/admin/v1/accounts", secret, account)).status).toBe(403);
  for (const path of ["/v1/key", "/v1/models"]) expect((await ask(path, secret)).status).toBe(401);
  const exchange = { method: "POST", body: JSON.stringify({ token: secret }) };
  expect((await ask("/admin/v1/session", secret, exchange)).status).toBe(401);
  const cookie = await fetch(`${world.url}/admin/v1/session`, {
    headers: { cookie: `__Host-poundkey_session=${secret}; poundkey_session=${secret}` },
  });
  expect(cookie.status).toBe(401);
});

test("it stands among the person's sessions, which end it, and ends with the person", async () => {
  const first = await approve(vic);
  const { body } = await askAs(vic, world.url, "/sessions");
  const sessions = asArray(asObject(body).data).map(asObject);
  const own = sessions.find(({ agent }) => agent === "poundkey login --admin");
  expect((await askAs(vic, world.url, `/sessions/${own?.id}`, { method: "DELETE" })).status).toBe(200);
  expect((await ask("/admin/v1/session", first)).status).toBe(401);
  const second = await approve(vic);
  const { actor } = (await ask("/admin/v1/session", second)).body;
  const path = `/admin/v1/members/${asObject(actor).id}`;
  const disable = { method: "PATCH", body: JSON.stringify({ disabled: true }) };
  expect((await ask(path, world.gateway.adminToken, disable)).status).toBe(200);
  expect((await ask("/admin/v1/session", second)).status).toBe(401);
});

test("a code is used once, and one that was denied gives nothing", async () => {
  const begun = await begin();
  expect(await poll(world.url, begun)).toMatchObject({
    status: 400,
    body: { error: "authorization_pending" },
  });
  await sendDecision(ida, world.url, { user_code: begun.userCode, action: "deny" });
  expect(await poll(world.url, begun)).toMatchObject({ status: 400, body: { error: "access_denied" } });
  const another = await begin();
  await sendDecision(ida, world.url, { user_code: another.userCode, action: "approve" });
  expect((await poll(world.url, another)).status).toBe(200);
  expect(await poll(world.url, another)).toMatchObject({ status: 400, body: { error: "expired_token" } });
});
