// Every route × every state of a person × their session, named token, personal key and agent: who isn't let in gets 401.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { beginSession } from "../../src/admin/people/session.ts";
import { type OpenedStore, openStore } from "../../src/app/start/open-store.ts";
import type { GatewayKey } from "../../src/core/keys/key.ts";
import type { Grant, Member } from "../../src/core/people/people.ts";
import { digestSecret, mintSecret, mintTokenSecret } from "../../src/keys/secret.ts";
import { findMemberState } from "../../src/people/state.ts";
import { ATTACKED_ROUTES } from "../abuse/routes.ts";
import { IS_LONG, sampleRows } from "../harness/long.ts";
import { makeKey } from "../harness/samples.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { REGISTERED } from "../whole/world/registered.ts";
import { until } from "../whole/world/until.ts";
import { asking, type HttpWorld, startHttpWorld } from "../whole/world/world.ts";
import { makeMember, PEOPLE } from "./samples.ts";

const HOUR_MS = 3_600_000;
const ADMIN: readonly Grant[] = [{ role: "admin", accountId: null }];

/** A state as it is stored, and whether sessions and tokens, and keys and agents, work in it. */
interface State {
  readonly fields: Partial<Member>;
  /** The pause that comes with the state. */
  readonly pausedBy?: GatewayKey["pausedBy"];
  readonly acts: boolean;
  readonly keys: boolean;
}

const doubtUntil = (actsInMs: number, keysInMs: number): Partial<Member> => ({
  seenAtMs: Date.now() - 10 * HOUR_MS,
  refreshSealed: "sealed",
  doubt: {
    sinceMs: Date.now() - 9 * HOUR_MS,
    actsUntilMs: Date.now() + actsInMs,
    keysUntilMs: Date.now() + keysInMs,
  },
});

const STATES: Readonly<Record<string, State>> = {
  active: { fields: {}, acts: true, keys: true },
  in_doubt: { fields: doubtUntil(HOUR_MS, HOUR_MS), acts: true, keys: true },
  "in_doubt for recheck": { fields: doubtUntil(-1, HOUR_MS), acts: false, keys: true },
  "in_doubt for doubt": { fields: doubtUntil(-1, -1), acts: false, keys: false },
  left: { fields: { ruleGrants: [] }, acts: false, keys: false },
  deactivated: { fields: { deactivatedAtMs: 1 }, pausedBy: ["directory"], acts: false, keys: false },
  disabled: { fields: { isDisabled: true }, acts: false, keys: false },
  anonymised: { fields: { anonymisedAtMs: 1 }, acts: false, keys: false },
};

/** A session begins and ends without any, or with another secret. */
const APART: ReadonlySet<string> = new Set(["POST /admin/v1/session", "DELETE /admin/v1/session"]);
const ROUTES = REGISTERED.filter(
  ({ method, path }) => path.startsWith("/admin/v1/") && !APART.has(`${method} ${path}`),
);

/** Every route for keys, a new one of which needs a row there. */
const KEY_ROUTES = ATTACKED_ROUTES.map(({ method, path }) => ({
  method,
  path: path.replace("{model}", "Acme%23cheap").replace("{provider}/{name}", "Acme/cheap"),
}));

/** A route that answers takes longer than one that refuses. */
const LET_IN_ROUTES = sampleRows(ROUTES, 6);

let world: HttpWorld;
let opened: OpenedStore;
beforeAll(async () => {
  // A tool server that nobody reaches: people who are kept out get their answer before.
  const tools = 'mcp: { servers: { github: { url: "http://127.0.0.1:9/mcp" } } }';
  world = await startHttpWorld({ ...PEOPLE, more: `${PEOPLE.more}\n${tools}` });
  opened = await openStore(`sqlite:${join(world.directory, "poundkey.db")}`, undefined);
});
afterAll(async () => {
  await opened.store.close();
  await world.stop();
});

/** After many wrong tokens of a minute, further ones get 429. */
const KEPT_OUT: ReadonlySet<number> = new Set([401, 429]);

interface Held {
  readonly session: Record<string, string>;
  readonly token: Record<string, string>;
  readonly secrets: readonly [key: string, agent: string];
}

