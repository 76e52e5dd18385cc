// `poundkey master-key`: replaces the master key in two steps, while gateways run.
import { beginRotation, finishRotation } from "../../app/start/rotate-master-key.ts";
import { makeCommandAct } from "../act.ts";
import { type Call, formatJson, makeCommand } from "../administration.ts";
import { UsageError } from "../arguments.ts";

const HELP = `usage: poundkey master-key rotate --new FILE [--json]
       poundkey master-key rotate --finish [--json]

Replaces the master key while gateways run. The first step seals the store's own keys under the new master key too: from
then on gateways start with either. The second ends the old one. Nothing else is written again, so both take a moment,
and secrets, signatures and stored answers keep working.

  1  poundkey master-key rotate --new FILE. The file holds 32 bytes in base64, and is made if there is none. If the old
     key is in the file master.key, the new one takes its place, and the old one is kept beside it.
  2  Give the new key to each node (POUNDKEY_MASTER_KEY) and restart the nodes, one after the other.
  3  poundkey master-key rotate --finish, with the new key in place. The old one then opens nothing but older backups.

  --new FILE                the new master key's file
  --finish                  end all master keys but the newest
  --json                    print JSON
  --config FILE, --store S  as for \`poundkey serve\`

examples:
  poundkey master-key rotate --new ./new.key
  poundkey master-key rotate --finish`;

/** `variable` is the value of `POUNDKEY_MASTER_KEY`. */
export function makeMasterKeyCommand(variable: string | undefined) {
  const rotate = async (call: Call) => {
    const file = call.values.get("new");
    const isFinishing = call.switches.has("finish");
    const act = makeCommandAct(HELP, "rotate");
    const rotation = { address: call.settings.store, variable, act };
    if (isFinishing) call.io.out(describeFinished(call, await finishRotation(rotation, file)));
    else if (file === undefined) throw new UsageError("expected --new FILE or --finish");
    else {
      const begun = await beginRotation(rotation, file);
      if (begun.isMade) call.io.err(`poundkey: made a new master key in ${file}`);
      call.io.out(describeBegun(call, begun));
    }
  };
  return makeCommand(HELP, { rotate: { run: rotate, flags: { new: "value", finish: "switch" } } });
}

function describeBegun({ isJson }: Call, begun: Awaited<ReturnType<typeof beginRotation>>): string {
  const { masterKeys, file, oldFile } = begun;
  if (isJson) return formatJson({ master_keys: masterKeys, file, old_file: oldFile });
  const kept = oldFile === null ? [] : [`The old one is kept in ${oldFile}: backups from before need it.`];
  const places =
    file === null
      ? ["Give the new one to each node as POUNDKEY_MASTER_KEY and restart the nodes, one after the other."]
      : [`${file} holds the new one.`, ...kept];
  return [
    `The store opens with the old master key and with the new one (${masterKeys.at(-1)}).`,
    ...places,
    "Then end the old one with `poundkey master-key rotate --finish`.",
  ].join("\n");
}

function describeFinished(
  { isJson }: Call,
  { kept, ended }: Awaited<ReturnType<typeof finishRotation>>,
): string {
  if (isJson) return formatJson({ master_key: kept, ended });
  return [
    `The store opens with the new master key (${kept}) alone.`,
    ended.length === 0 ? "No older one was left." : `Ended: ${ended.join(", ")}.`,
    "Backups from before need the master key of their time.",
  ].join("\n");
}
