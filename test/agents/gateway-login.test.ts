// Claude Code's own sign-in at a gateway (`forceLoginMethod: gateway`), at a terminal, as a person does it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asArray, asObject } from "../../src/core/json/json.ts";
import { sendDecision } from "../people/sign-in/agent.ts";
import type { Browser } from "../people/sign-in/browser.ts";
import { askAs, type SignInWorld, signInAs, startSignInWorld } from "../people/sign-in/world.ts";
import { AGENTS, findProgram, isInstalled, PATIENT_MS } from "./agents.ts";
import { hasTerminal, startTerminal, type Terminal } from "./terminal.ts";

const ARROW_UP = "\x1b[A";
const CLAUDE = AGENTS.find(({ name }) => name === "claude");
/** The gateway's sentence, or the agent's own. */
const ENDED = /sign-?in ?again|pleaserun\/login/i;
const MODEL = "Anthropic#claude-haiku-4-5";

let world: SignInWorld;
let mia: Browser;
let terminal: Terminal | undefined;
const home = mkdtempSync(join(tmpdir(), "poundkey-agent-"));
beforeAll(async () => {
  world = await startSignInWorld({ oidc: "rules: [{ group: search, role: member, accounts: [default] }]" });
  world.provider.people.set("mia", { name: "Mia", groups: ["search"] });
  mia = (await signInAs(world, "mia")).browser;
});
afterAll(async () => {
  await terminal?.close();
  await world.stop();
  rmSync(home, { recursive: true, force: true });
});

/** As after its first screens: these ask for colours and reach for its maker's servers. */
const KNOWN = {
  hasCompletedOnboarding: true,
  theme: "dark",
  projects: { [join(home, "work")]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
};

async function listDevices() {
  const { id } = asObject(asObject((await askAs(mia, world.url, "/session")).body).actor);
  const path = `/members/${id}/devices`;
  const { data } = asObject((await askAs(mia, world.url, path)).body);
  return asArray(data).map((device) => `${path}/${asObject(device).id}`);
}

describe.skipIf(!CLAUDE || !isInstalled(CLAUDE) || !hasTerminal())("Claude Code", () => {
  test(
    "signs in at the gateway that its settings name, answers, and asks for it again once it has ended",
    async () => {
      await Bun.write(join(home, ".claude.json"), JSON.stringify(KNOWN));
      const settings = { forceLoginMethod: "gateway", forceLoginGatewayUrl: world.url };
      terminal = await startTerminal({
        home,
        command: `'${CLAUDE ? findProgram(CLAUDE) : ""}' --model '${MODEL}'`,
        environment: { IS_SANDBOX: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
        etc: { "claude-code/managed-settings.json": JSON.stringify(settings) },
      });
      const { see, type } = terminal;
      await see("Not logged in");
      type("/login");
      await see("Sign in with your");
      type("\r");
      expect(await see("Enter to connect")).toContain(world.url);
      type("\r");
      await see("❯ No, go back");
      type(ARROW_UP);
      await see("❯ Yes, trust this gateway");
      type("\r");
      const shown = await see(/[A-Z]{4}-[A-Z]{4}/);
      expect(shown).toContain(`${world.url}/device`);
      const code = /[A-Z]{4}-[A-Z]{4}/.exec(shown)?.[0] ?? "";
      const page = await sendDecision(mia, world.url, { user_code: code, action: "approve" });
      expect(page.status).toBe(200);
      await see("Connected to Cloud gateway");
      type("\r");
      await see("Login successful");
      type("say: good day");
      await see("say: good day");
      type("\r");
      await see("● good day");
      const [device, ...others] = await listDevices();
      expect(others).toEqual([]);
      const ended = await askAs(mia, world.url, String(device), { method: "DELETE" });
      expect(ended.status).toBe(200);
      // For half a second the gateway may still know the secret.
      for (let more = 1, seen = ""; !ENDED.test(seen); more++) {
        expect(more).toBeLessThan(5);
        type(`say: more-${more}`);
        await see(`say: more-${more}`);
        type("\r");
        seen = await see(new RegExp(`●more-${more}|${ENDED.source}`, "i"));
      }
    },
    PATIENT_MS,
  );
});
