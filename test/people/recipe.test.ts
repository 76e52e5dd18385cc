// The manual's recipe for fifty people, as printed: a member who makes keys again and again spends no more than a person may.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type OpenedStore, openStore } from "../../src/app/start/open-store.ts";
import { noteUnbounded } from "../../src/app/start/unbounded-notes.ts";
import type { LogEvent } from "../../src/core/world/world.ts";
import { readDocument } from "../docs/documents.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { readSettings } from "../harness/settings.ts";
import { createOperator } from "../whole/world/operator.ts";
import { PEOPLE } from "./samples.ts";
import { signInAs } from "./signed-in.ts";

const MOST_USD = 50;
const KEYS_MADE = 10;
const AT_ONCE = 4;
/** It costs some three dollars. */
const PROMPT = `say: hi ${"and more ".repeat(150)}`;

/** The lines of the chapter's configuration that bound people and keys. */
function readRecipe(chapter: string): string {
  const [, yaml = ""] =
    /```yaml\n(server:\n[\s\S]*?member_defaults:[^\n]*\n)/.exec(readDocument(chapter)) ?? [];
  return yaml.slice(yaml.indexOf("key_defaults:"));
}

let world: UnderTest;
let opened: OpenedStore;
beforeAll(async () => {
  const recipe = readRecipe("src/docs/fifty-people.md");
  expect(recipe).toContain("member_defaults");
  world = await startUnderTest({
    server: PEOPLE.server,
    more: (url) => `
  Dear:
    dialect: openai
    keys: ["sim-key"]
    base_url: "${url}/openai/v1"
    models: [{ name: sim, context: 8192, output: 64, price: { input: 10000, output: 10000 } }]
${PEOPLE.more}
${recipe}
quota: { requests_per_day: null }
`,
  });
  opened = await openStore(`sqlite:${join(world.directory, "poundkey.db")}`, undefined);
});
afterAll(async () => {
  await opened.store.close();
  await world.stop();
});

async function spend(secret: string): Promise<number> {
  const body = { model: "Dear#sim", messages: [{ role: "user", content: PROMPT }], max_tokens: 8 };
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  const { status } = await fetch(`${world.url}/v1/chat/completions`, init);
  return status;
}

test("a member who spends as fast as they can, with a new key whenever one is used up, spends one budget", async () => {
  const admin = createOperator(world);
  const account = String((await admin.post("/accounts", { name: "Search" })).body.id);
  const mallory = await signInAs({ url: world.url, opened }, "mem_mallory", [
    { role: "member", accountId: account },
  ]);
  const statuses: number[] = [];
  for (let made = 0; made < KEYS_MADE; made++) {
    const { status, body } = await mallory("POST", "/keys", { name: `key ${made}` });
    if (status !== 201) break;
    const asked = Array.from({ length: AT_ONCE }, () => spend(String(body.secret)));
    statuses.push(...(await Promise.all(asked)));
    await mallory("DELETE", `/keys/${body.id}`);
  }
  for (const budgets of [null, [], [{ usd: 1_000_000, per: "month" }]])
    expect((await mallory("POST", "/keys", { name: "wide", budgets })).status).toBe(400);
  const rows = await admin.all(`/requests?account=${account}`, 200);
  const spent = rows.map(({ cost_usd }) => Number(cost_usd)).reduce((sum, cost) => sum + cost, 0);
  expect(statuses).toContain(200);
  expect(statuses.at(-1)).toBe(429);
  expect(spent).toBeGreaterThan(MOST_USD * 0.8);
  expect(spent).toBeLessThanOrEqual(MOST_USD);
});

test("a file in which nothing bounds members is warned of at the start, the recipe's isn't", async () => {
  const told = async (limits: string) => {
    const lines: LogEvent[] = [];
    const file = `server: { ${PEOPLE.server} }\nstore: "sqlite::memory:"\n${PEOPLE.more}\n${limits}`;
    const member = file.replace("role: admin", "role: member");
    await noteUnbounded(readSettings(member), (line) => lines.push(line));
    return lines.map(({ event, field }) => `${event} ${field}`);
  };
  expect(await told("")).toEqual(["members_unbounded sign_in.oidc.rules[0]"]);
  expect(await told(readRecipe("src/docs/fifty-people.md"))).toEqual([]);
});
