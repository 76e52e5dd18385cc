// The routes of a company's directory: who may ask, in what form it answers, and what is seen of it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Dice } from "../../sim/dice.ts";
import { until } from "../../whole/world/until.ts";
import {
  type DirectoryWorld,
  entraUser,
  findPerson,
  makeAsker,
  patch,
  startDirectoryWorld,
} from "./world.ts";

const TYPE = "application/scim+json";
const ERROR = "urn:ietf:params:scim:api:messages:2.0:Error";
let world: DirectoryWorld;
beforeAll(async () => {
  world = await startDirectoryWorld();
});
afterAll(() => world.stop());

const ask = (secret: string, type = TYPE) => makeAsker(`${world.gateway.url}/scim/v2`, secret, type);

describe("who may ask", () => {
  test("only tokens of the directory, which are good for nothing else", async () => {
    for (const secret of [world.gateway.adminToken, world.gateway.secret, "wrong"]) {
      const { status, body, headers } = await ask(secret)("GET", "/Users");
      expect([status, body.schemas, body.status]).toEqual([401, [ERROR], "401"]);
      expect(headers.get("www-authenticate")).toBe("Bearer");
    }
    const admin = makeAsker(`${world.gateway.url}/admin/v1`, world.token, "application/json");
    expect((await admin("GET", "/tokens")).status).toBe(401);
    expect(
      (await world.gateway.chat({ model: "OpenAI#x", messages: [] }, { secret: world.token })).status,
    ).toBe(401);
  });

  test("they are made with the admin token, have no role, and are at most ten", async () => {
    const listed = await world.admin("GET", "/tokens");
    expect(listed.body.data[0]).toMatchObject({ kind: "scim", role: null, grants: [], state: "active" });
    const named = await world.admin("POST", "/tokens", { name: "an admin's", role: "admin" });
    const asAdmin = makeAsker(`${world.gateway.url}/admin/v1`, named.body.secret, "application/json");
    const scim = { name: "more", kind: "scim" };
    expect((await asAdmin("POST", "/tokens", scim)).status).toBe(403);
    expect((await world.admin("POST", "/tokens", { ...scim, role: "admin" })).status).toBe(400);
    expect((await world.admin("POST", "/tokens", { ...scim, expires_at: "2099-01-01" })).status).toBe(400);
    expect((await world.admin("POST", "/tokens", { name: "none" })).status).toBe(400);
    for (let count = 1; count < 10; count++)
      expect((await world.admin("POST", "/tokens", scim)).status).toBe(201);
    expect((await world.admin("POST", "/tokens", scim)).status).toBe(400);
    const viewer = await world.admin("POST", "/tokens", { name: "v", role: "viewer", accounts: ["default"] });
    const asViewer = makeAsker(`${world.gateway.url}/admin/v1`, viewer.body.secret, "application/json");
    expect((await asViewer("DELETE", `/tokens/${listed.body.data[0].id}`)).status).toBe(403);
    const own = listed.body.data[0].id;
    expect((await asAdmin("POST", `/tokens/${own}/take`, {})).status).toBe(403);
  });

  test("off, every path says so, and an address that isn't listed is refused", async () => {
    const off = await startDirectoryWorld(undefined, "");
    const { status, body } = await off.scim("GET", "/Users");
    expect([status, body.schemas]).toEqual([404, [ERROR]]);
    expect(body.detail).toContain("scim: { on: true }");
    await off.stop();
    const far = await startDirectoryWorld(undefined, 'scim: { on: true, from: ["192.0.2.0/24"] }');
    expect((await far.scim("GET", "/Users")).status).toBe(403);
    await far.stop();
  });
});

