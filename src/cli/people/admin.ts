// `poundkey admin`: makes a new admin token, also while a gateway runs on the same store.
import { resetAdminToken } from "../../admin/people/token.ts";
import { type Call, formatJson, makeCommand } from "../administration.ts";
import { UsageError } from "../arguments.ts";

const HELP = `usage: poundkey admin token --reset [--json]

Creates a new admin token and prints it once. The old token stops working immediately. Fails if the token is set by
server.admin_token or POUNDKEY_ADMIN_TOKEN, which take precedence: change it there.

  --reset                   create a new token
  --json                    print JSON
  --config FILE, --store S  as for \`poundkey serve\`

examples:
  poundkey admin token --reset`;

export const runAdmin = makeCommand(HELP, {
  token: { run: token, flags: { reset: "switch" }, opening: "make" },
});

async function token({ switches, isJson, io, open, settings }: Call): Promise<void> {
  if (!switches.has("reset"))
    throw new UsageError("the token can't be shown, only replaced: create a new one with --reset");
  const { adminTokenSetBy: setBy } = settings.server;
  if (setBy !== null)
    throw new Error(
      `The admin token is set by ${setBy}, and a new one would not work: change it there, and restart the gateway.`,
    );
  const made = await resetAdminToken(await open());
  io.out(isJson ? formatJson({ token: made }) : made);
}
