// Okta's requests, row by row: a custom app, the template of its catalogue, and group push.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type DirectoryWorld, findPerson, patch, startDirectoryWorld } from "./world.ts";

let world: DirectoryWorld;
beforeAll(async () => {
  world = await startDirectoryWorld();
});
afterAll(() => world.stop());

function oktaUser(name: string, fields: Readonly<Record<string, unknown>> = {}) {
  return {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
    userName: `${name}@okta.example`,
    name: { givenName: name, familyName: "Okta" },
    emails: [{ primary: true, value: `${name}@okta.example`, type: "work" }],
    displayName: `${name} Okta`,
    locale: "en-US",
    externalId: `00u-${name}`,
    groups: [],
    password: "a-random-password",
    active: true,
    ...fields,
  };
}

describe("Okta", () => {
  test("tests the connection with two lists", async () => {
    for (const path of ["/Users?startIndex=1&count=2", "/Groups?startIndex=1&count=100"]) {
      const { status, body } = await world.scim("GET", path);
      expect([status, body.totalResults, body.startIndex]).toEqual([200, 0, 1]);
    }
  });

  test("makes a user whose password stands nowhere", async () => {
    const search = `/Users?filter=${encodeURIComponent('userName eq "ann@okta.example"')}&startIndex=1&count=100`;
    expect((await world.scim("GET", search)).body.totalResults).toBe(0);
    const made = await world.scim("POST", "/Users", oktaUser("ann"));
    expect(made.status).toBe(201);
    expect(JSON.stringify(made.body)).not.toContain("password");
    expect(JSON.stringify(world.gateway.events)).not.toContain("a-random-password");
    // Nothing runs out for somebody who has never signed in.
    const { seen_at, keys_expire_at } = await findPerson(world, "ann@okta.example");
    expect([seen_at, keys_expire_at]).toEqual([null, null]);
  });

  test("a custom app puts the whole user, and what is absent goes, but for `active`", async () => {
    const { body } = await world.scim("POST", "/Users", oktaUser("ben"));
    const path = `/Users/${body.id}`;
    expect((await world.scim("GET", path)).status).toBe(200);
    const put = await world.scim("PUT", path, oktaUser("ben", { active: false, displayName: undefined }));
    expect(put.status).toBe(200);
    expect([put.body.active, put.body.displayName]).toEqual([false, undefined]);
    const kept = await world.scim("PUT", path, oktaUser("ben", { active: undefined }));
    expect(kept.body.active).toBe(false);
    expect((await findPerson(world, "ben@okta.example")).state).toBe("deactivated");
  });

  test("the template deactivates without a path, and activates again", async () => {
    const { body } = await world.scim("POST", "/Users", oktaUser("cat"));
    const set = (active: boolean) =>
      world.scim("PATCH", `/Users/${body.id}`, patch({ op: "replace", value: { active } }));
    expect((await set(false)).body.active).toBe(false);
    expect((await findPerson(world, "cat@okta.example")).state).toBe("deactivated");
    expect((await set(true)).body.active).toBe(true);
  });

  test("pushes groups: made with members, renamed, changed, replaced, unlinked", async () => {
    const users = await Promise.all(
      ["dee", "eli"].map((name) => world.scim("POST", "/Users", oktaUser(name))),
    );
    const [dee = "", eli = ""] = users.map(({ body }) => String(body.id));
    const made = await world.scim("POST", "/Groups", {
      displayName: "Search",
      members: [{ value: dee, display: "dee@okta.example" }],
    });
    expect(made.status).toBe(201);
    expect((await findPerson(world, "dee@okta.example")).role).toBe("member");
    const at = `/Groups/${made.body.id}`;
    const names = async () =>
      ((await world.scim("GET", at)).body.members ?? []).map((one: { value: string }) => one.value);
    await world.scim(
      "PATCH",
      at,
      patch({ op: "replace", value: { id: made.body.id, displayName: "Other" } }),
    );
    expect((await findPerson(world, "dee@okta.example")).role).toBeNull();
    await world.scim(
      "PATCH",
      at,
      patch({ op: "replace", value: { id: made.body.id, displayName: "Search" } }),
    );
    expect((await findPerson(world, "dee@okta.example")).role).toBe("member");
    await world.scim("PATCH", at, patch({ op: "add", path: "members", value: [{ value: eli }] }));
    expect((await names()).sort()).toEqual([dee, eli].sort());
    await world.scim("PATCH", at, patch({ op: "remove", path: `members[value eq "${dee}"]` }));
    expect(await names()).toEqual([eli]);
    await world.scim("PATCH", at, patch({ op: "replace", path: "members", value: [{ value: dee }] }));
    expect(await names()).toEqual([dee]);
    await world.scim("PUT", at, { displayName: "Search", members: [{ value: eli }] });
    expect(await names()).toEqual([eli]);
    expect((await world.scim("DELETE", at)).status).toBe(204);
    expect((await world.scim("GET", at)).status).toBe(404);
    expect((await findPerson(world, "eli@okta.example")).role).toBeNull();
  });

  test("pages through users when it imports", async () => {
    const first = await world.scim("GET", "/Users?startIndex=1&count=2");
    const second = await world.scim("GET", "/Users?startIndex=3&count=2");
    const names = [first, second].flatMap(({ body }) =>
      body.Resources.map((one: { userName: string }) => one.userName),
    );
    expect(new Set(names).size).toBe(4);
    expect(first.body.totalResults).toBe(5);
  });
});
