// Scripts in Python that print a line of JSON for each of their checks: `{ check, error }`.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { asArray, asObject, parseJson } from "../../src/core/json/json.ts";

const OWN = join(import.meta.dir, "..", "..", ".venv", "bin", "python");
const environment = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" };
export const SCRIPT_MS = 60_000;

export interface CheckScript {
  readonly python: string;
  readonly script: string;
  readonly checks: readonly string[];
}

/** Returns the script's checks, with the first Python that has its SDKs. Null if none has them. */
export function findChecks(name: string): CheckScript | null {
  const script = join(import.meta.dir, name);
  for (const python of [OWN, Bun.which("python3")]) {
    if (python === null || !existsSync(python)) continue;
    const { success, stdout } = Bun.spawnSync([python, script, "--list"], {
      env: environment,
      stderr: "ignore",
    });
    if (success) return { python, script, checks: asArray(parseJson(stdout.toString())).map(String) };
  }
  return null;
}

/** Runs the script once. Returns the failure by check, or null for one that passed. */
export async function runChecks(
  { python, script }: CheckScript,
  given: object,
): Promise<ReadonlyMap<string, unknown>> {
  const command = [python, script, JSON.stringify(given)];
  const child = Bun.spawn(command, { env: environment, stdout: "pipe", stderr: "inherit" });
  const lines = (await new Response(child.stdout).text()).trim().split("\n");
  const entries = lines.map((line) => asObject(parseJson(line)));
  return new Map(entries.map(({ check, error }) => [String(check), error]));
}
