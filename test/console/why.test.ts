// The console answers "why" by ids: a search opens what a client quotes, and a refused request's key says what would help.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createOperator } from "../http/operator.ts";
import { until } from "../http/until.ts";
import { asking } from "../http/world.ts";
import {
  type ConsoleWorld,
  findBarriers,
  HAS_BROWSER,
  isTooWide,
  openConsole,
  startConsoleWorld,
} from "./visitor.ts";

/** A browser on a busy machine takes seconds. */
const WAIT_MS = 60_000;
const SESSION = "a-session-of-an-agent";

let world: ConsoleWorld;
let answered = { requestId: "", id: "" };
let key = { id: "", secret: "" };

beforeAll(async () => {
  world = await startConsoleWorld();
  const { gateway } = world;
  const answer = await gateway.chat(asking("OpenAI#gpt-5.4", "hello"), {
    headers: { "x-session-id": SESSION },
  });
  const { id } = await answer.json();
  answered = { requestId: answer.headers.get("x-request-id") ?? "", id };
  key = await gateway.newKey({ name: "capped", requests_per_minute: 1 });
  for (let at = 0; at < 3; at++) {
    const { secret } = key;
    await (await gateway.chat(asking("OpenAI#gpt-5.4", "hello"), { secret })).text();
  }
  await until("the refusals are written", async () => {
    const { body } = await createOperator(gateway).get(`/refusals?key=${key.id}`);
    return Array.isArray(body.data) && body.data.length > 0;
  });
}, WAIT_MS);
afterAll(() => world.stop());

describe.skipIf(!HAS_BROWSER)("why (skipped without Chromium)", () => {
  test(
    "Ctrl+K and a request's id open its page, with its provider and where it came from",
    async () => {
      const { page, leave } = await openConsole(world);
      await page.keyboard.press("Control+k");
      await page.getByRole("searchbox", { name: "Id, last 4 characters or name" }).fill(answered.requestId);
      await page.getByRole("list", { name: "Results" }).getByRole("link").click();
      await page.getByRole("heading", { name: "Timeline" }).waitFor();
      expect(page.url()).toEndWith(`#/activity/${answered.id}`);
      await page.getByRole("link", { name: "127.0.0.1" }).waitFor();
      await page.getByRole("link", { name: "OpenAI", exact: true }).waitFor();
      await leave();
    },
    WAIT_MS,
  );

  test.each([1280, 360])(
    "a key's last four open its page, which says why it is refused and where it is used from, %p px",
    async (width) => {
      const { page, open, leave } = await openConsole(world, { viewport: { width, height: 740 } });
      await open(`/search?q=${key.secret.slice(-4)}`);
      await page.getByRole("link", { name: "capped" }).click();
      await page.getByRole("table", { name: "Addresses" }).getByText("127.0.0.1").waitFor();
      const refused = page.getByRole("table", { name: "Refused requests" });
      await refused.getByText("429 requests_per_minute_exceeded").waitFor();
      await refused.getByText("requests per minute of the key: 1 of 1 used").waitFor();
      await refused.getByText("Send fewer requests a minute, or raise the limit.").waitFor();
      expect(await findBarriers(page)).toEqual([]);
      expect(await isTooWide(page)).toBe(false);
      await leave();
    },
    WAIT_MS,
  );

  test(
    "a session that the search finds narrows the log, and the filter can be removed",
    async () => {
      const { page, open, leave } = await openConsole(world);
      await open(`/activity?session=${SESSION}`);
      const rows = page.getByRole("table", { name: "Requests" }).locator("tbody tr");
      await page.getByRole("button", { name: SESSION }).waitFor();
      await until("one row is shown", async () => (await rows.count()) === 1);
      await page.getByRole("button", { name: SESSION }).click();
      await until("both are shown", async () => (await rows.count()) === 2);
      await leave();
    },
    WAIT_MS,
  );
});
