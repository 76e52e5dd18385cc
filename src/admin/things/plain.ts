// The use-cases on plain things, made from their rows: list, read, make, change, end.
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Fault } from "../../core/faults/fault.ts";
import { applyChange, type Wire } from "../../core/fields/field.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import type { Scope } from "../../core/people/people.ts";
import type { PlainEntity, PlainThing } from "../../core/things/plain.ts";
import { mintId } from "../../keys/secret.ts";
import { type Access, adminAccess, COMMAND_LINE } from "../../people/access.ts";
import {
  type FieldInput,
  makeChangeSchema,
  makeNewSchema,
  makeViewProperties,
  type Reading,
  readChange,
  readNew,
  readState,
  viewFields,
} from "../fields.ts";
import { formatInstant, formatInstantOrNull } from "../format.ts";
import { type ListPage, listPage, pageFields } from "../list.ts";
import { allowNull, allowWords, closeObject, instant, text } from "../schema.ts";
import type { ActingWorld, AdminWorld } from "../world.ts";

const STATES = ["active", "ended"] as const;

export const plainQuery = closeObject({
  ...pageFields,
  account: Type.Optional(text),
  state: Type.Optional(allowWords(STATES)),
});

/** A plain thing as operators see it. */
export interface PlainView {
  readonly id: string;
  readonly account_id: string;
  readonly state: (typeof STATES)[number];
  readonly created_at: string;
  readonly ended_at: string | null;
  readonly [field: string]: Wire;
}

/** A request for a new one. */
type NewPlain = FieldInput<PlainThing["fields"]> & { readonly account_id: string };

export function makePlainSchemas({ fields }: PlainThing) {
  const own: Readonly<Record<string, TSchema>> = makeViewProperties(fields);
  const view = Type.Object({
    id: text,
    account_id: text,
    ...own,
    state: allowWords(STATES),
    created_at: instant,
    ended_at: allowNull(instant),
  });
  return { view, made: makeNewSchema(fields, { account_id: text }), change: makeChangeSchema(fields) };
}

function viewPlain({ fields }: PlainThing, entity: PlainEntity): PlainView {
  const { id, accountId, createdAtMs, endedAtMs, values } = entity;
  return {
    id,
    account_id: accountId,
    ...viewFields(fields, values),
    state: endedAtMs === null ? "active" : "ended",
    created_at: formatInstant(createdAtMs),
    ended_at: formatInstantOrNull(endedAtMs),
  };
}

export function listPlain(
  { store }: Pick<AdminWorld, "store">,
  thing: PlainThing,
  query: Static<typeof plainQuery>,
  scope?: Scope,
): Promise<ListPage<PlainView>> {
  const { account: accountId, state } = query;
  const filter = { accountId, scope, ...(state ? { hasEnded: state === "ended" } : {}) };
  return listPage(
    query,
    (page) => store.things.list(thing, page, filter),
    ({ createdAtMs: atMs, id }) => ({ atMs, id }),
    (entity) => viewPlain(thing, entity),
  );
}

/** Throws the Fault `not_found`. */
export async function getPlain(
  { store }: Pick<AdminWorld, "store">,
  thing: PlainThing,
  id: string,
  scope?: Scope,
): Promise<PlainView> {
  return viewPlain(thing, requirePlain(thing, await store.things.find(thing, id, scope)));
}

export function makePlainId({ random }: Pick<AdminWorld, "random">, { idPrefix }: PlainThing): string {
  return mintId(idPrefix, random);
}

/** Throws the Faults of bad input, `not_found` for an account that the sender doesn't see, and `not_permitted`. */
export function createPlain(
  world: ActingWorld,
  thing: PlainThing,
  { account_id: accountId, ...given }: NewPlain,
  access = adminAccess(COMMAND_LINE),
): Promise<PlainView> {
  const values = readNew(thing.fields, given, { nowMs: world.clock.nowMs() });
  return addPlain(world, thing, { id: makePlainId(world, thing), accountId, values }, access);
}

/** The same for what was read before. */
export async function addPlain(
  { store, changes, clock }: ActingWorld,
  thing: PlainThing,
  made: Pick<PlainEntity, "id" | "accountId" | "values">,
  access = adminAccess(COMMAND_LINE),
): Promise<PlainView> {
  const { accountId } = made;
  const { plural, mostPerAccount } = thing;
  if ((await store.account(accountId, access.scope("accounts.read"))) === null)
    throw new Fault("not_found", "There is no account with that id.");
  access.require(thing.changes, accountId);
  const entity = { ...made, createdAtMs: clock.nowMs(), endedAtMs: null };
  const found = await changes.changeThing(
    thing,
    entity,
    (before, lasting) => before ?? (lasting < mostPerAccount ? entity : null),
  );
  if (found !== null) return viewPlain(thing, found);
  throw invalidValue("account_id", `it has ${mostPerAccount} ${plural} already; end one first`);
}

/** Throws the Faults of bad input, of one that has ended, `not_found` and `not_permitted`. */
export async function changePlain(
  world: ActingWorld,
  thing: PlainThing,
  id: string,
  given: FieldInput<PlainThing["fields"]>,
  access = adminAccess(COMMAND_LINE),
): Promise<PlainView> {
  const change = readChange(thing.fields, given, { nowMs: world.clock.nowMs() });
  return revise(world, thing, id, access, (before) => ({
    ...requireLasting(thing, before),
    values: applyChange(before.values, change),
  }));
}

/** Brings all fields to what is given, or to their initial values. */
export function bringPlain(
  world: ActingWorld,
  thing: PlainThing,
  id: string,
  given: FieldInput<PlainThing["fields"]>,
  reading: Reading,
): Promise<PlainView> {
  return revise(world, thing, id, adminAccess(COMMAND_LINE), (before) => ({
    ...requireLasting(thing, before),
    values: readState(thing.fields, given, before.values, reading),
  }));
}

/** Ending it again keeps the first time. */
export function endPlain(
  world: ActingWorld,
  thing: PlainThing,
  id: string,
  access = adminAccess(COMMAND_LINE),
): Promise<PlainView> {
  const endedAtMs = world.clock.nowMs();
  return revise(world, thing, id, access, (before) => ({
    ...before,
    endedAtMs: before.endedAtMs ?? endedAtMs,
  }));
}

async function revise(
  { store, changes }: ActingWorld,
  thing: PlainThing,
  id: string,
  access: Access,
  change: (before: PlainEntity) => PlainEntity,
): Promise<PlainView> {
  const known = requirePlain(thing, await store.things.find(thing, id, access.scope(thing.sees)));
  access.require(thing.changes, known.accountId);
  const after = await changes.changeThing(thing, known, (before) => before && change(before));
  return viewPlain(thing, requirePlain(thing, after));
}

function requirePlain({ name }: Pick<PlainThing, "name">, entity: PlainEntity | null): PlainEntity {
  if (entity !== null) return entity;
  throw new Fault("not_found", `There is no ${name} with that id.`);
}

function requireLasting({ name }: Pick<PlainThing, "name">, entity: PlainEntity): PlainEntity {
  if (entity.endedAtMs === null) return entity;
  throw invalidValue("id", `the ${name} has ended; make another one`);
}
