// A gateway for the coding agents, with an empty home folder for each.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startUnderTest, type UnderTest } from "../harness.ts";

export interface AgentWorld extends UnderTest {
  /** Makes an empty folder that is deleted at the end. */
  makeHome(): string;
}

/** Starts the gateway. Gemini CLI uses its own model names, which an alias maps to a selector. */
export async function startAgentWorld(): Promise<AgentWorld> {
  const under = await startUnderTest({ more: 'aliases: { "gemini-*": "Router#best" }' });
  const homes: string[] = [];
  return {
    ...under,
    makeHome() {
      const home = mkdtempSync(join(tmpdir(), "poundkey-agent-"));
      homes.push(home);
      return home;
    },
    async stop() {
      await under.stop();
      for (const home of homes) rmSync(home, { recursive: true, force: true });
    },
  };
}
