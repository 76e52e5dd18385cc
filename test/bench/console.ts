// The time until each console page shows its data with 100,000 logged requests, in a browser: `bun
// test/bench/console.ts`.
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { HAS_BROWSER, openConsole, startConsoleWorld } from "../console/visitor.ts";
import type { UnderTest } from "../harness/harness.ts";

const REQUESTS = 100_000;
const HOURS = 720;
const ROUNDS = 5;
const MODELS = ["OpenAI#gpt-5.4", "Anthropic#claude-sonnet-5", "Google#gemini-3.5-flash", "Router#best"];

/** Each page, with an element that appears once the page has its data. */
const PAGES = [
  ["/", ".tile-value"],
  ["/?range=90d", ".tile-value"],
  ["/activity", "tbody tr"],
  ["/activity?status=error", "tbody tr"],
  ["/activity?model=OpenAI%23gpt-5.4", "tbody tr"],
  ["/models", "tbody tr"],
  ["/playground", ".lane"],
  ["/settings/router", "tbody tr"],
  ["/settings/providers", ".provider-row"],
  ["/settings/accounts", "tbody tr"],
  ["/settings/limits", ".facts"],
] as const;

/** Real requests through the gateway, then copies of their rows over a month, with matching hourly sums. */
async function fill(gateway: UnderTest): Promise<void> {
  for (let count = 0; count < 40; count++) {
    const model = count % 8 === 7 ? "OpenAI#sim-mini~trouble=500" : MODELS[count % MODELS.length];
    const answer = await gateway.chat({ model, messages: [{ role: "user", content: `Say ${count}.` }] });
    await answer.text();
  }
  await gateway.halt();
  const file = new Database(join(gateway.directory, "poundkey.db"));
  const namesOf = (table: string) =>
    file
      .query<{ name: string }, []>(`SELECT name FROM pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => name);
  const copied = (table: string, changed: Readonly<Record<string, string>>) => {
    const names = namesOf(table);
    const values = names.map((name) => changed[name] ?? name);
    return `INSERT OR IGNORE INTO ${table} (${names.join(", ")}) SELECT ${values.join(", ")} FROM ${table}`;
  };
  file.run("CREATE TEMP TABLE first AS SELECT id FROM request");
  const month = HOURS * 3_600_000;
  const id = "'chatcmpl-' || lower(hex(randomblob(16)))";
  const copy = file.query(
    `${copied("request", { id, at_ms: `at_ms - abs(random() % ${month})` })} WHERE id IN (SELECT id FROM first)`,
  );
  const rows = () =>
    file.query<{ count: number }, []>("SELECT count(*) AS count FROM request").get()?.count ?? 0;
  while (rows() < REQUESTS) copy.run();
  const latest = "(SELECT max(hour_ms) FROM hourly_usage)";
  for (const table of ["hourly_usage", "first_token_hour"]) {
    for (let back = 1; back < HOURS; back++) {
      file.run(`${copied(table, { hour_ms: `hour_ms - ${back * 3_600_000}` })} WHERE hour_ms = ${latest}`);
    }
  }
  file.close();
}

if (!HAS_BROWSER) throw new Error("no Chromium was found");
const world = await startConsoleWorld();
await fill(world.gateway);
const again = await world.gateway.another();
const gateway = { ...world.gateway, url: again.url };
const { page, open, close } = await openConsole({ ...world, gateway });
console.log(
  `${REQUESTS} requests in the log; milliseconds until a page shows its data, ${ROUNDS} visits each:`,
);
for (const [path, shows] of PAGES) {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await open("/nowhere");
    await page.getByText("Page not found").waitFor();
    const startMs = performance.now();
    await open(path);
    await page.locator(shows).first().waitFor();
    times.push(Math.round(performance.now() - startMs));
  }
  console.log(`${path.padEnd(36)} first ${String(times[0]).padStart(4)}, most ${Math.max(...times)}`);
}
await close();
await again.stop();
await world.stop();
