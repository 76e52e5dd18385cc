// `poundkey migrate`: migrates the store before a gateway of a new version starts on it.
import { openStore } from "../../app/start/open-store.ts";
import { readStoreVersions } from "../../app/start/store-versions.ts";
import type { Io } from "../../app/terminal.ts";
import type { Settings } from "../../core/settings.ts";
import { formatJson, type Open, runOnStore } from "../administration.ts";
import { parseArguments } from "../arguments.ts";

const HELP = `usage: poundkey migrate [--json]

Migrates the store to the schema of this version, as the first start of a gateway would, and says how far it is. A gateway
that starts afterwards listens at once. If it is ended in the middle, the next call goes on where it was. Gateways of a
version that the new schema supports may run meanwhile.

  --json                    print JSON
  --config FILE, --store S  as for \`poundkey serve\`

examples:
  poundkey migrate
  poundkey migrate --store sqlite:/var/lib/poundkey/.poundkey/poundkey.db`;

/** Returns the exit code. `variable` is the value of `POUNDKEY_MASTER_KEY`. */
export function runMigrate(
  args: readonly string[],
  io: Io,
  open: Open,
  { store: address }: Pick<Settings, "store">,
  variable: string | undefined,
): Promise<number> {
  return runOnStore(HELP, args, io, open, async () => {
    const { switches } = parseArguments(args, { json: "switch" }, 0);
    const before = await readVersion(address);
    await (await openStore(address, variable, "find")).store.close();
    const after = await readVersion(address);
    if (switches.has("json")) io.out(formatJson({ before, after }));
    else if (before === after) io.out(`The store has schema ${after} already.`);
    else io.out(`Migrated the store from schema ${before} to ${after}.`);
  });
}

async function readVersion(address: string): Promise<number | null> {
  const found = await readStoreVersions(address, true);
  return found !== null && "stored" in found ? found.stored : null;
}
