// Errors as the coding agents take them: which end a turn at once, and which are tried again.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI from "openai";
import { type Door, doorTo } from "../clients/setting.ts";
import { startUnderTest, type UnderTest } from "../harness.ts";
import { AGENTS, type Agent, isInstalled, runAgent } from "./agents.ts";

const PATIENT_MS = 120_000;

let under: UnderTest;
let door: Door;
const homes: string[] = [];

beforeAll(async () => {
  under = await startUnderTest();
  door = doorTo(under.url);
});
afterAll(async () => {
  await door.stop();
  await under.stop();
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});

interface Trouble {
  readonly name: string;
  readonly model: string;
  /** A key that is none, or one whose day is used up. */
  readonly key?: "wrong" | "used";
  /** Words that the agent shows; the first that fits. */
  readonly says: RegExp;
  /** The most requests for the turn: further ones would be tries again. */
  readonly requestsMax: number;
}

const TROUBLES: Readonly<Record<string, readonly Trouble[]>> = {
  claude: [
    {
      name: "a wrong key",
      model: "Local#sim-mini",
      key: "wrong",
      says: /401|API key|authenticat/i,
      requestsMax: 2,
    },
    { name: "a used-up allowance", model: "Local#sim-mini", key: "used", says: /429|limit/i, requestsMax: 2 },
    { name: "a model that is not there", model: "nothing", says: /model/i, requestsMax: 3 },
    {
      name: "too long a prompt",
      model: "Local#sim-mini~trouble=context",
      says: /too long|context/i,
      requestsMax: 3,
    },
  ],
  codex: [
    { name: "a used-up allowance", model: "Local#sim-mini", key: "used", says: /quota/i, requestsMax: 1 },
    {
      name: "a model that is not there",
      model: "nothing",
      says: /does not exist|not found/i,
      requestsMax: 1,
    },
    {
      name: "too long a prompt",
      model: "Local#sim-mini~trouble=context",
      says: /context/i,
      requestsMax: 1,
    },
  ],
};

async function secretFor({ key }: Trouble): Promise<string> {
  if (key === "wrong") return `${under.secret.slice(0, -1)}_`;
  if (key !== "used") return under.secret;
  // Behind the allowance the throttle lets one request in at once.
  const { secret } = await under.newKey({ requests_per_day: 0 });
  await new OpenAI({ apiKey: secret, baseURL: `${under.url}/v1` }).responses.create({
    model: "Local#sim-mini",
    input: "say: hi",
  });
  return secret;
}

for (const [name, troubles] of Object.entries(TROUBLES)) {
  const agent = AGENTS.find((one): one is Agent => one.name === name);
  describe.skipIf(!agent || !isInstalled(agent))(name, () => {
    test.each(troubles.map((trouble) => [trouble.name, trouble] as const))(
      "%s ends the turn",
      async (_name, trouble) => {
        if (!agent) return;
        const home = mkdtempSync(join(tmpdir(), "poundkey-agent-"));
        homes.push(home);
        const before = door.statuses.length;
        const printed = await runAgent(agent, {
          ...{ url: door.url, secret: await secretFor(trouble), model: trouble.model, home },
          prompt: "say: hello",
        });
        const failed = door.statuses.slice(before).filter((status) => status >= 400);
        expect({ says: trouble.says.test(printed), printed }).toMatchObject({ says: true });
        expect(failed.length).toBeGreaterThan(0);
        expect(failed.length).toBeLessThanOrEqual(trouble.requestsMax);
      },
      PATIENT_MS,
    );
  });
}
