// Every admin route, asked by every role about its own, its account's and another account's objects.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { actAs } from "../../src/admin/audit/audit-trail.ts";
import { beginSession } from "../../src/admin/people/session.ts";
import { type OpenedStore, openStore } from "../../src/app/start/open-store.ts";
import { type NamedToken, ROLES, type Role } from "../../src/core/people/people.ts";
import { TESTER } from "../harness/acting.ts";
import { makeKey, makeRecord, writeRecord } from "../harness/samples.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { makeRefusal } from "../http/refusal-samples.ts";
import { REGISTERED } from "../whole/world/registered.ts";
import { type HttpWorld, startHttpWorld } from "../whole/world/world.ts";
import {
  APART,
  expectStatus,
  isSeen,
  type Kind,
  MATRIX,
  PLACES,
  type Place,
  type Row,
  SPANS,
  type Span,
} from "./matrix.ts";
import { makeMember, PEOPLE } from "./samples.ts";

interface Sender {
  readonly role: Role;
  readonly span: Span;
  readonly cookie: string;
  readonly memberId: string;
}

let world: HttpWorld;
let opened: OpenedStore;
let senders: readonly Sender[];
const accounts = { own: "", same: "", foreign: "" };
let count = 0;

beforeAll(async () => {
  world = await startHttpWorld(PEOPLE);
  opened = await openStore(`sqlite:${join(world.directory, "poundkey.db")}`, undefined);
  accounts.same = accounts.own = await world.newAccount("Mine");
  accounts.foreign = await world.newAccount("Theirs");
  senders = await Promise.all(ROLES.flatMap((role) => SPANS.map((span) => signIn(role, span))));
});
afterAll(async () => {
  await opened.store.close();
  await world.stop();
});

async function signIn(role: Role, span: Span): Promise<Sender> {
  const memberId = `mem_${role}_${span}`;
  const grants = [{ role, accountId: span === "all" ? null : accounts.same }];
  await unrecorded(opened.store).changeMember(memberId, () => makeMember(memberId, { ruleGrants: grants }));
  const owner = { tokenDigest: "", tokenId: null, memberId, issuerSession: null };
  return { role, span, memberId, cookie: `poundkey_session=${await beginSession(opened.world, owner)}` };
}

/** Creates a key, or a request of a new one. Returns its id. */
async function make(kind: Kind, place: Place, { memberId }: Sender): Promise<string> {
  const accountId = accounts[place];
  const id = `${kind}_${place}_${++count}`;
  if (kind === "account") return accountId;
  if (kind === "token") {
    const grants = [{ role: "viewer" as const, accountId }];
    const made = { ...TOKEN, id, grants };
    await unrecorded(opened.store).addToken(made, id);
    return id;
  }
  if (kind === "member") {
    const ruleGrants = [{ role: "viewer" as const, accountId }];
    await unrecorded(opened.store).changeMember(id, () => makeMember(id, { ruleGrants }));
    return id;
  }
  const keyId = kind === "key" ? id : `key-of-${id}`;
  const made = makeKey(keyId, { accountId, memberId: place === "own" ? memberId : null });
  await actAs(opened.world, TESTER).changes.addKey(made, keyId);
  if (kind === "refusal") {
    await opened.store.refusals.add({ counts: [makeRefusal(id, { keyId, accountId })], sums: [] });
    return id;
  }
  await writeRecord(opened.store, makeRecord(kind === "key" ? `req-of-${id}` : id, { keyId, accountId }));
  return id;
}

const TOKEN: Omit<NamedToken, "id" | "grants"> = {
  name: "token",
  last4: "abcd",
  readsContent: false,
  makerKind: "admin",
  makerId: "admin",
  contact: null,
  createdAtMs: 1,
  expiresAtMs: null,
  revokedAtMs: null,
};

const kept = new Map<string, Promise<string>>();

/** Returns an object that lasts for all senders, unless it belongs to one. */
function keep(kind: Kind, place: Place, sender: Sender): Promise<string> {
  const name = `${kind} ${place} ${place === "own" ? sender.memberId : ""}`;
  return kept.getOrInsertComputed(name, () => make(kind, place, sender));
}

async function ask(
  name: string,
  row: Row,
  id: string,
  { cookie }: Sender,
  accountId = id,
): Promise<Response> {
  const [method = "", template = ""] = name.split(" ");
  const path = row.path?.(id) ?? template.replace(/:id/, id);
  const body = typeof row.body === "function" ? row.body(accountId) : row.body;
  const headers = { cookie, "sec-fetch-site": "same-origin", "content-type": "application/json" };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  return fetch(`${world.url}/admin/v1${path}`, init);
}