describe("the form", () => {
  test.each([
    ["GET", "/Nothing", 404, undefined],
    ["GET", "/Users/usr_none", 404, undefined],
    ["DELETE", "/Groups/grp_none", 404, undefined],
    ["DELETE", "/Users", 405, undefined],
    ["POST", "/ServiceProviderConfig", 405, undefined],
    ["PUT", "/Schemas", 405, undefined],
    ["POST", "/Bulk", 501, undefined],
    ["GET", "/Me", 501, undefined],
    ["POST", "/Users/.search", 501, undefined],
    ["GET", "/Users?filter=userName%20co%20%22a%22", 400, "invalidFilter"],
    ["GET", "/Groups?filter=userName%20eq%20%22a%22", 400, "invalidFilter"],
    ["GET", "/Users?count=many", 400, "invalidValue"],
    ["GET", "/Users/%E0%A4%A", 404, undefined],
  ])("%s %s is %d in SCIM's form", async (method, path, status, scimType) => {
    const { status: given, body, headers } = await world.scim(method, path);
    expect([given, body.schemas, body.status, body.scimType]).toEqual([
      status,
      [ERROR],
      String(status),
      scimType,
    ]);
    expect(typeof body.detail).toBe("string");
    expect(headers.get("allow") !== null).toBe(status === 405);
  });

  test("bodies are JSON of one of two types within bounds", async () => {
    expect(
      (await ask(world.token, "application/json")("POST", "/Users", { userName: "json@a.example" })).status,
    ).toBe(201);
    expect((await ask(world.token, "text/plain")("POST", "/Users", "{}")).status).toBe(415);
    expect((await world.scim("POST", "/Users", "[]")).body.scimType).toBe("invalidSyntax");
    expect((await world.scim("POST", "/Users", "{")).body.scimType).toBe("invalidSyntax");
    expect(
      (await world.scim("POST", "/Users", `${'{"a":'.repeat(30)}1${"}".repeat(30)}`)).body.scimType,
    ).toBe("invalidSyntax");
    const large = await world.scim("POST", "/Users", { userName: "x", roles: "x".repeat(1_100_000) });
    expect([large.status, large.body.schemas]).toEqual([413, [ERROR]]);
    expect((await world.scim("POST", "/Users", { displayName: "nameless" })).body.scimType).toBe(
      "invalidValue",
    );
    const odd = await world.scim("POST", "/Groups", { displayName: "A", members: [{ value: "usr_none" }] });
    expect([odd.status, odd.body.detail.includes("usr_none")]).toEqual([400, true]);
  });

  test("attributes are left out as asked, and lists begin at one and only count where asked", async () => {
    const { body } = await world.scim("POST", "/Users", entraUser("lea", "oid-lea"));
    const only = await world.scim("GET", `/Users/${body.id}?attributes=userName,name.givenName`);
    expect(Object.keys(only.body).sort()).toEqual(["id", "name", "schemas", "userName"]);
    expect(only.body.name).toEqual({ givenName: "lea" });
    const less = await world.scim("GET", `/Users/${body.id}?excludedAttributes=emails,meta`);
    expect([less.body.emails, less.body.meta, less.body.active]).toEqual([undefined, undefined, true]);
    const counted = await world.scim("GET", "/Users?startIndex=-5&count=0");
    expect(counted.body).toMatchObject({ startIndex: 1, itemsPerPage: 0, Resources: [] });
    expect(counted.body.totalResults).toBeGreaterThan(0);
  });

  test("a directory learns what is there", async () => {
    const config = await world.scim("GET", "/ServiceProviderConfig");
    expect(config.body).toMatchObject({
      patch: { supported: true },
      filter: { maxResults: 200 },
      etag: { supported: false },
    });
    expect((await world.scim("GET", "/ResourceTypes/User")).body.endpoint).toBe("/Users");
    const schema = await world.scim("GET", "/Schemas/urn:ietf:params:scim:schemas:core:2.0:Group");
    expect(schema.body.name).toBe("Group");
  });
});

