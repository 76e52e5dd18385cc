// `poundkey migrate`: migrates the store before a gateway of a new version starts on it.
import { findDatabaseFile, openStore, showPlace } from "../../app/start/open-store.ts";
import { readStoreVersions } from "../../app/start/store-versions.ts";
import { overwritePostponed, postponeCleaning } from "../../app/start/upgrade.ts";
import type { Io } from "../../app/terminal.ts";
import { describeStops, nameNode } from "../../core/live-nodes.ts";
import type { Settings } from "../../core/settings.ts";
import { NoStoreError } from "../../store/engine/address.ts";
import { findEnded } from "../../store/schema/older-nodes.ts";
import type { SchemaVersions } from "../../store/schema/versions.ts";
import { formatJson, type Open, runOnStore } from "../administration.ts";
import { parseArguments } from "../arguments.ts";

const HELP = `usage: poundkey migrate [--dry-run] [--later] [--stop-older] [--json]

Migrates the store to the schema of this version, as the first start of a gateway would, and says how far it is. A gateway
that starts afterwards listens at once. If it is ended in the middle, the next call goes on where it was. Gateways of a
version that the new schema supports may run meanwhile. While others run it is refused, after 15 s for those that were killed.

The first start of a gateway on a SQLite store from before overwrites, once, what was deleted from its file, for which the
disk needs the store's size free again. With --later neither does: a call without it does then, while no gateway runs.

  --later                   leave the overwriting to another call
  --dry-run                 only show the versions, of a store on PostgreSQL too, and the nodes that would stop
  --stop-older              migrate although nodes run that the new schema doesn't support: they refuse requests from then on
  --json                    print JSON
  --config FILE, --store S  as for \`poundkey serve\`

examples:
  poundkey migrate
  poundkey migrate --store sqlite:/var/lib/poundkey/.poundkey/poundkey.db`;

const FLAGS = { json: "switch", "dry-run": "switch", later: "switch", "stop-older": "switch" } as const;

/** Returns the exit code. `variable` is the value of `POUNDKEY_MASTER_KEY`. */
export function runMigrate(
  args: readonly string[],
  io: Io,
  open: Open,
  { store: address }: Pick<Settings, "store">,
  variable: string | undefined,
): Promise<number> {
  return runOnStore(HELP, args, io, open, async () => {
    const { switches } = parseArguments(args, FLAGS, 0);
    const isJson = switches.has("json");
    const found = await readVersions(address);
    const { stored: before } = found;
    if (switches.has("dry-run")) return showVersions(found, isJson, io);
    const stopsOlder = switches.has("stop-older");
    await (await openStore(address, variable, "find", { stopsOlder })).store.close();
    const { stored: after } = await readVersions(address);
    await finish(findDatabaseFile(address), switches.has("later"), io);
    if (isJson) io.out(formatJson({ before, after }));
    else if (before === after) io.out(`The store has schema ${after} already.`);
    else io.out(`Migrated the store from schema ${before} to ${after}.`);
  });
}

function showVersions(versions: SchemaVersions, isJson: boolean, io: Io): void {
  const { stored, known } = versions;
  const ended = findEnded(versions).map(nameNode);
  if (isJson) io.out(formatJson({ before: stored, after: Math.max(stored, known), older_nodes: ended }));
  else if (stored >= known) io.out(`The store has schema ${stored}, and isn't to be migrated.`);
  else io.out(`The store has schema ${stored}, and would be migrated to ${known}.`);
  if (!isJson && ended.length > 0) io.out(describeStops(ended));
}

/** On PostgreSQL nothing is left in files of ours. */
async function finish(path: string | null, isLater: boolean, io: Io): Promise<void> {
  if (path === null) return;
  if (isLater) {
    if (postponeCleaning(path))
      io.err(
        "poundkey: what was deleted from the store is overwritten by the next `poundkey migrate` without --later",
      );
    return;
  }
  if (await overwritePostponed(path, (line) => io.err(line)))
    io.err("poundkey: overwrote what was deleted from the store");
}

/** Throws an Error that says why if they can't be read. */
async function readVersions(address: string): Promise<SchemaVersions> {
  const found = await readStoreVersions(address, true);
  if (found === null) throw new NoStoreError(showPlace(address));
  if ("problem" in found) throw new Error(`The store ${found.place} can't be read: ${found.problem}.`);
  return found;
}
