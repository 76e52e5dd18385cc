// `poundkey setup --undo` as a command.
import type { Arguments } from "../arguments.ts";
import { findSetupFolder } from "./journal.ts";
import { makeOutcome, readAgents, type SetupOutcome } from "./outcome.ts";
import { findHome } from "./places.ts";
import { showUndone } from "./show.ts";
import { undoSetup } from "./undo.ts";
import type { SetupWorld } from "./world.ts";

export function undoAgents(args: Arguments, { env, disk }: SetupWorld): SetupOutcome {
  const agents = readAgents(args);
  const isDry = args.switches.has("dry-run");
  const files = undoSetup(disk, findSetupFolder(env), { agents, isDry });
  const nothing = "There is nothing to undo.";
  return makeOutcome({ gateway: null, agents: showUndone(files), home: findHome(env), nothing, isDry });
}
