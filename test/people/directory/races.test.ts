// A deactivation at the same moment as something else on another node: no session, key, token or agent lives on.
// `LONG=1` plays each race 200 times, or `ROUNDS=n`. `RACE_SEED=n` replays the moments of one run.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type OpenedStore, openStore } from "../../../src/app/start/open-store.ts";
import { digestUserCode, pollDevice, refreshDevice, startDevice } from "../../../src/people/devices.ts";
import { MASTER_KEY, type Started } from "../../harness/harness.ts";
import { IS_LONG } from "../../harness/long.ts";
import { type Databases, useDatabases } from "../../store/postgres/databases.ts";
import { until } from "../../whole/world/until.ts";
import { asking } from "../../whole/world/world.ts";
import { makeRule, makeRules } from "./node.ts";
import { openCompany } from "./signing-in.ts";
import { type DirectoryWorld, makeAsker, RULES, startDirectoryWorld } from "./world.ts";

const LONG_ROUNDS = Number(process.env.ROUNDS ?? 200);
const SEED = Number(process.env.RACE_SEED ?? 1);
const DELAY_MAX_MS = 6;
const LONG_MS = 1_800_000;

let world: DirectoryWorld;
let other: Started;
let opened: OpenedStore;
let groupId: string;

/** `store` is an address, or missing for a file of the test's own. */
async function open(store?: string): Promise<void> {
  const setup = store === undefined ? {} : { store };
  world = await startDirectoryWorld(`${RULES}, allow: { domains: [a.example] }`, undefined, undefined, setup);
  other = await world.gateway.another();
  const address = store ?? `sqlite:${join(world.gateway.directory, "poundkey.db")}`;
  opened = await openStore(address, store && MASTER_KEY);
  const group = await world.scim("POST", "/Groups", { displayName: "s", externalId: "grp-search-oid" });
  groupId = group.body.id;
}

async function close(): Promise<void> {
  await opened.store.close();
  await other.stop();
  await world.stop();
}

/** Repeatable numbers from 0 to 1 (mulberry32). */
function makeDice(seed: number) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Person {
  readonly subject: string;
  readonly userId: string;
  readonly memberId: string;
  readonly cookie: string;
  /** A personal key from before. */
  readonly secret: string;
}

/** Signs in by the store itself, as a third node. */
async function signIn(subject: string): Promise<string> {
  const company = await openCompany(makeRules([makeRule("*")]), opened);
  const claims = { sub: subject, name: subject, email: `${subject}@a.example`, email_verified: true };
  return `poundkey_session=${await company.signIn(claims)}`;
}

/** Somebody whom the directory knows, signed in, with a key. */
async function provision(subject: string): Promise<Person> {
  const userName = `${subject}@a.example`;
  const { body } = await world.scim("POST", "/Users", { userName, externalId: subject, active: true });
  const { rows } = await opened.store.directory.users({ id: body.id }, { offset: 0, limit: 1 });
  const memberId = rows[0]?.memberId ?? "";
  const cookie = await signIn(subject);
  const made = await act({ cookie }, "POST", "/keys", { name: "before", account_id: "default" });
  expect(made.status).toBe(201);
  return { subject, userId: body.id, memberId, cookie, secret: made.body.secret };
}

/** Asks the other node as a person. */
async function act({ cookie }: Pick<Person, "cookie">, method: string, path: string, body: object) {
  const headers = { cookie, "sec-fetch-site": "same-origin", "content-type": "application/json" };
  const sent = { method, headers, body: JSON.stringify(body) };
  const answer = await fetch(`${other.url}/admin/v1${path}`, sent);
  return { status: answer.status, body: await answer.json() };
}

const byAdmin = (method: string, path: string, body: object) =>
  makeAsker(`${other.url}/admin/v1`, world.gateway.adminToken, "application/json")(method, path, body);

type Made = Readonly<Partial<Record<"cookie" | "secret" | "token", string>>>;

