// The time until lists of the console show their first rows at 210 keys, 1,000 people and 20 accounts, and what they ask the
// gateway for: `bun test/bench/console-lists.ts`.
import { type PeopleWorld, startPeopleWorld } from "../console/people.ts";
import { countRequests } from "../console/requests.ts";
import { HAS_BROWSER, openConsole } from "../console/visitor.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { makeMember } from "../people/samples.ts";

const ACCOUNTS = 20;
const KEYS = 210;
const PEOPLE = 1000;
const ROUNDS = 5;

async function fill({ gateway, opened }: PeopleWorld): Promise<string> {
  const accounts: string[] = [];
  for (let count = 0; count < ACCOUNTS; count++) accounts.push(await gateway.newAccount(`Team ${count}`));
  const pick = (count: number) => accounts[count % accounts.length] ?? "default";
  for (let count = 0; count < KEYS; count++)
    await gateway.newKey({ name: `key ${count}`, account_id: pick(count) });
  for (let count = 0; count < PEOPLE; count++) {
    const id = `mem_${count}`;
    const ruleGrants = [{ role: "member", accountId: pick(count) }] as const;
    const fields = { name: `Person ${count}`, email: `p${count}@example.com`, ruleGrants };
    await unrecorded(opened.store).changeMember(id, () => makeMember(id, fields));
  }
  const messages = [{ role: "user", content: "Hello!" }];
  for (let count = 0; count < 60; count++)
    await (await gateway.chat({ model: "OpenAI#gpt-5.4", messages })).text();
  return pick(0);
}

if (!HAS_BROWSER) throw new Error("no Chromium was found");
const world = await startPeopleWorld();
const account = await fill(world);
const { page, open, close } = await openConsole(world);
const pages = ["/settings/router", "/settings/people", "/settings/accounts", `/settings/accounts/${account}`];
console.log(
  `${KEYS} keys, ${PEOPLE} people: first row after ms (median of ${ROUNDS}), requests, asked twice`,
);
for (const path of [...pages, "/activity"]) {
  const times: number[] = [];
  let asked = "";
  for (let round = 0; round < ROUNDS; round++) {
    await open("/nowhere");
    await page.getByText("Page not found").waitFor();
    const settle = countRequests(page);
    const startMs = performance.now();
    await open(path);
    await page.locator("main tbody tr").first().waitFor();
    times.push(performance.now() - startMs);
    const { repeated, paths } = await settle();
    asked = `${paths.length} requests, ${repeated.length === 0 ? "none twice" : repeated.join(", ")}`;
    page.removeAllListeners("request");
  }
  const median = times.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
  console.log(`${path.replace(account, "{id}").padEnd(26)} ${Math.round(median)} ms, ${asked}`);
}
await close();
await world.stop();
