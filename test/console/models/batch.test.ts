// The page of a batch, and the bar of its lines: what became of them, why it waits, its mistakes, costs and files.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { chatLine, createBatch, makeClients, waitForEnd } from "../../whole/batches/batch-bench.ts";
import { addShown, type Shown } from "../batch-states.ts";
import { type PeopleWorld, PHONE, startPeopleWorld } from "../people.ts";
import {
  findBarriers,
  HAS_BROWSER,
  isTooWide,
  openConsole,
  startConsoleWorld,
  VISIT_MS,
} from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

const NANO = 1e9;
const MISTAKES = Array.from({ length: 100 }, (_, at) => ({
  code: "duplicate_custom_id",
  message: `The custom_id 'a-${at}' is there twice.`,
  param: "custom_id",
  line: at + 1,
}));

const SHOWN = {
  cancelled: { status: "cancelled", counts: { total: 95_000, cancelled: 95_000 } },
  ceiling: {
    status: "completed",
    counts: { total: 900, completed: 154, failed: 3, unpaid: 743 },
    usd: 0.9,
    maxCostNanoUsd: NANO,
    metadata: { team: "search" },
  },
  revoked: {
    status: "cancelled",
    wait: "invalid_api_key",
    counts: { total: 10, completed: 4, cancelled: 6 },
  },
  unanswered: { status: "completed", counts: { total: 3, failed: 3 } },
  failed: { status: "failed", errors: MISTAKES, estimatedNanoUsd: null, worstNanoUsd: null },
} as const satisfies Readonly<Record<string, Shown>>;

let world: PeopleWorld;
const ids = new Map<string, string>();

beforeAll(async () => {
  world = await startPeopleWorld();
  const added = await addShown(world, Object.values(SHOWN));
  for (const [at, name] of Object.keys(SHOWN).entries()) ids.set(name, added[at] ?? "");
});
afterAll(() => world.stop());

/** Returns the shares of the bar by outcome, in percent, without what is left of its lines. */
const measureBar = (page: Page, label: string | RegExp) =>
  page.getByRole("img", { name: label }).evaluate((bar) => {
    const whole = bar.getBoundingClientRect().width;
    return Object.fromEntries(
      [...bar.children].map((part) => [
        part.className,
        Math.round((part.getBoundingClientRect().width / whole) * 100),
      ]),
    );
  });

