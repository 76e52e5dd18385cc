// Agents connected by a sign-in alone: in the middle of their work the token ends, and they go on with the next.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asArray, asObject, parseJson } from "../../../src/core/json/json.ts";
import { IS_LONG } from "../../harness/long.ts";
import { poundkey } from "../../harness/poundkey.ts";
import type { Browser } from "../../people/sign-in/browser.ts";
import { findFile, logInAt } from "../../people/sign-in/command-line.ts";
import { type SignInWorld, signInAs, startSignInWorld } from "../../people/sign-in/world.ts";
import { until } from "../../whole/world/until.ts";
import { AGENTS, type Agent, isInstalled, PATIENT_MS, runAgent, untilAgent, writeCall } from "../agents.ts";

const TOKEN_SECONDS = 20;

interface SignedIn {
  /** Its name in the table of clients. */
  readonly setup: string;
  readonly model: string;
  /** Its user agent begins with this. */
  readonly says: RegExp;
  /** Settings of the person's, which let it run commands without asking. */
  readonly files: Readonly<Record<string, string>>;
  /** With these it waits for a command that takes longer than a token lives. */
  readonly patience: object;
  /** Its own variables would count before what `poundkey setup` wrote. */
  readonly environment: Readonly<Record<string, string>>;
}

const SIGNED_IN: Readonly<Record<string, SignedIn>> = {
  claude: {
    setup: "claude-code",
    model: "Anthropic#claude-haiku-4-5",
    says: /^claude-cli/,
    files: {},
    patience: {},
    environment: { ANTHROPIC_AUTH_TOKEN: "", ANTHROPIC_API_KEY: "", ANTHROPIC_BASE_URL: "" },
  },
  codex: {
    setup: "codex",
    model: "OpenAI#gpt-6.1-sol",
    says: /^codex/,
    files: {
      ".codex/config.toml": 'approval_policy = "never"\nsandbox_mode = "danger-full-access"\n',
    },
    patience: { yield_time_ms: 30_000 },
    environment: { POUNDKEY_KEY: "" },
  },
};

let world: SignInWorld;
let mia: Browser;
const homes: string[] = [];
beforeAll(async () => {
  world = await startSignInWorld({
    oidc: "rules: [{ group: search, role: member, accounts: [default] }]",
    beside: `agents: { token: ${TOKEN_SECONDS}s }`,
    more: "tags_from: { program: user-agent }",
  });
  world.provider.people.set("mia", { name: "Mia", groups: ["search"] });
  mia = (await signInAs(world, "mia")).browser;
});
afterAll(async () => {
  await world.stop();
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});

/** Signs in, and has `poundkey setup` write the settings. */
async function connect({ setup, model, files }: SignedIn): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), "poundkey-agent-"));
  homes.push(home);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(home, path, ".."), { recursive: true });
    await Bun.write(join(home, path), text);
  }
  expect(await logInAt(world.url, home, mia)).toBe(0);
  const words = ["setup", "--agent", setup, "--model", model, "--yes", "--json"];
  const { code, out, err } = await poundkey(home, words, { HOME: home });
  expect([code, err]).toEqual([0, ""]);
  expect(asArray(asObject(parseJson(out)).agents)).toMatchObject([{ agent: setup, state: "connected" }]);
  return home;
}

/** Returns the secret of the kept sign-in. */
function readSecret(home: string): string {
  const { logins } = asObject(parseJson(readFileSync(findFile(home), "utf8")));
  return String(asObject(asObject(logins)[world.url]).secret);
}

/** Returns the user agents of the requests that were answered since then. */
async function listPrograms(sinceMs: number): Promise<readonly string[]> {
  const { url, adminToken } = world.gateway;
  const headers = { authorization: `Bearer ${adminToken}` };
  const response = await fetch(`${url}/admin/v1/requests?limit=50`, { headers });
  const rows = asArray(asObject(await response.json()).data).map(asObject);
  return rows
    .filter(({ at, status }) => Date.parse(String(at)) >= sinceMs && status === 200)
    .map(({ tags }) => String(asObject(tags).program));
}

const isRefused = async (secret: string) =>
  (await fetch(`${world.url}/v1/key`, { headers: { authorization: `Bearer ${secret}` } })).status === 401;

const tried = AGENTS.flatMap((agent): readonly (readonly [Agent, SignedIn])[] => {
  const signedIn = SIGNED_IN[agent.name];
  return signedIn === undefined ? [] : [[agent, signedIn]];
});

for (const [agent, signedIn] of tried) {
  describe.skipIf(!IS_LONG || !isInstalled(agent))(`${agent.name} (long form, where it is installed)`, () => {
    test(
      "goes on past the end of its token",
      async () => {
        const home = await connect(signedIn);
        const [begun, over, after] = [join(home, "begun"), join(home, "over"), join(home, "after")];
        const wait = `touch ${begun}; until [ -e ${over} ]; do sleep 0.1; done`;
        const { model, environment, patience } = signedIn;
        const calls = [wait, `touch ${after}`].map((command, at) => {
          const input = { ...agent.input(command), ...patience };
          return `step ${at + 1}: ${writeCall([agent.tool, input])}`;
        });
        const prompt = `${calls.join("\n")}\nstep 3: say: done`;
        // The settings as `poundkey setup` left them, in the place of those that this agent has in other tests.
        const files = Object.fromEntries(
          Object.keys(signedIn.files).map((path) => [path, readFileSync(join(home, path), "utf8")]),
        );
        const run = { url: world.url, home, model, prompt, secret: "", environment, files };
        const running = runAgent(agent, run);
        await untilAgent("it works", running, () => existsSync(begun));
        const first = readSecret(home);
        await until("its token has ended", () => isRefused(first), 3 * TOKEN_SECONDS * 1000);
        const endedMs = Date.now();
        await Bun.write(over, "");
        const printed = await running;
        expect([existsSync(after), /sign in again/i.test(printed)]).toEqual([true, false]);
        expect(readSecret(home)).not.toBe(first);
        const programs = await listPrograms(endedMs);
        expect(programs.filter((program) => signedIn.says.test(program))).not.toEqual([]);
      },
      PATIENT_MS,
    );
  });
}
