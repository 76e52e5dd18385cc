// Opens the store that the settings name, with the keys that belong to it.

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { type OpenedKeys, openMasterKey } from "../../admin/master-key.ts";
import type { AdminWorld } from "../../admin/world.ts";
import { Fault } from "../../core/faults/fault.ts";
import { LastingError } from "../../core/faults/lasting-error.ts";
import type { Store } from "../../core/store.ts";
import type { ByteVault, Vault } from "../../core/world/world.ts";
import { type DataKeys, deriveDataKeys } from "../../keys/data-keys.ts";
import { MASTER_KEY_BYTES, type MasterKeyFile, type MasterKeySources } from "../../keys/master.ts";
import { createVault } from "../../keys/vault.ts";
import { decide } from "../../ledger/decide.ts";
import { NoStoreError, redactAddress } from "../../store/engine/address.ts";
import { IN_MEMORY } from "../../store/sqlite/connection.ts";
import { masterKeyFile } from "../../store/sqlite/master-key-file.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import { showProgress } from "../workers/progress.ts";
import type { ProbeAddress } from "../workers/work-probes.ts";
import { clock, random } from "../world.ts";
import { awaitStore } from "./await-store.ts";
import { openUpgraded, waitForOlder } from "./upgrade.ts";

/** The permission bits of the group and of others in a file's mode. */
const OTHERS = 0o077;

/** An open store, with the keys for its administration and for everything that is sealed in it. */
export interface OpenedStore {
  readonly store: Store;
  readonly world: AdminWorld;
  readonly vault: Vault;
  /** Seals providers' credentials. */
  readonly credentialVault: Vault;
  /** Seals logged prompts and answers, and files. */
  readonly contentVault: Vault & ByteVault;
}

/** If there is no store, "find" throws a NoStoreError and "make" makes one. */
export type Opening = "find" | "make";
/** "prove" finds a copy, of which no other is kept before it is migrated. */
type AnyOpening = Opening | "prove";
/** Returns the store's address as it is at this moment, with a password that has changed since the start. Null if it can't be read. */
type ReadStoreAddress = () => string | null;

/** Parts that a gateway adds at its start. */
interface StartParts {
  readonly readAddress?: ReadStoreAddress;
  /** The address at which its probes are answered while the store is migrated. */
  readonly probes?: ProbeAddress;
  /** The longest that it waits for a store that is away. Commands don't wait. */
  readonly waitMs?: number;
  /** True if the migration may end the support for programs whose nodes run. */
  readonly stopsOlder?: boolean;
}

/** Opens the store that the settings name. Throws an Error with a message for the operator if that fails. */
export async function openStore(
  address: string,
  masterKeyText: string | undefined,
  opening: Opening = "make",
  start: StartParts = {},
): Promise<OpenedStore> {
  const { store, keys } = await openWithKeys(address, { text: masterKeyText }, opening, start);
  return addKeys(store, keys.dataKeys);
}

/** The master key from the environment or, with the name of its place, from elsewhere. */
export type GivenMasterKey = Pick<MasterKeySources, "text" | "textSource">;

export interface StoreWithKeys {
  readonly store: Store;
  readonly keys: OpenedKeys;
  /** Holds the master key unless one is given. Null for PostgreSQL. */
  readonly file: MasterKeyFile | null;
}

/** Like `openStore`, for commands about the master key itself. */
export async function openWithKeys(
  address: string,
  given: GivenMasterKey,
  opening: AnyOpening,
  start: StartParts = {},
): Promise<StoreWithKeys> {
  const { store, file } = await openEngine(address, given.text, opening, start);
  try {
    return { store, file, keys: await openMasterKey(store, { ...given, file, random }) };
  } catch (error) {
    await store.close();
    const reason = error instanceof Fault ? error.details.reason : undefined;
    throw reason === undefined
      ? error
      : new Error(`The store ${showPlace(address)} can't be used: ${reason}.`);
  }
}

/** Opens an empty store that nobody else sees, for a plan where there is none yet. */
export async function openEmptyStore(): Promise<OpenedStore> {
  const keys = deriveDataKeys(random.bytes(MASTER_KEY_BYTES));
  return addKeys(await openSqliteStore({ path: IN_MEMORY, decide }), keys);
}

