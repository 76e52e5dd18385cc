// `poundkey admin`: makes a new admin token, also while a gateway runs on the same store.
import { parseArgs } from "node:util";
import { resetAdminToken } from "../admin/token.ts";
import type { Io } from "../app/terminal.ts";
import { type Call, formatJson, type Open, runCommand } from "./administration.ts";
import { UsageError } from "./arguments.ts";

const HELP = `usage: poundkey admin token --reset [--json]

Makes a new admin token and prints it, once; the one before stops working at once.
A token set by server.admin_token or POUNDKEY_ADMIN_TOKEN goes before it.

  --json                    print JSON
  --config FILE, --store S  as for the gateway`;

export function runAdmin(args: readonly string[], io: Io, open: Open): Promise<number> {
  return runCommand({ help: HELP, actions: { token }, makes: ["token"] }, args, io, open);
}

async function token({ args, io, open }: Call): Promise<void> {
  const options = { reset: { type: "boolean" }, json: { type: "boolean" } } as const;
  const { values } = parseArgs({ args, options });
  if (!values.reset)
    throw new UsageError("a token is kept as a digest and can't be shown; --reset makes a new one");
  const made = await resetAdminToken(await open());
  io.out(values.json ? formatJson({ token: made }) : made);
}
