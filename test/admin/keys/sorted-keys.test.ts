// Lists of keys in a chosen order: pages of it, and cursors of another.
import { expect, test } from "bun:test";
import { QUOTA } from "../../harness/samples.ts";
import { createKey, listKeysInUse } from "../admin-asked.ts";
import { adminBench, wrongWith } from "../admin-world.ts";

const bench = adminBench();

test("a list is sorted page by page, and a cursor works for its own order alone", async () => {
  const { world, ledger } = bench();
  const parts = { ...world, ledger, dayRules: () => QUOTA };
  for (const name of ["b", "C", "ß~.", "a"]) await createKey(world, { name });
  const read = (query: object) => listKeysInUse(parts, { limit: "1", ...query });
  const names: string[] = [];
  for (let after: string | null = ""; after !== null; ) {
    const page: Awaited<ReturnType<typeof read>> = await read({
      sort: "name",
      ...(after ? { after } : {}),
    });
    names.push(...page.data.map(({ name }) => name));
    after = page.next;
  }
  expect(names).toEqual(["a", "b", "C", "ß~."]);
  const { data } = await read({ limit: "9", sort: "name", order: "desc" });
  expect(data.map(({ name }) => name)).toEqual(names.toReversed());
  const { next: after } = await read({ sort: "name" });
  const { next: newest } = await read({});
  const wrong = [
    { sort: "secret" },
    { order: "up" },
    { sort: "name", after: newest },
    { sort: "name", order: "desc", after },
    { sort: "cost", after },
    { after },
    { sort: "name", after: `name.asc~${Buffer.from("a\0").toString("base64url")}~key_a` },
    { sort: "cost", after: `cost.desc~${Buffer.from("1.5").toString("base64url")}~key_a` },
  ];
  expect(await Promise.all(wrong.map((query) => wrongWith(() => read(query))))).toEqual([
    "invalid_value sort",
    "invalid_value order",
    ...Array(6).fill("invalid_value after"),
  ]);
});
