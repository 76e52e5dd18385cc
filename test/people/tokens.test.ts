// Named tokens over HTTP: who makes them, what they give, how they end, and where the admin token may come from.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../src/app/start/open-store.ts";
import { runTokens } from "../../src/cli/people/tokens.ts";
import { type JsonObject, parseJson } from "../../src/core/json/json.ts";
import { checkTokenSecret } from "../../src/keys/secret.ts";
import { runPrinting } from "../harness/poundkey.ts";
import { readSettings } from "../harness/settings.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { createOperator, type Operator } from "../whole/world/operator.ts";
import { type HttpWorld, startHttpWorld } from "../whole/world/world.ts";
import { makeMember } from "./samples.ts";

const DAY_MS = 86_400_000;

let world: HttpWorld;
let admin: Operator;
let team: string;
beforeAll(async () => {
  world = await startHttpWorld();
  admin = createOperator(world);
  team = await world.newAccount("Team");
});
afterAll(() => world.stop());

const as = (secret: unknown, url = world.url) => createOperator({ url, adminToken: String(secret) });

async function newToken(fields: JsonObject, maker = admin): Promise<JsonObject> {
  const { status, body } = await maker.post("/tokens", { name: "t", role: "viewer", ...fields });
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

async function signIn(token: unknown): Promise<string> {
  const body = JSON.stringify({ token });
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${world.url}/admin/v1/session`, { method: "POST", headers, body });
  return response.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
}

async function withCookie(cookie: string, url = world.url): Promise<number> {
  const response = await fetch(`${url}/admin/v1/session`, { headers: { cookie } });
  await response.text();
  return response.status;
}

describe("a named token", () => {
  test("is shown with its secret once, and its secret is stored nowhere", async () => {
    const { secret, ...token } = await newToken({ accounts: ["Team"], content: true, contact: "ops" });
    expect(checkTokenSecret(String(secret))).toBe(true);
    expect(secret).toMatch(/^pk-[0-9A-Za-z]{49}$/);
    expect(token).toMatchObject({
      name: "t",
      role: "viewer",
      accounts: [team],
      grants: [{ role: "viewer", account: team }],
      content: true,
      contact: "ops",
      last4: String(secret).slice(-4),
      revoked_at: null,
      state: "active",
      created_by: { kind: "admin", id: "admin" },
      member_id: null,
    });
    const restMs = Date.parse(String(token.expires_at)) - Date.now();
    expect(restMs > 364 * DAY_MS && restMs <= 366 * DAY_MS).toBe(true);
    expect((await admin.get("/tokens")).body.data).toContainEqual(token);
    const files = readdirSync(world.directory).filter((name) => name.startsWith("poundkey.db"));
    const stored = files.map((name) => readFileSync(join(world.directory, name)).toString("latin1"));
    expect(stored.filter((text) => text.includes(String(secret)))).toEqual([]);
    expect(stored.some((text) => text.includes(String(token.id)))).toBe(true);
  });

  test("gives its role as a bearer and in a session, which says so", async () => {
    const { secret, id } = await newToken({ name: "report", accounts: [team], role: "manager" });
    const shown = (await as(secret).get("/session")).body;
    expect(shown).toMatchObject({
      actor: { kind: "token", id, name: "report" },
      role: "manager",
      accounts: [team],
      grants: [{ role: "manager", account: team }],
      time_zone: "UTC",
      day_starts: "00:00",
    });
    const permitted = shown.permissions as readonly { name: string; accounts: unknown }[];
    expect(permitted).toContainEqual({ name: "keys.write", accounts: [team] });
    expect(permitted.filter(({ name }) => name === "settings.read" || name === "money.move")).toEqual([]);
    const headers = { cookie: await signIn(secret) };
    const session = await (await fetch(`${world.url}/admin/v1/session`, { headers })).json();
    expect(session).toMatchObject({ actor: { kind: "token", id }, role: "manager" });
    const everything = (await admin.get("/session")).body;
    expect(everything).toMatchObject({ expires_at: null, role: "admin", accounts: null });
    expect(everything.permissions).toContainEqual({ name: "members.write", accounts: null });
    const refused = await as(secret).get("/settings");
    expect([refused.status, refused.error?.code]).toEqual([403, "not_permitted"]);
  });

  test("ends at once when it is revoked, on every node, and its sessions with it", async () => {
    const other = await world.another();
    const { secret, id } = await newToken({});
    const cookie = await signIn(secret);
    expect([await withCookie(cookie), await withCookie(cookie, other.url)]).toEqual([200, 200]);
    expect((await as(secret, other.url).get("/keys")).status).toBe(200);
    expect((await admin.delete(`/tokens/${id}`)).body).toMatchObject({ state: "revoked" });
    expect((await as(secret, other.url).get("/keys")).status).toBe(401);
    expect((await as(secret).get("/keys")).status).toBe(401);
    expect([await withCookie(cookie), await withCookie(cookie, other.url)]).toEqual([401, 401]);
    expect(await signIn(secret)).toBe("");
    await other.stop();
  });

  const wrong: readonly (readonly [fields: JsonObject, told: string])[] = [
    [{ role: "king" }, "400 invalid_value role"],
    [{ accounts: [] }, "400 empty_array accounts"],
    [{ accounts: ["Team", "none"] }, "400 invalid_value accounts"],
    [{ expires_at: new Date(Date.now() + 367 * DAY_MS).toISOString() }, "400 invalid_value expires_at"],
    [{ expires_at: null }, "400 invalid_value expires_at"],
    [{ expires_at: "2020-01-01" }, "400 invalid_value expires_at"],
    [{ grants: [] }, "400 unknown_parameter grants"],
  ];
  test.each(wrong)("is refused with %p", async (fields, told) => {
    const { status, error } = await admin.post("/tokens", { name: "t", role: "viewer", ...fields });
    expect(`${status} ${error?.code} ${error?.param}`).toBe(told);
  });
});

describe("a name that several accounts have", () => {
  test("is refused in a token's accounts, where an id is taken", async () => {
    const [one] = [await world.newAccount("Twice"), await world.newAccount("Twice")];
    const refused = await admin.post("/tokens", { name: "t", role: "viewer", accounts: ["Twice"] });
    expect([refused.status, refused.error?.param]).toEqual([400, "accounts"]);
    expect(refused.error?.message).toContain("several accounts have one of these names; give its id");
    expect((await newToken({ accounts: [one] })).accounts).toEqual([one]);
  });

  test("can't be made by those who may rename some accounts only, since roles are given by names", async () => {
    const mine = await world.newAccount("Mine");
    const theirs = await world.newAccount("Theirs");
    const operator = as((await newToken({ role: "operator", accounts: [mine] })).secret);
    for (const name of ["Theirs", " Theirs ", theirs, "default"]) {
      const { status, error } = await operator.patch(`/accounts/${mine}`, { name });
      expect(`${name}: ${status} ${error?.code} ${error?.param}`).toBe(`${name}: 403 not_permitted name`);
    }
    for (const name of ["Mine", "Still mine"])
      expect((await operator.patch(`/accounts/${mine}`, { name })).body.name).toBe(name);
    expect((await admin.patch(`/accounts/${mine}`, { name: "Theirs" })).status).toBe(200);
  });
});

describe("nobody makes a token above their own grants", () => {
  test("an admin of one account makes tokens for that account alone, without contents", async () => {
    const lead = as((await newToken({ role: "admin", accounts: [team] })).secret);
    const made = await newToken({ role: "operator", accounts: [team] }, lead);
    expect(made.grants).toEqual([{ role: "operator", account: team }]);
    const others: readonly (readonly [JsonObject, number])[] = [
      [{ role: "viewer" }, 403],
      [{ role: "viewer", accounts: ["default"] }, 400],
      [{ role: "viewer", accounts: [team, "default"] }, 400],
    ];
    for (const [fields, status] of others) {
      expect((await lead.post("/tokens", { name: "t", ...fields })).status).toBe(status);
    }
    const mine = (await lead.get("/tokens")).body.data as readonly JsonObject[];
    const accounts = mine.flatMap((one) => (one.accounts as readonly string[] | null) ?? ["all"]);
    expect([...new Set(accounts)]).toEqual([team]);
    const everywhere = await newToken({});
    expect((await lead.delete(`/tokens/${everywhere.id}`)).status).toBe(404);
    expect((await as(everywhere.secret).get("/keys")).status).toBe(200);
  });

  test("a token ends with the token that made it, whatever its contact is", async () => {
    const maker = await newToken({ role: "admin" });
    const plain = await newToken({}, as(maker.secret));
    const kept = await newToken({ contact: "ops" }, as(maker.secret));
    const second = await newToken({ role: "admin" }, as(maker.secret));
    const third = await newToken({}, as(second.secret));
    const works = async ({ secret }: JsonObject) => (await as(secret).get("/keys")).status;
    expect(await Promise.all([plain, kept, third].map(works))).toEqual([200, 200, 200]);
    await admin.delete(`/tokens/${maker.id}`);
    expect(await Promise.all([plain, kept, third].map(works))).toEqual([401, 401, 401]);
    const list = (await admin.get("/tokens")).body.data as readonly JsonObject[];
    expect(list.find(({ id }) => id === plain.id)).toMatchObject({ state: "ended", revoked_at: null });
  });

  test("a token ends with the person who made it", async () => {
    const opened = await openStore(`sqlite:${join(world.directory, "poundkey.db")}`, undefined);
    const changes = unrecorded(opened.store);
    const grants = [{ role: "admin" as const, accountId: null }];
    const put = (isDisabled: boolean) =>
      changes.changeMember("mem_maker", () => makeMember("mem_maker", { ruleGrants: grants, isDisabled }));
    await put(false);
    const { secret, id } = await newToken({});
    const [token] = (await opened.store.people.tokens(100)).filter((one) => one.id === id);
    if (!token) throw new Error("no token");
    const theirs = { ...token, id: "tok_theirs", makerKind: "person", makerId: "mem_maker" } as const;
    await changes.addToken(theirs, "digest");
    expect((await as(secret).get("/keys")).status).toBe(200);
    const state = async () => {
      const list = (await admin.get("/tokens")).body.data as readonly JsonObject[];
      return list.find((one) => one.id === "tok_theirs")?.state;
    };
    expect(await state()).toBe("active");
    await put(true);
    expect(await state()).toBe("ended");
    await opened.store.close();
  });
});

test("a wrong named token is refused like a wrong admin token", async () => {
  const { secret } = await newToken({});
  const typo = `${String(secret).slice(0, -1)}${String(secret).endsWith("0") ? "1" : "0"}`;
  const { status, error } = await as(typo).get("/keys");
  expect([status, error?.code]).toEqual([401, "invalid_api_key"]);
});

test("the command line adds, lists and revokes tokens", async () => {
  const address = `sqlite:${join(world.directory, "poundkey.db")}`;
  const open = async () => (await openStore(address, undefined)).world;
  const run = (...args: string[]) => runPrinting((io) => runTokens(args, io, open, readSettings("")));
  const added = await run("add", "--name", "cli", "--role", "viewer", "--accounts", "Team", "--json");
  const token = parseJson(added.out) as JsonObject;
  expect(token).toMatchObject({ role: "viewer", accounts: [team], created_by: { kind: "cli", id: "cli" } });
  expect((await as(token.secret).get("/keys")).status).toBe(200);
  expect((await run("list")).out).toContain(String(token.id));
  expect((await run("revoke", String(token.id))).out).toBe(`Revoked ${token.id} (cli).`);
  expect((await as(token.secret).get("/keys")).status).toBe(401);
  expect((await run("add", "--name", "x", "--role", "king")).code).toBe(2);
});

test("the admin token and its sessions work only from the addresses that are listed for it", async () => {
  const server = 'trusted_proxies: ["127.0.0.1"], admin_token_from: ["127.0.0.0/8", "198.51.100.0/24"]';
  const bound = await startHttpWorld({ server });
  const ask = async (secret: string, from: string, method = "GET") => {
    const headers = {
      "x-forwarded-for": from,
      "content-type": "application/json",
      ...(method === "GET" ? { authorization: `Bearer ${secret}` } : {}),
    };
    const body = method === "GET" ? {} : { body: JSON.stringify({ token: secret }) };
    const response = await fetch(`${bound.url}/admin/v1/session`, { method, headers, ...body });
    return `${response.status} ${/"code":"(\w+)"/.exec(await response.text())?.[1] ?? ""}`.trim();
  };
  for (const method of ["GET", "POST"]) {
    const done = method === "GET" ? "200" : "204";
    expect(await ask(bound.adminToken, "198.51.100.7", method)).toBe(done);
    expect(await ask(bound.adminToken, "203.0.113.7", method)).toBe("403 address_not_allowed");
    expect(await ask("guess", "203.0.113.7", method)).toBe("401 invalid_api_key");
  }
  const made = await createOperator(bound).post("/tokens", { name: "t", role: "admin" });
  expect(await ask(String(made.body.secret), "203.0.113.7")).toBe("200");
  await bound.stop();
});