describe.skipIf(!HAS_BROWSER)("a batch (skipped without Chromium)", () => {
  test("of which no line was answered has a bar without the colour of answers, in the list and on its page", async () => {
    const { page, leave } = await openConsole(world, "/batches");
    const label = "Of 95,000 lines: 95,000 cancelled";
    await page.getByRole("img", { name: label }).waitFor();
    expect(await measureBar(page, label)).toEqual({ "outcome-cancelled": 100 });
    await page.getByRole("row").filter({ hasText: "95,000 cancelled" }).getByRole("link").click();
    await page.getByRole("heading", { name: "Batch", exact: true }).waitFor();
    expect(page.url()).toEndWith(`#/batches/${ids.get("cancelled")}`);
    expect(await measureBar(page, label)).toEqual({ "outcome-cancelled": 100 });
    await leave();
  });

  test("that is completed without an answer isn't shown as a success", async () => {
    const { page, open, leave } = await openConsole(world, `/batches/${ids.get("unanswered")}`);
    const badge = page.getByText("completed, none answered", { exact: true });
    expect(await badge.getAttribute("class")).toContain("bad");
    await open(`/batches/${ids.get("ceiling")}`);
    expect(await page.getByText("completed", { exact: true }).first().getAttribute("class")).toContain(
      "warn",
    );
    await leave();
  });

  test("shows lines by outcome, its cost against the ceiling, its metadata, and leads to its requests", async () => {
    const { page, leave } = await openConsole(world, `/batches/${ids.get("ceiling")}`);
    const legend = page.getByRole("list", { name: "Lines by outcome" }).getByRole("listitem");
    await legend.first().waitFor();
    expect(await legend.allInnerTexts()).toEqual(["154 answered", "3 failed", "743 beyond the ceiling"]);
    const bar = await measureBar(page, "Of 900 lines: 154 answered, 3 failed, 743 beyond the ceiling");
    expect(bar).toMatchObject({ "outcome-answered": 17, "outcome-unpaid": 82 });
    await page.getByRole("img", { name: "$0.90 of the ceiling of $1.00" }).waitFor();
    const facts = (await page.locator("dl.facts").allInnerTexts()).join("\n").replaceAll(/\n+/g, " ");
    for (const words of [
      "Until now $0.90",
      "Expected $12.40",
      "At worst $80.00",
      "Ceiling $1.00",
      "team search",
    ])
      expect(facts).toContain(words);
    const requests = page.getByRole("link", { name: "Its requests" });
    expect(await requests.getAttribute("href")).toBe(`#/activity?batch=${ids.get("ceiling")}`);
    await leave();
  });

  test("shows the first mistakes of its file, all that are kept when asked, and where the others are", async () => {
    const { page, leave } = await openConsole(world, `/batches/${ids.get("failed")}`);
    const rows = page.getByRole("table", { name: "Mistakes" }).locator("tbody tr");
    await rows.first().waitFor();
    expect(await rows.count()).toBe(10);
    await page.getByText(/^The first 100\. Only these are kept/).waitFor();
    await page.getByRole("button", { name: "Show all 100" }).click();
    await rows.filter({ hasText: "a-99" }).waitFor();
    expect(await rows.count()).toBe(100);
    await leave();
  });

  test("that was cancelled with its key says so, and not that it waits", async () => {
    const { page, open, leave } = await openConsole(world, `/batches/${ids.get("revoked")}`);
    await page.getByText("invalid_api_key: The key that made this batch was revoked.").waitFor();
    expect(await page.getByText(/waiting|goes on/).count()).toBe(0);
    await open("/batches");
    const row = page.getByRole("row").filter({ hasText: "was revoked" });
    await row.getByText("cancelled", { exact: true }).waitFor();
    expect(await row.getByText(/waiting|goes on/).count()).toBe(0);
    await leave();
  });

  test("that waits names the models, and until when", async () => {
    const idle = await startConsoleWorld({ more: "batches: { parallel: 0 }" });
    try {
      const models = ["OpenAI#gpt-4.1-mini", "Mistral#mistral-large-latest"];
      const counts = { total: 10, completed: 4 };
      const [id] = await addShown(idle, [{ wait: "no_provider_available", models, counts }]);
      const { page, leave } = await openConsole(idle, `/batches/${id}`);
      const links = page.getByRole("list", { name: "Models that lines wait for" }).getByRole("link");
      await links.first().waitFor();
      expect(await links.allInnerTexts()).toEqual(models);
      await page.getByText("waiting", { exact: true }).waitFor();
      await page.getByText(/Lines for a model without an answer end in (5 h|6 h)/).waitFor();
      await leave();
    } finally {
      await idle.stop();
    }
  });

  test("can be read in both themes, and on a phone without scrolling sideways", async () => {
    for (const look of [{ colorScheme: "light" }, { colorScheme: "dark", ...PHONE }] as const) {
      const { page, open, leave } = await openConsole(world, "/", look);
      for (const id of ids.values()) {
        await open(`/batches/${id}`);
        await page.getByText(id).waitFor();
        expect([id, await findBarriers(page), await isTooWide(page)]).toEqual([id, [], false]);
      }
      await leave();
    }
  });

  test("gives its files to the person whose key made it, and to nobody else", async () => {
    const id = await world.add("Mia", [{ role: "member", accountId: "default" }]);
    const { page, open, leave } = await world.openAs(id);
    const secret = await page.evaluate(async () => {
      const body = JSON.stringify({ name: "Mia's" });
      const headers = { "content-type": "application/json" };
      const made = await fetch("/admin/v1/keys", { method: "POST", headers, body });
      return String((await made.json()).secret);
    });
    const { openai } = makeClients(world.gateway.url, secret);
    const batch = await waitForEnd(openai, await createBatch(openai, [chatLine("only", "say: here it is")]));
    expect(batch.request_counts).toEqual({ total: 1, completed: 1, failed: 0 });
    await open(`/batches/${batch.id}`);
    const link = page.getByRole("link", { name: "Download answers" });
    const started = page.waitForEvent("download");
    await link.click();
    const stream = await (await started).createReadStream();
    const text = await new Response(stream as never).text();
    expect(text).toContain("here it is");
    await leave();
    const operator = await openConsole(world);
    await operator.open(`/batches/${batch.id}`);
    await operator.page.getByRole("table", { name: "Files" }).getByText("Answers").waitFor();
    expect(await operator.page.getByRole("link", { name: /Download/ }).count()).toBe(0);
    const path = `${world.gateway.url}/admin/v1/files/${batch.output_file_id}/content`;
    const headers = { authorization: `Bearer ${world.gateway.adminToken}` };
    const refused = await fetch(path, { headers });
    expect([refused.status, await refused.json()]).toMatchObject([403, { error: { code: "not_permitted" } }]);
    await operator.leave();
  });
});