/** Each returns what it made, in whatever order it and the end came. */
const RACES: Readonly<Record<string, (person: Person) => Promise<Made>>> = {
  async "a sign-in"({ subject }) {
    return { cookie: await signIn(subject).catch(() => "poundkey_session=none") };
  },
  async "a key that is made"(person) {
    const { body } = await act(person, "POST", "/keys", { name: "k", account_id: "default" });
    return body.secret === undefined ? {} : { secret: body.secret };
  },
  async "a token that is made"(person) {
    await byAdmin("PATCH", `/members/${person.memberId}`, { role: "admin" });
    const { body } = await act(person, "POST", "/tokens", { name: "t", role: "viewer" });
    return body.secret === undefined ? {} : { token: body.secret };
  },
  async "a stream that runs"({ secret }) {
    const answer = await fetch(`${other.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ ...asking("Local#sim"), stream: true }),
    });
    await answer.text();
    return {};
  },
  async "an agent's refresh"(person) {
    const parts = {
      ...opened.world,
      vault: opened.credentialVault,
      clock: { nowMs: Date.now },
      log: () => {},
    };
    const rules = makeRules([makeRule("*")], {
      agents: { tokenMs: 60_000, reauthenticateMs: 60_000, policies: [] },
    });
    const begun = await startDevice(parts, {
      agent: "a",
      address: `192.0.2.${Math.floor(Math.random() * 250)}`,
    });
    const { rows } = {
      rows: await opened.store.keys({ limit: 1, after: null }, { memberId: person.memberId, nowMs: 0 }),
    };
    const owner = { memberId: person.memberId, accountId: "default", keyId: rows[0]?.id ?? "" };
    await opened.store.devices.stepCode(
      "user",
      digestUserCode(begun?.userCode ?? "", parts.pepper),
      (before) => ({ code: before && { ...before, state: "approved" as const, ...owner } }),
      10,
    );
    const first = await pollDevice(parts, rules, begun?.deviceCode ?? "");
    if (!("tokens" in first)) return {};
    const next = await refreshDevice(parts, rules, first.tokens.refresh);
    return { secret: ("tokens" in next ? next : first).tokens.secret };
  },
  async "a role that an admin gives"({ memberId }) {
    await byAdmin("PATCH", `/members/${memberId}`, { role: "manager" });
    return {};
  },
  async "a group's change"({ userId }) {
    const Operations = [{ op: "add", path: "members", value: [{ value: userId }] }];
    await makeAsker(`${other.url}/scim/v2`, world.token, "application/scim+json")(
      "PATCH",
      `/Groups/${groupId}`,
      {
        Operations,
      },
    );
    return {};
  },
};

/** As directories do: a store that is busy for a moment is asked again. */
async function deactivate({ userId }: Person): Promise<void> {
  const Operations = [{ op: "replace", value: { active: false } }];
  await until("the deactivation is answered", async () => {
    const { status } = await world.scim("PATCH", `/Users/${userId}`, { Operations });
    if (status !== 503) expect(status).toBe(200);
    return status === 200;
  });
}

/** All nodes know of an end within half a second. */
const SOON_MS = 5000;

/** After many wrong tokens, right ones are let in still, and all others get 429. */
const OUT: ReadonlySet<number> = new Set([401, 429]);

const isOut = async (url: string, headers: Record<string, string>) =>
  OUT.has((await fetch(url, { headers })).status);

/** A key's own page answers for a paused one too, so a model is asked. */
async function isRefused(url: string, secret: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const body = JSON.stringify(asking("Local#sim"));
  const answer = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body });
  await answer.text();
  return answer.status === 401 || answer.status === 403;
}

/** Neither what the person had nor what was made lets anybody in, on either node. */
async function expectOut(person: Person, { cookie, secret, token }: Made): Promise<void> {
  const list = (...given: readonly (string | undefined)[]) => given.filter((one) => one !== undefined);
  for (const { url } of [world.gateway, other]) {
    for (const one of list(person.secret, secret))
      await until("a key is out", () => isRefused(url, one), SOON_MS);
    for (const one of list(person.cookie, cookie))
      await until("a session is out", () => isOut(`${url}/admin/v1/session`, { cookie: one }), SOON_MS);
    for (const one of list(token))
      await until(
        "a token is out",
        () => isOut(`${url}/admin/v1/keys`, { authorization: `Bearer ${one}` }),
        SOON_MS,
      );
  }
}

function playAll(rounds: number): void {
  test.each(Object.keys(RACES))(
    "a deactivation and %s, at the same moment on two nodes",
    async (name) => {
      const race = RACES[name];
      if (race === undefined) throw new Error(`no race ${name}`);
      const dice = makeDice(SEED * 1000 + Object.keys(RACES).indexOf(name));
      for (let round = 0; round < rounds; round++) {
        const person = await provision(`${name.replaceAll(/\W/g, "-")}-${round}`);
        const [early, late] = [dice() * DELAY_MAX_MS, dice() * DELAY_MAX_MS];
        const [made] = await Promise.all([
          Bun.sleep(early).then(() => race(person)),
          Bun.sleep(late).then(() => deactivate(person)),
        ]);
        await expectOut(person, made);
      }
    },
    LONG_MS,
  );
}

describe("on SQLite", () => {
  beforeAll(() => open());
  afterAll(close);
  playAll(IS_LONG ? LONG_ROUNDS : 20);
});

describe("on PostgreSQL", () => {
  let server: Databases;
  beforeAll(async () => {
    server = await useDatabases();
    await open(server.url);
  });
  afterAll(async () => {
    await close();
    await server.remove();
  });
  playAll(IS_LONG ? LONG_ROUNDS : 3);
});
