// The figures of a period: what changed is in the unit of the figure, and what the cache saved has a tile of its own.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { UnderTest } from "../../harness/harness.ts";
import { createOperator } from "../../whole/world/operator.ts";
import { until } from "../../whole/world/until.ts";
import { asking } from "../../whole/world/world.ts";
import { type ConsoleWorld, HAS_BROWSER, openConsole, startConsoleWorld, VISIT_MS } from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

const CACHED = { headers: { "x-poundkey-cache": "on" } };
const OWN = "figures of the test's own";

let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld();
  const ask = async (model: string, init = {}) => (await world.gateway.chat(asking(model, OWN), init)).text();
  for (let count = 0; count < 3; count++) await ask("OpenAI#gpt-5.4");
  await ask("OpenAI#sim-mini~trouble=500");
  await waitForSum(world.gateway, 4);
  copyToDayBefore(world.gateway);
});

afterAll(() => world.stop());

async function waitForSum(gateway: UnderTest, requests: number): Promise<void> {
  await until(`${requests} requests are summed`, async () => {
    const { body } = await createOperator(gateway).get("/overview?step=hour");
    return JSON.stringify(body).includes(`"totals":{"requests":${requests},`);
  });
}

/** The first half of the day before had the same answers and three times the failures, so half of its requests failed. */
function copyToDayBefore({ directory }: UnderTest): void {
  const file = new Database(join(directory, "poundkey.db"));
  file.run("PRAGMA busy_timeout = 5000");
  const columns = file
    .query<{ name: string }, []>("SELECT name FROM pragma_table_info('hourly_usage')")
    .all();
  const changed: Readonly<Record<string, string>> = {
    hour_ms: `hour_ms - ${42 * 3_600_000}`,
    requests: "requests + 2 * errors",
    errors: "3 * errors",
  };
  const names = columns.map(({ name }) => name);
  const values = names.map((name) => changed[name] ?? name);
  file.run(`INSERT INTO hourly_usage (${names}) SELECT ${values} FROM hourly_usage`);
  file.close();
}

describe.skipIf(!HAS_BROWSER)("figures (skipped without Chromium)", () => {
  test("the change of a share is in points, and that of a count a percentage", async () => {
    const { page, leave } = await openConsole(world, "/?range=24h");
    const errors = page.getByRole("region", { name: "Error rate" });
    await errors.getByText("25%").waitFor();
    await errors.getByText("−25 points").waitFor();
    await page.getByRole("region", { name: "Requests" }).getByText("−33%").waitFor();
    await page.getByRole("region", { name: "Cost" }).getByText("unchanged").waitFor();
    await leave();
  });

  test("what the cache saved is shown once an answer came from it", async () => {
    const { page, leave } = await openConsole(world, "/?range=24h");
    const saved = page.getByRole("region", { name: "Saved by the cache" });
    await page.getByRole("region", { name: "Cost" }).waitFor();
    expect(await saved.count()).toBe(0);
    for (let count = 0; count < 3; count++)
      await (await world.gateway.chat(asking("OpenAI#gpt-5.4", OWN), CACHED)).text();
    await saved.getByText("2 answers from it").waitFor();
    expect(await saved.locator(".tile-value").innerText()).toMatch(/^\$0\.\d*[1-9]/);
    await leave();
  });
});