/** Opens an empty store in memory, which becomes the new file `path` when it is closed. Until then, nothing is synced. */
export async function openDraftStore(path: string): Promise<OpenedStore> {
  const store = await openSqliteStore({ path: IN_MEMORY, savedTo: path, decide });
  const { dataKeys } = await openMasterKey(store, { text: undefined, file: masterKeyFile(path), random });
  return addKeys(store, dataKeys);
}

/** Returns the store with the keys that belong to it. */
export function addKeys(store: Store, keys: DataKeys): OpenedStore {
  return {
    store,
    world: { store, clock, random, pepper: keys.pepper },
    vault: createVault(keys.replies, random),
    credentialVault: createVault(keys.credentials, random),
    contentVault: createVault(keys.contents, random),
  };
}

/** For people, as a process's other lines about its store. */
function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** The master key has no file if nodes share the store but not their disks, since each would make its own key. */
async function openEngine(
  address: string,
  masterKeyText: string | undefined,
  opening: AnyOpening,
  start: StartParts,
) {
  const { probes, stopsOlder = false } = start;
  const path = findDatabaseFile(address);
  if (path !== null) {
    if (opening !== "make" && !storeExists(path)) throw new NoStoreError(showPlace(address));
    const open = (onStep?: () => void) =>
      openSqliteStore({ path, decide, stopsOlder, ...(onStep && { onStep }) });
    const isUpgraded = opening !== "prove" && path !== IN_MEMORY && storeExists(path);
    const parts = { say, probes, stopsOlder, isServing: opening === "make" };
    const store = await (isUpgraded ? waitForOlder(() => openUpgraded(path, parts, open), say) : open());
    return { store, file: masterKeyFile(path) };
  }
  if (!masterKeyText) {
    throw new LastingError(
      "A postgres:// store needs POUNDKEY_MASTER_KEY, the same on every node: 32 bytes in base64, as printed by `openssl rand -base64 32`.",
    );
  }
  return { store: await openPostgres(address, opening === "make", start), file: null };
}

const CONNECTING = {
  what: "connecting to the store, and migrating it if its schema is older",
  status: "migrating",
} as const;
const WAITING = { what: "waiting for the store", status: "waiting" } as const;

async function openPostgres(
  url: string,
  create: boolean,
  { readAddress: readUrl, probes, waitMs, stopsOlder = false }: StartParts,
): Promise<Store> {
  // Imported only here, so that a gateway on SQLite starts faster.
  const { openPostgresStore } = await import("../../store/postgres/store.ts");
  const open = (onReached?: () => void) =>
    waitForOlder(() => openPostgresStore({ url, readUrl, decide, create, stopsOlder, onReached }), say);
  if (waitMs === undefined) return open();
  return showProgress({ ...CONNECTING, all: null, probes }, (progress) =>
    awaitStore(() => open(() => progress.turnTo(CONNECTING)), {
      waitMs,
      say,
      onAway: () => progress.turnTo(WAITING),
    }),
  );
}

/** Returns the absolute path of a SQLite store's file, or null for PostgreSQL. Throws for any other address. */
export function findDatabaseFile(address: string): string | null {
  const path = /^sqlite:(.+)$/.exec(address)?.[1];
  if (path !== undefined) return path === IN_MEMORY ? path : resolve(path);
  if (/^postgres(ql)?:\/\//.test(address)) return null;
  throw new LastingError("The store's address is not supported. Use sqlite:PATH or postgres://….");
}

/** True if the file has content. SQLite would make a new store of an empty one. */
export function storeExists(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Returns the store's address without its credentials. */
export function showPlace(address: string): string {
  const path = findDatabaseFile(address);
  return path ?? redactAddress(address);
}

/** Writes the line that a command prints before it opens a store that it may make. */
export function describeStore(address: string): string {
  const path = findDatabaseFile(address);
  const isNew = path !== null && !storeExists(path);
  return `poundkey: ${isNew ? "creating a store at" : "using the store at"} ${showPlace(address)}`;
}

/** Returns the store's files that other users on the machine can read or write. */
export function findExposedFiles(address: string): readonly string[] {
  const path = findDatabaseFile(address);
  if (path === null || process.platform === "win32") return [];
  return [path, `${path}-wal`, masterKeyFile(path).path].filter((file) => {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
    return (mode & OTHERS) !== 0;
  });
}