function isKind(of: Row["of"]): of is Kind {
  return of === "key" || of === "account" || of === "request" || of === "token" || of === "member";
}

test("every admin route has a row", () => {
  const routes = REGISTERED.filter(({ path }) => path.startsWith("/admin/v1/"));
  const names = routes.map(({ method, path }) => `${method} ${path.replace("/admin/v1", "")}`);
  expect(names.length).toBeGreaterThan(40);
  expect(names.toSorted(), "each admin route takes a row in test/people/matrix.ts").toEqual(
    [...Object.keys(MATRIX), ...APART].toSorted(),
  );
});

test.each(Object.entries(MATRIX))("%s answers each role as the table says", async (name, row) => {
  const wrong: string[] = [];
  for (const sender of senders) {
    const { role, span } = sender;
    for (const place of PLACES) {
      const { of } = row;
      if (!isKind(of) && place !== "same") continue;
      if (place === "own" && of !== "key" && of !== "request") continue;
      const id = isKind(of) ? await (row.isFresh ? make : keep)(of, place, sender) : "";
      const response = await ask(name, row, id, sender);
      const wanted = expectStatus(row, role, span, place);
      if (name === "GET /requests/live") await response.body?.cancel();
      else await response.text();
      if (response.status !== wanted)
        wrong.push(`${role} of ${span}, ${place}: ${response.status}, not ${wanted}`);
    }
  }
  expect(wrong).toEqual([]);
});

/** The kinds of objects that belong to a key. */
const OF_KEYS: readonly Kind[] = ["key", "request", "refusal"];

const LISTS = Object.entries(MATRIX).flatMap(([name, row]) =>
  row.lists ? [[name, row, row.lists] as const] : [],
);

test.each(LISTS)("%s shows each role what it sees, and no more", async (name, row, kind) => {
  const wrong: string[] = [];
  const shownAs = name === "GET /accounts" ? "account" : kind;
  for (const sender of senders) {
    const { role, span } = sender;
    if (!row.may.includes(role)) continue;
    const ids = await Promise.all(PLACES.map((place) => keep(kind, place, sender)));
    if (name.includes("audit")) while ((await opened.store.auditLog.chain(100)) !== null);
    const text = await (await ask(name, row, "", sender)).text();
    for (const [at, place] of PLACES.entries()) {
      if (place === "own" && !OF_KEYS.includes(kind)) continue;
      const isShown = text.includes(`"${ids[at]}"`);
      const wanted = isSeen(shownAs, role, span, place);
      if (isShown !== wanted) wrong.push(`${role} of ${span}, ${place}: ${isShown ? "shown" : "hidden"}`);
    }
  }
  expect(wrong).toEqual([]);
});

test("a search finds what its sender sees, and no more", async () => {
  const wrong: string[] = [];
  for (const sender of senders) {
    for (const kind of ["key", "account", "request"] as const) {
      for (const place of PLACES) {
        if (place === "own" && kind === "account") continue;
        const id = await keep(kind, place, sender);
        const text = await (await ask("GET ", { ...ANY, path: () => `/search?q=${id}` }, "", sender)).text();
        const isFound = text.includes(`"${id}"`);
        if (isFound !== isSeen(kind, sender.role, sender.span, place))
          wrong.push(`${sender.role} of ${sender.span}, ${kind}, ${place}: ${isFound ? "found" : "hidden"}`);
      }
    }
  }
  expect(wrong).toEqual([]);
});

test("sums count the requests that their viewer sees, and no others", async () => {
  const wrong: string[] = [];
  for (const sender of senders) {
    const read = async (path: string) =>
      JSON.parse(await (await ask("GET ", { ...ANY, path: () => path }, "", sender)).text());
    const { data } = await read("/usage?group_by=key&from=2026-11-01&to=2026-11-30");
    const { totals } = await read("/overview?from=2026-11-01&to=2026-11-30");
    const counted = data.reduce((sum: number, { requests }: { requests: number }) => sum + requests, 0);
    if (totals.requests !== counted || counted === 0) wrong.push(`${sender.role} of ${sender.span}`);
  }
  expect(wrong).toEqual([]);
});

const ANY: Row = { of: "any", may: ROLES };
