// The sender of changes that are made on the command line: the operating system's user, if it is known.
import { userInfo } from "node:os";
import type { Act } from "../core/people/people.ts";

const USAGE = /^usage: poundkey (\S+)/;

/** The flag of commands whose changes may end the support for older programs. */
export const STOP_OLDER = { "stop-older": "switch" } as const;
export const STOP_OLDER_HELP =
  "  --stop-older              do it although nodes of an older program stop by it, which wouldn't keep it";

/** `help` is the command's, which begins with its name, and `action` the word that follows it. Empty if there is none. */
export function makeCommandAct(help: string, action: string, stopsOlder = false): Act {
  const user = readUser();
  return {
    ...(stopsOlder ? { stopsOlder } : {}),
    actor: { kind: "cli", id: user, name: user },
    address: "",
    agent: "",
    requestId: "",
    route: ["poundkey", readCommandName(help), action].join(" ").trim(),
  };
}

/** Returns the name that the command's help begins with. */
export function readCommandName(help: string): string {
  return USAGE.exec(help)?.[1] ?? "";
}

/** Fails for a user without an entry, as in containers that run as any number. */
function readUser(): string {
  try {
    return userInfo().username;
  } catch {
    return "unknown";
  }
}
