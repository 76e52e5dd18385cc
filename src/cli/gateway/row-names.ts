// The names behind the ids of a table's rows.
import { Type } from "@sinclair/typebox";
import { asString } from "../../core/json/json.ts";
import { ACCOUNT } from "../../core/things/account.ts";
import { KEY } from "../../core/things/key.ts";
import { type Ask, makeReader } from "./ask.ts";
import type { Asking } from "./gateway.ts";

type NameOf = (id: string) => Ask<string>;

const readRow = makeReader(Type.Object({ name: Type.String() }));
const read = (answer: unknown) => readRow(answer).name;

/** By the fields of rows. */
const NAMES = {
  key_id: (id) => ({
    route: KEY.actions.read,
    parts: { id },
    read,
    here: async ({ store }) => (await store.key(id))?.name ?? id,
  }),
  account_id: (id) => ({
    route: ACCOUNT.actions.read,
    parts: { id },
    read,
    here: async ({ store }) => (await store.account(id))?.name ?? id,
  }),
  member_id: (id) => ({
    route: { method: "GET", path: "/members/:id" },
    parts: { id },
    read,
    here: async ({ store }) => (await store.people.member(id))?.name ?? id,
  }),
} as const satisfies Readonly<Record<string, NameOf>>;

export type NamedField = keyof typeof NAMES;
export const isNamedField = (field: string): field is NamedField => Object.hasOwn(NAMES, field);

/** Returns the name of an id, or the id itself if there is none. */
export type ShowName = (id: string | null | undefined) => string;

/** Asks once for each id in these fields. An id that the sender may not look up stays as it is. */
export async function nameRows(
  ask: Asking,
  rows: readonly object[],
  fields: readonly NamedField[],
): Promise<ShowName> {
  const asks = new Map<string, Ask<string>>();
  for (const row of rows) {
    const cells = new Map<string, unknown>(Object.entries(row));
    for (const field of fields) {
      const id = asString(cells.get(field));
      if (id) asks.set(id, NAMES[field](id));
    }
  }
  const named = await Promise.all(
    [...asks].map(async ([id, one]) => [id, await ask(one).catch(() => id)] as const),
  );
  const names = new Map(named);
  return (id) => (id ? (names.get(id) ?? id) : "-");
}
