// Every list that sorts takes each of its columns at its route, refuses others by name, and is in the manual with them.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ListName, SORTS } from "../../src/core/things/sorts.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";

const ROUTES: Readonly<Record<ListName, string>> = {
  keys: "/keys",
  accounts: "/accounts",
  members: "/members",
  batches: "/batches",
  models: "/models",
  tools: "/mcp/tools",
  credentials: "/providers",
};
const LISTS = Object.entries(ROUTES).flatMap(([list, path]) => (isList(list) ? [[list, path] as const] : []));

function isList(name: string): name is ListName {
  return Object.hasOwn(SORTS, name);
}

let gateway: UnderTest;
beforeAll(async () => {
  gateway = await startUnderTest({});
});
afterAll(() => gateway.stop());

async function read(path: string) {
  const headers = { authorization: `Bearer ${gateway.adminToken}` };
  const answer = await fetch(`${gateway.url}/admin/v1${path}`, { headers });
  return { status: answer.status, body: await answer.json() };
}

test.each(LISTS)("%s by each of its columns, both ways, and by no other", async (list, path) => {
  for (const by of SORTS[list])
    for (const order of ["asc", "desc"]) {
      const { status, body } = await read(`${path}?sort=${by}&order=${order}`);
      expect([by, order, status, Array.isArray(body.data)]).toEqual([by, order, 200, true]);
    }
  const wrong = await read(`${path}?sort=secret`);
  expect([wrong.status, wrong.body.error.param]).toEqual([400, "sort"]);
  expect(wrong.body.error.message).toContain(SORTS[list].map((by) => `'${by}'`).join(", "));
  expect((await read(`${path}?sort=${SORTS[list][0]}&order=up`)).body.error.param).toBe("order");
});

test("models go by their prices, those without one last in either order", async () => {
  const pick = async (query: string): Promise<readonly (number | null)[]> =>
    (await read(`/models?${query}`)).body.data.map(
      ({ pricing }: { pricing: { input: number } | null }) => pricing?.input ?? null,
    );
  const known = (await pick("")).filter((usd) => usd !== null);
  const upwards = known.toSorted((one, other) => one - other);
  const first = async (query: string) => (await pick(query)).slice(0, known.length);
  expect(await first("sort=input")).toEqual(upwards);
  expect(await first("sort=input&order=desc")).toEqual(upwards.toReversed());
});

test("the manual names the columns of each list", () => {
  const chapter = readFileSync(join(import.meta.dir, "..", "..", "src", "docs", "admin-api.md"), "utf8");
  for (const [list, path] of LISTS) {
    const columns = SORTS[list].map((by) => `\`${by}\``).join(", ");
    expect(chapter).toContain(`| \`${path}\` | ${columns} |`);
  }
});
