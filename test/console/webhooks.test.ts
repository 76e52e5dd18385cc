// The page of webhooks: an event that its receiver refused, why, and sending it again by a click.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { SECRET, startReceiver, verify } from "../webhooks/receiver.ts";
import { until } from "../whole/world/until.ts";
import { type ConsoleWorld, HAS_BROWSER, openConsole, startConsoleWorld, VISIT_MS } from "./visitor.ts";

setDefaultTimeout(VISIT_MS);

const receiver = startReceiver();
let world: ConsoleWorld;

beforeAll(async () => {
  receiver.answer = () => new Response(null, { status: 500 });
  world = await startConsoleWorld({
    more: `webhooks: [{ url: "${receiver.url}", secret: "${SECRET}", events: ["key.created"] }]`,
  });
});

afterAll(async () => {
  await world.stop();
  await receiver.stop();
});

describe.skipIf(!HAS_BROWSER)("webhooks (skipped without Chromium)", () => {
  test("an event that was refused is sent again by a click, and leaves the list once it is accepted", async () => {
    // The next attempt of its own is minutes later.
    await until("the receiver refused it twice", () => receiver.received.length >= 2);
    const { page, leave } = await openConsole(world, "/settings/webhooks");
    const row = page
      .getByRole("table", { name: "Deliveries" })
      .getByRole("row")
      .filter({ hasText: "status 500" });
    await row.getByText("key.created", { exact: true }).waitFor();
    await row.getByText("waiting").waitFor();
    await row.getByText(new URL(receiver.url).host).waitFor();
    expect(await page.getByText("hush").count()).toBe(0);
    receiver.answer = () => new Response(null, { status: 204 });
    await row.getByRole("button", { name: "Send again" }).click();
    await page.getByText("key.created is sent to").waitFor();
    await page.getByRole("heading", { name: "Nothing waits" }).waitFor();
    expect(receiver.received.length).toBe(3);
    const first = receiver.received[0];
    const last = receiver.received.at(-1);
    if (!first || !last) throw new Error("Nothing was received.");
    expect([last.id, verify(last)]).toEqual([first.id, verify(first)]);
    await leave();
  });

  test("the receivers are listed, and each is tested by a click that shows its answer", async () => {
    receiver.answer = () => new Response(null, { status: 401 });
    const { page, leave } = await openConsole(world, "/settings/webhooks");
    const row = page
      .getByRole("table", { name: "Receivers" })
      .getByRole("row")
      .filter({ hasText: new URL(receiver.url).host });
    await row.getByText("standard, signed").waitFor();
    await row.getByRole("button", { name: "Send a test" }).click();
    await row.getByText("status 401").waitFor();
    receiver.answer = () => new Response(null, { status: 204 });
    await row.getByRole("button", { name: "Send a test" }).click();
    await row.getByText("accepted (204)").waitFor();
    await leave();
  });
});
