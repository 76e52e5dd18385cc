// The use-case that lists what stays of a person: what they know the secret of, or look after.
import { Type } from "@sinclair/typebox";
import type { Access } from "../../people/access.ts";
import { listStays, STAY_REASONS, STAY_TYPES, type Stay } from "../../people/stays.ts";
import { type ListPage, listPage, type PageQuery } from "../list.ts";
import { allowNull, allowWords, text, type View } from "../schema.ts";
import { type MemberParts, noMember } from "./members.ts";

export const staySchema = Type.Object({
  type: allowWords(STAY_TYPES),
  id: text,
  name: text,
  // Null if it concerns no account, or several.
  account_id: allowNull(text),
  why: allowWords(STAY_REASONS),
});
export type StayView = View<typeof staySchema>;

/** Those in the accounts of which the sender sees the members. Throws the Fault `not_found`. */
export async function getStays(
  { store, clock, pepper }: MemberParts,
  id: string,
  query: PageQuery,
  access: Access,
): Promise<ListPage<StayView>> {
  const member = await store.people.member(id, access.scope("members.read"));
  if (member === null) throw noMember();
  const all = await listStays({ store, pepper, nowMs: clock.nowMs() }, member);
  const isEverywhere = access.accountsWith("members.read") === null;
  const seen = all.filter(({ accountId }) =>
    accountId === null ? isEverywhere : access.may("members.read", accountId),
  );
  const rows = seen.map((stay, at) => ({ stay, at: at + 1 }));
  return listPage(
    query,
    async ({ limit, after }) => rows.slice(after?.atMs ?? 0, (after?.atMs ?? 0) + limit),
    ({ stay, at }) => ({ atMs: at, id: stay.id }),
    ({ stay }) => viewStay(stay),
  );
}

function viewStay({ type, id, name, accountId, why }: Stay): StayView {
  return { type, id, name, account_id: accountId, why };
}
