// Microsoft Entra's requests, row by row, with and without `aadOptscim062020`.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type DirectoryWorld, entraUser, findPerson, patch, startDirectoryWorld } from "./world.ts";

let world: DirectoryWorld;
beforeAll(async () => {
  world = await startDirectoryWorld();
});
afterAll(() => world.stop());

const filtered = (filter: string) => `filter=${encodeURIComponent(filter)}`;

describe("Microsoft Entra", () => {
  test("tests the connection, and finds nobody", async () => {
    const { status, body, headers } = await world.scim(
      "GET",
      `/Users?${filtered('userName eq "8bd3a0e1-guid"')}`,
    );
    expect(status).toBe(200);
    expect(headers.get("content-type")).toContain("application/scim+json");
    expect(body).toEqual({
      schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
      totalResults: 0,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    });
  });

  test("makes a user, finds it by name in any case and by objectId, and verifies it", async () => {
    const made = await world.scim("POST", "/Users", entraUser("alice", "oid-alice"));
    expect(made.status).toBe(201);
    const { id } = made.body;
    expect(made.headers.get("location")).toBe(`https://gateway.example/scim/v2/Users/${id}`);
    expect(made.body).toMatchObject({ userName: "alice@contoso.com", active: true, externalId: "oid-alice" });
    for (const filter of ['userName eq "ALICE@contoso.com"', 'externalId eq "oid-alice"', `id eq "${id}"`]) {
      const { body } = await world.scim("GET", `/Users?${filtered(filter)}`);
      expect([filter, body.totalResults, body.Resources[0]?.id]).toEqual([filter, 1, id]);
    }
    expect((await world.scim("GET", `/Users/${id}`)).status).toBe(200);
    const again = await world.scim("POST", "/Users", entraUser("Alice", "oid-other"));
    expect([again.status, again.body.scimType]).toEqual([409, "uniqueness"]);
    expect((await findPerson(world, "alice@contoso.com")).state).toBe("left");
  });

  test("without its flag: capital verbs, texts as booleans, and members in the value of a removal", async () => {
    const bob = await world.scim("POST", "/Users", entraUser("bob", "oid-bob", { emails: undefined }));
    const carol = await world.scim("POST", "/Users", entraUser("carol", "oid-carol"));
    const path = `/Users/${bob.body.id}`;
    const changed = await world.scim(
      "PATCH",
      path,
      patch(
        { op: "Replace", path: "displayName", value: "Bob B" },
        { op: "Add", path: 'emails[type eq "work"].value', value: "bob@contoso.com" },
        {
          op: "Replace",
          path: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department",
          value: "Search",
        },
        { op: "Add", path: "manager", value: carol.body.id },
      ),
    );
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({
      displayName: "Bob B",
      emails: [{ value: "bob@contoso.com", type: "work", primary: false }],
      "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { department: "Search" },
    });
    expect(JSON.stringify(changed.body)).not.toContain("manager");

    const group = await world.scim("POST", "/Groups", { displayName: "Search", externalId: "oid-search" });
    expect(group.status).toBe(201);
    const at = `/Groups/${group.body.id}`;
    const members = async () =>
      ((await world.scim("GET", at)).body.members ?? []).map((one: { value: string }) => one.value);
    const add = (...ids: string[]) =>
      patch({ op: "Add", path: "members", value: ids.map((value) => ({ $ref: null, value })) });
    expect((await world.scim("PATCH", at, add(bob.body.id, carol.body.id))).status).toBe(204);
    expect((await findPerson(world, "bob@contoso.com")).state).toBe("active");
    const removed = patch({ op: "Remove", path: "members", value: [{ $ref: null, value: bob.body.id }] });
    await world.scim("PATCH", at, removed);
    expect(await members()).toEqual([carol.body.id]);
    expect((await findPerson(world, "bob@contoso.com")).state).toBe("left");
    const hidden = await world.scim("GET", `${at}?excludedAttributes=members`);
    expect(hidden.body.members).toBeUndefined();
    expect(
      (await world.scim("GET", `/Groups?excludedAttributes=members&${filtered('displayName eq "search"')}`))
        .body.totalResults,
    ).toBe(1);

    await world.scim("PATCH", path, patch({ op: "Replace", path: "active", value: "False" }));
    expect((await findPerson(world, "bob@contoso.com")).state).toBe("deactivated");
    await world.scim("PATCH", path, patch({ op: "Replace", path: "active", value: "True" }));
    expect((await world.scim("GET", path)).body.active).toBe(true);
  });

  test("with its flag: small verbs, a value of many attributes, and a filter of members", async () => {
    const flag = "?aadOptscim062020";
    const dan = await world.scim("POST", `/Users${flag}`, entraUser("dan", "oid-dan"));
    const erin = await world.scim("POST", `/Users${flag}`, entraUser("erin", "oid-erin"));
    const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
    const changed = await world.scim(
      "PATCH",
      `/Users/${dan.body.id}${flag}`,
      patch({
        op: "replace",
        value: {
          active: true,
          displayName: "Dan D",
          "name.givenName": "Daniel",
          [`${enterprise}:department`]: "Platform",
          [enterprise]: { costCenter: "4711" },
        },
      }),
    );
    expect(changed.body).toMatchObject({
      displayName: "Dan D",
      name: { givenName: "Daniel", familyName: "Contoso" },
      [enterprise]: { department: "Platform", costCenter: "4711" },
    });
    const group = await world.scim("POST", `/Groups${flag}`, {
      displayName: "Writers",
      externalId: "oid-writers",
    });
    const at = `/Groups/${group.body.id}${flag}`;
    const both = [dan, erin].map(({ body }) => ({ value: body.id }));
    await world.scim("PATCH", at, patch({ op: "add", path: "members", value: both }));
    expect((await findPerson(world, "erin@contoso.com")).grants).toEqual([{ role: "member", account: null }]);
    await world.scim("PATCH", at, patch({ op: "remove", path: `members[value eq "${dan.body.id}"]` }));
    const { body } = await world.scim("GET", at);
    expect(body.members.map((one: { value: string }) => one.value)).toEqual([erin.body.id]);
    const inside = `id eq "${group.body.id}" and members eq "${erin.body.id}"`;
    expect((await world.scim("GET", `/Groups?${filtered(inside)}`)).body.totalResults).toBe(1);
  });

  test("deletes for good: gone twice, and made anew with another id", async () => {
    const { body } = await world.scim("POST", "/Users", entraUser("fay", "oid-fay"));
    expect((await world.scim("DELETE", `/Users/${body.id}`)).status).toBe(204);
    expect((await world.scim("DELETE", `/Users/${body.id}`)).status).toBe(404);
    expect((await world.scim("GET", `/Users/${body.id}`)).status).toBe(404);
    const person = await findPerson(world, "fay@contoso.com");
    const again = await world.scim("POST", "/Users", entraUser("fay", "oid-fay"));
    expect(again.status).toBe(201);
    expect(again.body.id).not.toBe(body.id);
    expect((await findPerson(world, "fay@contoso.com")).id).toBe(person.id);
  });
});