async function hold(id: string, pausedBy: GatewayKey["pausedBy"] = []): Promise<Held> {
  const { store, world: parts } = opened;
  const { changeMember, addKey, addToken } = unrecorded(store);
  await changeMember(id, () => makeMember(id, { ruleGrants: ADMIN }));
  const owner = { tokenDigest: "", tokenId: null, memberId: id, issuerSession: null };
  const cookie = `poundkey_session=${await beginSession(parts, owner)}`;
  const tokenSecret = mintTokenSecret(parts.random);
  const dates = { createdAtMs: 1, expiresAtMs: null, revokedAtMs: null };
  const made = { makerKind: "person", makerId: id, contact: null, readsContent: false } as const;
  const token = { id: `tok_${id}`, name: "t", last4: "abcd", grants: ADMIN, ...made, ...dates };
  await addToken(token, digestSecret(tokenSecret, parts.pepper));
  const secrets = [mintSecret(parts.random), mintSecret(parts.random)] as const;
  const [key, agent] = secrets;
  const pause = { isPaused: pausedBy.length > 0, pausedBy };
  await addKey(makeKey(`key_${id}`, { memberId: id, ...pause }), digestSecret(key, parts.pepper));
  await addAgent(id, digestSecret(agent, parts.pepper));
  const session = { cookie, "sec-fetch-site": "same-origin" };
  return { session, token: { authorization: `Bearer ${tokenSecret}` }, secrets };
}

async function addAgent(memberId: string, digest: string): Promise<void> {
  const id = `dev_${memberId}`;
  const ends = { expiresAtMs: Date.now() + HOUR_MS, endedAtMs: null };
  const refresh = { refreshDigest: id, oldRefreshDigest: null, answerSealed: null };
  const of = { memberId, accountId: "default", keyId: `key_${memberId}`, agent: "a", address: "" };
  const device = { id, ...of, createdAtMs: 1, usedAtMs: 1, ...ends, ...refresh };
  const added = { device, secret: { digest, deviceId: id, untilMs: Date.now() + HOUR_MS } };
  await opened.store.devices.stepCode("user", "none", () => ({ code: null, added }), 10);
}

/** Sends an empty body, and names nothing that there is: a sender who is let in gets anything but 401. */
async function ask(method: string, path: string, headers: Record<string, string>): Promise<number> {
  const named = path.replaceAll(/:\w+/g, "none").replace("*", "v1/chat/completions");
  const body = method === "GET" ? {} : { body: "{}" };
  const sent = { method, headers: { ...headers, "content-type": "application/json" }, ...body };
  const controller = new AbortController();
  const answer = await fetch(`${world.url}${named}`, { ...sent, signal: controller.signal });
  controller.abort();
  return answer.status;
}

async function listWrong(headers: Record<string, string>, isLetIn: boolean): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const { method, path } of isLetIn ? LET_IN_ROUTES : ROUTES) {
    const status = await ask(method, path, headers);
    if (isLetIn === KEPT_OUT.has(status)) wrong.push(`${method} ${path}: ${status}`);
  }
  return wrong;
}

/** The routes of keys that let a secret in whose person isn't. */
async function listOpenToKey(secret: string): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const { method, path } of KEY_ROUTES) {
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
    const body = method === "GET" ? {} : { body: "{}" };
    const answer = await fetch(`${world.url}${path}`, { method, headers, ...body });
    const text = await answer.text();
    if (answer.status !== 401 || !text.includes("sign_in_required"))
      wrong.push(`${method} ${path}: ${answer.status} ${text.slice(0, 100)}`);
  }
  return wrong;
}

async function use(secret: string): Promise<string> {
  const answer = await world.chat(asking("Acme#cheap"), { secret });
  const { error } = JSON.parse(await answer.text());
  return error ? `${answer.status} ${error.code}` : `${answer.status}`;
}

test("there are as many routes as the gateway registers", () => {
  expect(ROUTES.length).toBeGreaterThan(80);
});

describe.each(Object.entries(STATES))("a person who is %s", (name, { fields, pausedBy, acts, keys }) => {
  const id = `mem_${name.replaceAll(" ", "_")}`;

  test(`${acts ? "gets in" : "is kept out"} at every route by session and token, ${keys ? "uses" : "loses"} keys and agents`, async () => {
    const { session, token, secrets } = await hold(id, pausedBy);
    const changed = await unrecorded(opened.store).changeMember(
      id,
      (before) => before && { ...before, ...fields },
    );
    expect(name.startsWith(changed === null ? "nobody" : findMemberState(changed))).toBe(true);
    expect(await listWrong(session, acts)).toEqual([]);
    expect(await listWrong(token, acts)).toEqual([]);
    for (const secret of secrets) {
      const wanted = keys ? "200" : "401 sign_in_required";
      await until(wanted, async () => (await use(secret)) === wanted, 3000);
      if (!keys) expect(await listOpenToKey(secret)).toEqual([]);
      // No state makes a key one of the admin routes'.
      if (IS_LONG || name === "active")
        expect(await listWrong({ authorization: `Bearer ${secret}` }, false)).toEqual([]);
    }
  });
});