describe("what is seen", () => {
  test("each change is on record once as the directory's, and what changes nothing isn't", async () => {
    const { body } = await world.scim("POST", "/Users", entraUser("max", "oid-max"));
    const path = `/Users/${body.id}`;
    await world.scim("PATCH", path, patch({ op: "Replace", path: "active", value: "False" }));
    await world.scim("PATCH", path, patch({ op: "Replace", path: "active", value: "False" }));
    await world.scim("PATCH", path, patch({ op: "replace", value: { active: true } }));
    await world.scim("DELETE", path);
    const group = await world.scim("POST", "/Groups", { displayName: "Seen", members: [] });
    await world.scim("DELETE", `/Groups/${group.body.id}`);
    const read = async () => {
      const { body } = await world.admin("GET", "/audit?limit=50");
      return body.data.filter((one: { actor: { kind: string } }) => one.actor.kind === "scim");
    };
    const actions = [
      "group.deleted",
      "group.created",
      "member.deprovisioned",
      "member.activated",
      "member.deactivated",
    ];
    await until("the changes are in the log", async () => (await read())[0]?.action === "group.deleted");
    const seen = (await read()).map((one: { action: string }) => one.action);
    expect(seen.slice(0, 6)).toEqual([...actions, "member.provisioned"]);
  });

  test("the state of the directory shows its groups, rules that meet none, and the last error", async () => {
    await world.scim("POST", "/Groups", { displayName: "Platform", externalId: "oid-p" });
    await world.scim("POST", "/Groups", { displayName: "Unruled" });
    await world.scim("POST", "/Groups", { displayName: "unruled" });
    // The node that answered them shows them before it shares them with the others.
    const { body } = await world.admin("GET", "/scim");
    expect(body.last_error?.status).toBe(409);
    expect(body.last_request_at >= body.last_change_at).toBe(true);
    expect(body).toMatchObject({ on: true, base_url: "https://gateway.example/scim/v2" });
    expect(body.groups.map((one: { name: string; rules: number[] }) => [one.name, one.rules])).toEqual([
      ["Platform", [2]],
      ["Unruled", []],
    ]);
    expect(body.unmet).toEqual(["Search", "oid-writers"]);
    expect(body.last_error).toMatchObject({ method: "POST", path: "/scim/v2/Groups" });
    expect(body.unlinked).toBe(body.users);
  });

  test("an admin can't enable whom the directory deactivated, while there is one", async () => {
    await world.scim("POST", "/Users", entraUser("nia", "oid-nia", { active: false }));
    const person = await findPerson(world, "nia@contoso.com");
    expect(person).toMatchObject({ state: "deactivated", provisioned: true, seen_at: null });
    const { status, body } = await world.admin("PATCH", `/members/${person.id}`, { disabled: false });
    expect([status, body.error.code]).toEqual([409, "deactivated_by_directory"]);
  });
});

test("users and groups in any order give the same rights", async () => {
  const names = ["p1", "p2", "p3"];
  const membersOf: Readonly<Record<string, readonly string[]>> = {
    Search: ["p1", "p2"],
    "oid-writers": ["p2", "p3"],
  };
  const outcomes: unknown[] = [];
  for (const seed of [1, 2, 3]) {
    const dice = new Dice(seed);
    const own = await startDirectoryWorld();
    const ids = new Map<string, string>();
    const groups = new Map<string, string>();
    const pending = [
      ...names.map((name) => ["user", name]),
      ...Object.keys(membersOf).map((name) => ["group", name]),
    ];
    while (pending.length > 0) {
      const [[kind = "", name = ""] = []] = pending.splice(dice.int(0, pending.length - 1), 1);
      if (kind === "user")
        ids.set(name, (await own.scim("POST", "/Users", entraUser(name, `oid-${name}`))).body.id);
      else groups.set(name, (await own.scim("POST", "/Groups", { displayName: name })).body.id);
    }
    const adds = Object.entries(membersOf).flatMap(([group, members]) =>
      members.map((name) => [group, name] as const),
    );
    for (const [group, name] of adds.sort(() => dice.int(-1, 1))) {
      const add = patch({ op: "Add", path: "members", value: [{ value: ids.get(name) }] });
      await own.scim("PATCH", `/Groups/${groups.get(group)}`, add);
    }
    const people = await Promise.all(names.map((name) => findPerson(own, `${name}@contoso.com`)));
    outcomes.push(people.map(({ grants, groups: named }) => ({ grants, named })));
    await own.stop();
  }
  expect(outcomes[1]).toEqual(outcomes[0]);
  expect(outcomes[2]).toEqual(outcomes[0]);
});
