// Coding agents with a person's sign-in instead of a key: they work with it, and stop once it has ended.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asArray, asObject } from "../../src/core/json/json.ts";
import type { Browser } from "../people/sign-in/browser.ts";
import { logInAt, runToken, TOKEN_COMMAND } from "../people/sign-in/command-line.ts";
import { askAs, type SignInWorld, signInAs, startSignInWorld } from "../people/sign-in/world.ts";
import { until } from "../whole/world/until.ts";
import {
  AGENTS,
  type Agent,
  type AgentRun,
  isInstalled,
  PATIENT_MS,
  runAgent,
  untilAgent,
  writeCall,
} from "./agents.ts";

const MODELS: Readonly<Record<string, string>> = {
  claude: "Anthropic#claude-haiku-4-5",
  codex: "Responses#gpt-6.1-sol",
  opencode: "Local#sim-mini",
};

let world: SignInWorld;
let mia: Browser;
const homes: string[] = [];
beforeAll(async () => {
  world = await startSignInWorld({ oidc: "rules: [{ group: search, role: member, accounts: [default] }]" });
  world.provider.people.set("mia", { name: "Mia", groups: ["search"] });
  mia = (await signInAs(world, "mia")).browser;
});
afterAll(async () => {
  await world.stop();
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});

/** Returns what an agent needs to work with the sign-in of an empty home folder, as the manual's page on agents has it. */
async function prepare(agent: Agent): Promise<Omit<AgentRun, "prompt">> {
  const home = mkdtempSync(join(tmpdir(), "poundkey-agent-"));
  homes.push(home);
  expect(await logInAt(world.url, home, mia)).toBe(0);
  const run = { url: world.url, home, model: MODELS[agent.name] ?? "" };
  if (agent.name !== "claude") return { ...run, secret: (await runToken(home)).out.trim() };
  const settings = JSON.stringify({ apiKeyHelper: TOKEN_COMMAND.join(" ") });
  const environment = { ANTHROPIC_AUTH_TOKEN: "", ANTHROPIC_API_KEY: "" };
  return { ...run, secret: "", environment, files: { ".claude/settings.json": settings } };
}

/** Ends the sign-ins of all of the person's agents. Returns once the gateway refuses the one of this home folder. */
async function endAll(home: string): Promise<void> {
  const headers = { authorization: `Bearer ${(await runToken(home)).out.trim()}` };
  const { id } = asObject(asObject((await askAs(mia, world.url, "/session")).body).actor);
  const path = `/members/${id}/devices`;
  for (const device of asArray(asObject((await askAs(mia, world.url, path)).body).data).map(asObject)) {
    expect((await askAs(mia, world.url, `${path}/${device.id}`, { method: "DELETE" })).status).toBe(200);
  }
  await until("it is refused", async () => (await fetch(`${world.url}/v1/key`, { headers })).status === 401);
}

for (const agent of AGENTS.filter(({ name }) => name in MODELS)) {
  describe.skipIf(!isInstalled(agent))(agent.name, () => {
    test(
      "works with `poundkey token`, and stops with our sentence when the sign-in ends in mid-work",
      async () => {
        const run = await prepare(agent);
        const [begun, ended] = ["begun", "ended"].map((name) => join(run.home, name));
        const wait = `printf first-%s-run 1; touch ${begun}; until [ -e ${ended} ]; do sleep 0.1; done`;
        const calls = [wait, "printf second-%s-run 2"].map((command, at) =>
          [`step ${at + 1}:`, writeCall([agent.tool, agent.input(command)])].join(" "),
        );
        const running = runAgent(agent, { ...run, prompt: `${calls.join("\n")}\nstep 3: say: it went on` });
        await untilAgent("it works", running, () => existsSync(String(begun)));
        await endAll(run.home);
        await Bun.write(String(ended), "");
        const printed = await running;
        expect(printed).toMatch(/sign in again/i);
        expect(printed).not.toContain("second-2-run");
      },
      PATIENT_MS,
    );
  });
}
