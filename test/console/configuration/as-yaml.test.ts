// The pages of the configuration: where each value comes from, and a change as YAML with its verdict, which nobody applies.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { SECRET } from "../../webhooks/receiver.ts";
import { createOperator } from "../../whole/world/operator.ts";
import {
  type ConsoleWorld,
  findBarriers,
  HAS_BROWSER,
  isTooWide,
  openConsole,
  startConsoleWorld,
  VISIT_MS,
} from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

const LOOKS = [
  { colorScheme: "light", viewport: { width: 1440, height: 900 } },
  { colorScheme: "dark", viewport: { width: 390, height: 844 } },
] as const;
const RIGHT = "The check finds no mistake.";

let world: ConsoleWorld;
beforeAll(async () => {
  world = await startConsoleWorld({
    more: `quota: { requests_per_day: 77 }
webhooks: [{ url: "https://hooks.example.com/in", secret: "${SECRET}" }]
mcp: { servers: { docs: { url: "http://127.0.0.1:9/mcp" } } }`,
  });
});
afterAll(() => world.stop());

/** Opens a page's change as YAML, and fills its fields. */
async function propose(page: Page, button: string, fields: Readonly<Record<string, string>>) {
  await page.getByRole("main").getByRole("button", { name: button }).click();
  const dialog = page.getByRole("dialog");
  for (const [label, typed] of Object.entries(fields))
    await dialog.getByLabel(label, { exact: true }).fill(typed);
  return dialog;
}

describe.skipIf(!HAS_BROWSER)("a page of the configuration (skipped without Chromium)", () => {
  test.each(LOOKS)("shows the file and line of what is set, and what is a default, %j", async (look) => {
    const { page, open, leave } = await openConsole(world, "/settings/limits", look);
    const facts = page.locator("dl.facts").first();
    await facts
      .getByText(/\.yaml:\d+$/)
      .first()
      .waitFor();
    expect(await facts.innerText()).toMatch(/77 \S+\.yaml:\d+[\s\S]*one every 10 min default/);
    for (const [path, within] of [
      ["/settings/webhooks", "hooks.example.com"],
      ["/tools", "docs"],
      ["/settings/providers", "OpenAI"],
    ] as const) {
      await open(path);
      await page.getByRole("main").getByText(within).first().waitFor();
      // A provider's address stands behind the button for its credentials.
      if (within === "OpenAI") await page.getByRole("button", { name: "of OpenAI" }).click();
      await page
        .getByText(/\.yaml:\d+$/)
        .first()
        .waitFor();
      expect([path, await isTooWide(page)]).toEqual([path, false]);
    }
    await leave();
  });

  test.each(LOOKS)("writes a change to copy, with the verdict, and applies nothing, %j", async (look) => {
    const { page, leave } = await openConsole(world, "/settings/limits", look);
    const before = (await createOperator(world.gateway).get("/settings")).body;
    const dialog = await propose(page, "Change as YAML", { "Free requests per day": "100" });
    await dialog.getByText("Not applied: copy it into").waitFor();
    await dialog.getByText(RIGHT).waitFor();
    expect(await dialog.locator("pre").innerText()).toBe("quota:\n  requests_per_day: 100");
    await dialog.getByLabel("Beyond those, one every").fill("soon");
    await dialog.getByText(/Line 3:.*quota\.throttle/).waitFor();
    expect([await isTooWide(page), await findBarriers(page)]).toEqual([false, []]);
    await dialog.getByLabel("Beyond those, one every").fill("");
    await dialog.getByRole("button", { name: "Copy the code" }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("quota:\n  requests_per_day: 100");
    expect((await createOperator(world.gateway).get("/settings")).body).toEqual(before);
    await leave();
  });

  test("has the YAML of servers, tool servers, receivers and the sign-in", async () => {
    const { page, open, leave } = await openConsole(world);
    const rows = [
      [
        "/settings/providers",
        "Own server as YAML",
        {
          Name: "House",
          Address: "http://127.0.0.1:11434/v1",
          "Environment variable with its key": "local key",
          Models: "llama-4 qwen-3",
          "USD per million output tokens": "0.5",
        },
        `keys: ["\${LOCAL_KEY}"]`,
      ],
      [
        "/tools",
        "Server as YAML",
        {
          Name: "wiki",
          Address: "https://wiki.example.com/mcp",
          "Only these of its tools": "get_* !get_all",
        },
        'tools: ["get_*", "!get_all"]',
      ],
      [
        "/settings/webhooks",
        "Receiver as YAML",
        {
          "Environment variable with its address": "https://hooks.example.com/two",
          "Environment variable with the secret that signs": "HOOK_SECRET",
          Events: "budget.*",
        },
        'events: ["budget.*"]',
      ],
      [
        "/settings/people",
        "Write it with your values",
        { Issuer: "https://login.example.com", "Client id": "poundkey", "Group at the provider": "staff" },
        `client_secret: "\${OIDC_CLIENT_SECRET}"`,
      ],
    ] as const;
    for (const [path, button, fields, line] of rows) {
      await open(path);
      const dialog = await propose(page, button, fields);
      await dialog.getByText(RIGHT).waitFor();
      expect(await dialog.locator("pre").innerText()).toContain(line);
      expect([path, await findBarriers(page)]).toEqual([path, []]);
      await dialog.getByRole("button", { name: "Done" }).click();
    }
    await leave();
  });

  test("shows viewers where values come from, and no change", async () => {
    const operator = createOperator(world.gateway);
    const { secret } = (await operator.post("/tokens", { name: "looks", role: "viewer" })).body;
    const { page, leave } = await openConsole(world, "/settings/limits", {}, String(secret));
    await page
      .getByText(/\.yaml:\d+$/)
      .first()
      .waitFor();
    expect(await page.getByRole("button", { name: "Change as YAML" }).count()).toBe(0);
    await leave();
  });
});
