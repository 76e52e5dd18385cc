// The operator's first hour in a browser: a key is created, copied, used, shown and revoked, and an account topped up.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { until } from "../whole/world/until.ts";
import {
  type ConsoleWorld,
  HAS_BROWSER,
  newVisitor,
  openConsole,
  signIn,
  startConsoleWorld,
  VISIT_MS,
  type Visitor,
} from "./visitor.ts";

setDefaultTimeout(VISIT_MS);

let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld();
});

afterAll(() => world.stop());

/** Fills in the form of a new key. Returns the secret from the clipboard. */
async function addKey({ page, open }: Visitor, name: string): Promise<string> {
  await open("/settings/router");
  await page.getByRole("button", { name: "Add New Key" }).click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("heading", { name: `${name} is ready` }).waitFor();
  await page.getByRole("button", { name: "Copy key" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const secret = await page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole("button", { name: "Done" }).click();
  return secret;
}

const ask = (secret: string, model = "OpenAI#gpt-5.4") =>
  world.gateway.chat({ model, stream: true, messages: [{ role: "user", content: "Hello!" }] }, { secret });

describe.skipIf(!HAS_BROWSER)("the operator (skipped without Chromium)", () => {
  test("sees that a token is wrong, signs in, stays signed in and signs out", async () => {
    const visitor = await newVisitor(world);
    const { page, complaints } = visitor;
    await signIn(visitor, "not the token");
    await page.getByText("Incorrect admin token.").waitFor();
    await signIn(visitor, world.gateway.secret);
    await page.getByText("this is a key for requests to models").waitFor();
    await signIn(visitor, world.gateway.adminToken);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    const status = await page.evaluate(() => fetch("/admin/v1/keys").then((response) => response.status));
    expect(status).toBe(401);
    // The browser itself reports the two answers with 401.
    expect(complaints.filter((one) => !one.includes("401"))).toEqual([]);
    await visitor.close();
  });

  test("adds a key, copies it, uses it, and sees that in Activity, Overview and the key's row", async () => {
    const visitor = await openConsole(world);
    const { page, open } = visitor;
    const secret = await addKey(visitor, "web-frontend");
    expect(secret).toStartWith("sk-");
    await open("/activity");
    await page.getByText("Live", { exact: true }).waitFor();
    const answer = await ask(secret);
    expect(answer.status).toBe(200);
    await answer.text();
    // It appears without a reload.
    const row = page.getByRole("row").filter({ hasText: "web-frontend" });
    await row.getByText("gpt-5.4").waitFor();
    await row.getByRole("link").click();
    await page.getByRole("heading", { name: "Timeline" }).waitFor();
    await page.getByText("1. OpenAI#gpt-5.4").waitFor();
    await page.getByRole("table", { name: "Cost by line" }).getByText("Prompt").waitFor();
    await open("/");
    await page.getByRole("region", { name: "Requests" }).getByText("1", { exact: true }).waitFor();
    await page.getByRole("row").filter({ hasText: "OpenAI#gpt-5.4" }).waitFor();
    await open("/settings/router");
    const keyRow = page.getByRole("row").filter({ hasText: "web-frontend" });
    await keyRow.getByText("1 of 200").waitFor();
    await keyRow.getByText("just now").waitFor();
    await visitor.leave();
  });

  test("changes a key's limits and revokes it, after which it gets 401", async () => {
    const visitor = await openConsole(world);
    const { page } = visitor;
    const secret = await addKey(visitor, "to-be-revoked");
    const row = page.getByRole("row").filter({ hasText: "to-be-revoked" });
    await row.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Daily allowance", { exact: true }).selectOption({ label: "Custom" });
    await page.getByLabel("Free requests per day").fill("7");
    await page.getByLabel("Allowed models").fill("gpt-5.4-mini");
    await page.getByRole("button", { name: "OpenAI#gpt-5.4-mini" }).click();
    await page.getByLabel("Allowed models").fill("Mistral#*");
    await page.getByRole("button", { name: "Mistral#*", exact: true }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await row.getByText("0 of 7").waitFor();
    expect((await ask(secret)).status).toBe(403);
    await row.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("button", { name: "Revoke key" }).click();
    await row.getByText("revoked", { exact: true }).waitFor();
    expect((await ask(secret, "OpenAI#gpt-5.4-mini")).status).toBe(401);
    await visitor.close();
  });

  test("pauses a key, rotates its secret, limits its addresses and notes why", async () => {
    const visitor = await openConsole(world);
    const { page } = visitor;
    const first = await addKey(visitor, "to-be-rotated");
    const row = page.getByRole("row").filter({ hasText: "to-be-rotated" });
    await row.getByRole("button", { name: "Pause" }).click();
    await row.getByText("paused", { exact: true }).waitFor();
    expect((await ask(first)).status).toBe(403);
    await page.getByLabel("State").selectOption("paused");
    await row.getByRole("button", { name: "Resume" }).click();
    await row.waitFor({ state: "detached" });
    await page.getByLabel("State").selectOption("");
    await row.getByText("active", { exact: true }).waitFor();
    await row.getByRole("button", { name: "Rotate" }).click();
    await page.getByLabel("The old secret works").selectOption("For an hour");
    await page.getByRole("dialog").getByRole("button", { name: "Rotate key" }).click();
    await page.getByText("The old one works until").waitFor();
    await page.getByRole("button", { name: "Copy key" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const second = await page.evaluate(() => navigator.clipboard.readText());
    await page.getByRole("button", { name: "Done" }).click();
    await row.getByText("old secret ends in").waitFor();
    expect(second).not.toBe(first);
    // A pause that has ended may still be remembered for half a second.
    await until("the old secret works again", async () => (await ask(first)).status === 200);
    expect((await ask(second)).status).toBe(200);
    await row.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Notes").fill("Ask Ann");
    await page.getByLabel("Allowed addresses").fill("10.0.0.0/8, nonsense");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Invalid 'allowed_addresses[1]'").waitFor();
    await page.getByLabel("Allowed addresses").fill("10.0.0.0/8 192.0.2.1");
    await page.getByRole("button", { name: "Save" }).click();
    await row.getByTitle("Ask Ann").waitFor();
    expect((await ask(second)).status).toBe(403);
    await row.getByRole("button", { name: "Edit" }).click();
    expect(await page.getByLabel("Allowed addresses").inputValue()).toBe("10.0.0.0/8 192.0.2.1");
    await visitor.close();
  });

  test("tops up an account and sees the balance and the journal", async () => {
    const visitor = await openConsole(world);
    const { page, open } = visitor;
    await open("/settings/accounts");
    await page.getByRole("button", { name: "Add account" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Research");
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByRole("button", { name: "Top up Research" }).click();
    await page.getByLabel("Amount in USD").fill("12.5");
    await page.getByLabel("Note").fill("Invoice 7");
    await page.getByRole("button", { name: "Top up", exact: true }).click();
    const row = page.getByRole("row").filter({ hasText: "Research" });
    await row.getByText("$12.50").waitFor();
    await row.getByRole("link").click();
    await page.getByRole("region", { name: "Balance" }).getByText("$12.50").waitFor();
    await page.getByRole("row").filter({ hasText: "Invoice 7" }).getByText("+$12.50").waitFor();
    await visitor.leave();
  });

  test("adds, tests, replaces and removes a provider's credential", async () => {
    const visitor = await openConsole(world);
    const { page, open } = visitor;
    await open("/settings/providers");
    const card = page.getByRole("region", { name: "Mistral", exact: true });
    await card.getByRole("button", { name: "1 credential of Mistral" }).click();
    await card.getByText("from the configuration").waitFor();
    await card.getByRole("button", { name: "Add credential" }).click();
    await page.getByLabel("Mistral API key").fill("sim-key-second");
    await page.getByRole("dialog").getByRole("button", { name: "Add credential" }).click();
    const added = card.getByRole("listitem").filter({ hasText: "added here" });
    // It is tried while it is added.
    await page.getByRole("dialog").getByText("It works").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
    await added.getByText("••••cond").waitFor();
    await added.getByRole("button", { name: "Test" }).click();
    await added.getByText("It works").waitFor();
    await added.getByRole("button", { name: "Replace" }).click();
    await page.getByLabel("Mistral API key").fill("bad-key-0000");
    await page.getByRole("dialog").getByRole("button", { name: "Replace" }).click();
    await page.getByRole("dialog").getByRole("alert").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
    await added.getByText("••••0000").waitFor();
    await added.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await added.waitFor({ state: "detached" });
    await visitor.leave();
  });
});
