// The manual for its reader in a browser: examples name a key of those who are signed in, and an address that leads nowhere
// suggests others.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import {
  type ConsoleWorld,
  findBarriers,
  HAS_BROWSER,
  newVisitor,
  openConsole,
  startConsoleWorld,
  VISIT_MS,
} from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

let world: ConsoleWorld;
let secret = "";

beforeAll(async () => {
  world = await startConsoleWorld();
  ({ secret } = await world.gateway.newKey({ name: "My <b>app" }));
});

afterAll(() => world.stop());

function listAsked(page: Page): readonly string[] {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  return asked;
}

describe.skipIf(!HAS_BROWSER)("the manual's reader (skipped without Chromium)", () => {
  test("who never signed in sees a placeholder, and nothing is asked", async () => {
    const { page, leave } = await newVisitor(world, {}, "/docs");
    const asked = listAsked(page);
    await page.goto(`${world.gateway.url}/docs/client-claude-code`);
    await page.getByText("ANTHROPIC_AUTH_TOKEN=sk-…").waitFor();
    expect(await page.locator(".own-key").count()).toBe(0);
    expect(asked.filter((path) => path.startsWith("/admin/"))).toEqual([]);
    await leave();
  });

  test("who is signed in sees which key is meant, and never a secret", async () => {
    const { page, leave } = await openConsole(world);
    const last4 = secret.slice(-4);
    await page.goto(`${world.gateway.url}/docs/client-claude-code`);
    const note = page.getByText(`$POUNDKEY_KEY is the secret of the key My <b>app (…\u2060${last4}).`);
    await note.first().waitFor();
    await page
      .getByText(`ANTHROPIC_BASE_URL=${world.gateway.url} ANTHROPIC_AUTH_TOKEN=$POUNDKEY_KEY`)
      .waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole("button", { name: "Copy" }).first().click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(
      "ANTHROPIC_AUTH_TOKEN=$POUNDKEY_KEY",
    );
    // Programs put no variable in the place of its name.
    await page.goto(`${world.gateway.url}/docs/client-openai-sdk`);
    await page.getByText(`sk-… is the secret of the key My <b>app (…\u2060${last4}).`).first().waitFor();
    expect(await page.content()).not.toContain(secret);
    // A key of a provider's isn't meant.
    await page.goto(`${world.gateway.url}/docs/getting-started`);
    await page.locator(".own-key").first().waitFor();
    await page.getByText("OPENAI_API_KEY=sk-… npm start").waitFor();
    // A page without keys asks for none.
    const asked = listAsked(page);
    await page.goto(`${world.gateway.url}/docs/glossary`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(asked.filter((path) => path.startsWith("/admin/"))).toEqual([]);
    await leave();
  });

  test("a misspelt address suggests what the search finds for its words", async () => {
    const { page, complaints, close } = await newVisitor(world, {}, "/docs/client-cluade-code");
    const suggested = page.locator(".suggested");
    await suggested
      .getByRole("link", { name: /^Claude Code/ })
      .first()
      .waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await suggested.getByRole("link").first().click();
    await page.getByRole("heading", { level: 1, name: "Claude Code" }).waitFor();
    await page.goto(`${world.gateway.url}/docs/xyzzy`);
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    expect(await suggested.isHidden()).toBe(true);
    // The two pages themselves are missing.
    expect(complaints.filter((one) => !one.includes("404"))).toEqual([]);
    await close();
  });
});
