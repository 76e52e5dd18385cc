// Searches and contacts in any case, also of letters beyond ASCII, on every store.
import { expect, test } from "bun:test";
import { makeAccount, makeKey, makeRecord, NOON, writeRecord } from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { makeSuite, type TwoStores } from "../two-stores.ts";

const PAGE = { limit: 9, after: null };

function folding(stores: () => TwoStores): void {
  const NAMES = ["Österreich Team", "ΟΔΟΣ", "Команда Ёж", "ÅNGSTRÖM", "Plain_Team", "Straße", "東京"];

  test.each([
    ["österreich", "Österreich Team"],
    ["sterreich", "Österreich Team"],
    ["öst%", ""],
    ["οδος", "ΟΔΟΣ"],
    ["οδοσ", "ΟΔΟΣ"],
    ["команда ёж", "Команда Ёж"],
    ["ангстрём", ""],
    ["ångström", "ÅNGSTRÖM"],
    ["plain_t", "Plain_Team"],
    ["straße", "Straße"],
    ["東", "東京"],
    ["team", "Plain_Team, Österreich Team"],
    // More letters than are folded.
    [String.fromCodePoint(...Array.from({ length: 200 }, (_, at) => 0x430 + at)), ""],
  ])("%s is part of the names: %s", async (text, found) => {
    const { store } = stores();
    for (const [at, name] of NAMES.entries()) {
      await unrecorded(store).addAccount(makeAccount(`account ${at}`, { name }));
      await unrecorded(store).addKey(makeKey(`key ${at}`, { name }), `digest ${at}`);
    }
    const join = (rows: readonly { readonly name: string }[]) =>
      rows
        .map(({ name }) => name)
        .toSorted()
        .join(", ");
    expect(join(await store.accounts(PAGE, { text }))).toBe(found);
    expect(join(await store.keys(PAGE, { text, nowMs: NOON }))).toBe(found);
  });

  test("a key is found by its contact, and a request by its model", async () => {
    const { store } = stores();
    for (const [id, contact] of [
      ["key_1", "Jürgen.ÖZ@example.com"],
      ["key_2", "jurgen.oz@example.com"],
    ] as const)
      await unrecorded(store).addKey(makeKey(id, { contact }), id);
    const keys = await store.keys(PAGE, { contact: "jürgen.öz@example.com", nowMs: NOON });
    expect(keys.map(({ id }) => id)).toEqual(["key_1"]);
    await writeRecord(store, makeRecord("r", { modelAsked: "Größe ÄÖÜ" }));
    const found = await store.requests({ text: "größe äöü" }, PAGE);
    expect(found.map(({ id }) => id)).toEqual(["r"]);
  });
}

export const foldingSuite = makeSuite({ folding });
