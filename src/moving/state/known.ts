// The accounts, service keys, aliases and tokens that the store has, as a state file is compared with them.

import { CONSOLE_KEY } from "../../admin/keys/keys.ts";
import { type AliasParts, readStoredAliases } from "../../admin/models/aliases.ts";
import { listTokens, type TokenView } from "../../admin/people/named-tokens.ts";
import type { ActingWorld } from "../../admin/world.ts";
import { type Account, findAccountState, findKeyState, type GatewayKey } from "../../core/keys/key.ts";
import type { Alias } from "../../core/models/alias.ts";
import type { KnownAliasNames } from "../../core/models/alias-entry.ts";
import type { RefusalLesson } from "../../core/models/learned/refusal-lesson.ts";
import type { PlainEntity, PlainThing } from "../../core/things/plain.ts";
import type { Page } from "../../core/world/page.ts";
import { readPages } from "../../core/world/read-pages.ts";

const ROWS_AT_ONCE = 1000;

/**
 * Only live rows stand for a name; if there is none, old ones do. Those that have ended for good, by somebody's decision,
 * never come back. Tokens that have expired count as missing.
 */
type RowState = "live" | "old" | "passed" | "ended";

/** A row, its state, and its place: its name, and for keys the account's id. */
export interface Row<Of> {
  readonly id: string;
  readonly place: string;
  readonly state: RowState;
  readonly of: Of;
}

export interface KnownState {
  readonly accounts: readonly Row<Account>[];
  /** Service keys. */
  readonly keys: readonly Row<GatewayKey>[];
  readonly personalKeys: readonly GatewayKey[];
  readonly aliases: ReadonlyMap<string, Alias>;
  readonly tokens: readonly Row<TokenView>[];
  readonly lessons: readonly RefusalLesson[];
  readonly things: KnownThings;
}

/** Oldest first, by thing. */
export type KnownThings = ReadonlyMap<PlainThing, readonly Row<PlainEntity>[]>;

export type StateWorld = ActingWorld & {
  readonly aliases: AliasParts;
  /** Those of the configuration, then those of the store and of the state file. */
  readonly aliasNames: KnownAliasNames;
  readonly keysExpireInMs: number | null;
};

export function makeKeyPlace({ accountId, name }: Pick<GatewayKey, "accountId" | "name">): string {
  return `${accountId} ${name}`;
}

/** Returns the value that names a thing for people. */
export function findTitle({ fields }: PlainThing, { values }: Pick<PlainEntity, "values">): string {
  const [first] = Object.values(fields);
  return String(first ? values[first.property] : "");
}

/** Two of one name in different accounts are different things. */
function makeThingPlace(thing: PlainThing, entity: PlainEntity): string {
  return `${entity.accountId} ${findTitle(thing, entity)}`;
}

export async function readKnown(world: StateWorld, plain: readonly PlainThing[]): Promise<KnownState> {
  const { store, clock } = world;
  const nowMs = clock.nowMs();
  const accounts = await readAll((page) => store.accounts(page));
  const keys = await readAll((page) => store.keys(page, { nowMs, except: CONSOLE_KEY }));
  const { data: tokens } = await listTokens(world);
  const stored = readStoredAliases(await store.setting("aliases"));
  for (const { name, createdAtMs } of stored) learnAlias(world, name, createdAtMs);
  return {
    accounts: accounts.map((of) => ({ id: of.id, place: of.name, state: readAccountState(of), of })),
    keys: keys
      .filter(({ memberId }) => memberId === null)
      .map((of) => ({ id: of.id, place: makeKeyPlace(of), state: readKeyState(of, nowMs), of })),
    personalKeys: keys.filter(({ memberId }) => memberId !== null),
    aliases: new Map(stored.map(({ name, target }) => [name, target])),
    lessons: await store.refusalLessons.list(),
    things: await readThings(world, plain),
    tokens: tokens.map((of) => ({ id: of.id, place: of.name, state: readTokenState(of), of })),
  };
}

/** Notes a name for the lists of models. The configuration's own come first. */
export function learnAlias({ aliases, aliasNames }: StateWorld, name: string, madeAtMs: number): void {
  if (!Object.hasOwn(aliases.configured(), name)) aliasNames.add(name, madeAtMs);
}

async function readThings(world: StateWorld, plain: readonly PlainThing[]): Promise<KnownThings> {
  const known = new Map<PlainThing, readonly Row<PlainEntity>[]>();
  for (const thing of plain) {
    const rows = await readAll((page) => world.store.things.list(thing, page));
    known.set(
      thing,
      rows.map((of) => ({ id: of.id, place: makeThingPlace(thing, of), state: readThingState(of), of })),
    );
  }
  return known;
}

/** Oldest first. */
async function readAll<Of extends { readonly id: string; readonly createdAtMs: number }>(
  find: (page: Page) => Promise<readonly Of[]>,
): Promise<readonly Of[]> {
  const pages = await Array.fromAsync(readPages(find, ROWS_AT_ONCE));
  return pages.flat().reverse();
}

function readThingState({ endedAtMs }: PlainEntity): RowState {
  return endedAtMs === null ? "live" : "ended";
}

function readAccountState(account: Account): RowState {
  const state = findAccountState(account);
  return state === "open" || state === "paused" ? "live" : "ended";
}

function readKeyState(key: GatewayKey, nowMs: number): RowState {
  const state = findKeyState(key, nowMs);
  if (state === "revoked") return "ended";
  return state === "expired" ? "old" : "live";
}

function readTokenState({ state }: TokenView): RowState {
  if (state === "revoked") return "ended";
  return state === "active" ? "live" : "passed";
}
