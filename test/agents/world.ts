// A gateway for the coding agents, with an empty home folder for each.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Setup, startUnderTest, type UnderTest } from "../harness/harness.ts";

export interface AgentWorld extends UnderTest {
  /** Makes an empty folder that is deleted at the end. */
  makeHome(): string;
}

/** Gemini CLI uses its own model names, which an alias maps to a selector. */
const ALIASES = 'aliases: { "gemini-*": "Router#best" }';

/** Starts the gateway with YAML after the providers. DeepSeek's models take no pictures. */
export async function startAgentWorld(
  more: string | ((simulatorUrl: string) => string) = ALIASES,
  setup: Pick<Setup, "fetch"> = {},
): Promise<AgentWorld> {
  const write = typeof more === "string" ? () => more : more;
  const under = await startUnderTest({
    ...setup,
    more: (url) => `  DeepSeek: { keys: ["sim-key"], base_url: "${url}/openai/v1" }\n${write(url)}`,
  });
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
