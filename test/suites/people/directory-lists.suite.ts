// The lists of a company's directory on every store: what they find, and in which order.
import { expect, test } from "bun:test";
import { anonymiseMember } from "../../../src/admin/people/anonymising.ts";
import { createUser, deleteUser } from "../../../src/admin/people/directory.ts";
import { listGroups, listUsers } from "../../../src/admin/people/directory-lists.ts";
import type { DirectoryUser } from "../../../src/core/people/directory.ts";
import { NOON } from "../../harness/samples.ts";
import { makeNode, makeRules } from "../../people/directory/node.ts";
import type { TwoStores } from "../two-stores.ts";

const RULES = makeRules([]);

export function directoryLists(opened: () => TwoStores): void {
  narrowed(opened);
  positions(opened);
}

function narrowed(opened: () => TwoStores): void {
  test("lists are narrowed without regard to case, paged oldest first, and count what they leave out", async () => {
    const { store, other } = opened();
    let nowMs = NOON;
    const here = makeNode(
      store,
      () => RULES,
      () => nowMs++,
    );
    const there = makeNode(other, () => RULES);
    for (const name of ["Äpfel@a.example", "bob@a.example", "carol@a.example"]) {
      const emails = [{ value: name, type: "work" }, { value: `home-${name}` }];
      await createUser(here, {
        userName: name,
        externalId: `X-${name}`,
        displayName: `Name ${name}`,
        emails,
      });
    }
    const find = async (filter: string) => {
      const { rows } = await listUsers(there, { filter, startIndex: 1, count: 10 });
      return rows.map(({ userName }) => userName).join(" ");
    };
    expect(await find('userName eq "äPFEL@A.example"')).toBe("Äpfel@a.example");
    expect(await find('externalId eq "x-bob@a.example"')).toBe("");
    expect(await find('externalId eq "X-bob@a.example"')).toBe("bob@a.example");
    expect(await find('displayName eq "NAME BOB@a.example"')).toBe("bob@a.example");
    expect(await find('emails[type eq "WORK"].value eq "CAROL@a.example"')).toBe("carol@a.example");
    expect(await find('emails[type eq "work"].value eq "home-carol@a.example"')).toBe("");
    expect(await find('emails.value eq "home-carol@a.example" and active eq true')).toBe("carol@a.example");
    const page = await listUsers(there, { filter: null, startIndex: 3, count: 2 });
    expect([page.total, page.rows.map(({ userName }) => userName)]).toEqual([3, ["carol@a.example"]]);
    expect(await listGroups(there, { filter: null, startIndex: 1, count: 0 })).toEqual({
      total: 0,
      rows: [],
    });
  });
}

function positions(opened: () => TwoStores): void {
  test("pages of the list follow users who come and go, also before those of earlier pages", async () => {
    let nowMs = NOON;
    let names = 0;
    const here = makeNode(
      opened().store,
      () => RULES,
      () => nowMs,
    );
    const there = { store: opened().other };
    const made: DirectoryUser[] = [];
    const add = async (atMs: number) => {
      nowMs = atMs;
      made.push(await createUser(here, { userName: `user-${names++}@a.example` }));
    };
    const drop = async (at: number, end: (user: DirectoryUser) => Promise<unknown>) => {
      for (const user of made.splice(at, 1)) await end(user);
    };
    const expectPages = async () => {
      const inOrder = made.toSorted((one, other) =>
        one.createdAtMs === other.createdAtMs
          ? Buffer.compare(Buffer.from(one.id), Buffer.from(other.id))
          : one.createdAtMs - other.createdAtMs,
      );
      // Each round begins behind the page with which the one before has ended.
      for (const start of [4, 8, 20, 6, 0]) {
        const page = await listUsers(there, { filter: null, startIndex: start + 1, count: 4 });
        expect(page.rows.map(({ id }) => id)).toEqual(inOrder.slice(start, start + 4).map(({ id }) => id));
        expect(page.total).toBe(made.length);
      }
    };
    for (let at = 0; at < 9; at++) await add(NOON + 10 * at);
    await expectPages();
    await drop(1, ({ id }) => deleteUser(here, id));
    await expectPages();
    await add(NOON + 5);
    await expectPages();
    await add(NOON + 80);
    await add(NOON + 80);
    await expectPages();
    await drop(3, ({ memberId }) => anonymiseMember({ ...here, keysExpireMs: () => null }, memberId));
    await expectPages();
  });
}
