// Signing in to the console with the company's provider, in a real browser, through the provider's own pages.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type SignInWorld, startSignInWorld } from "../../people/sign-in/world.ts";
import { type ConsoleWorld, HAS_BROWSER, newVisitor, startBrowser, VISIT_MS } from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

let world: SignInWorld;
let console: ConsoleWorld;
beforeAll(async () => {
  world = await startSignInWorld();
  world.provider.people.set("ada", { name: "Ada", groups: ["platform"] });
  console = {
    gateway: { ...world.gateway, url: world.url },
    browser: await startBrowser(),
    stop: world.stop,
  };
});
afterAll(async () => {
  await console.browser?.close();
  await world.stop();
});

describe.skipIf(!HAS_BROWSER)("a person (skipped without Chromium)", () => {
  test("signs in with the provider, stays signed in, and signs out", async () => {
    const { page, close, complaints } = await newVisitor(console);
    await page.getByRole("link", { name: `Sign in with ${new URL(world.provider.issuer).host}` }).click();
    await page.locator('input[name="login"]').fill("ada");
    await page.locator('input[name="password"]').fill("any");
    await page.locator('button[type="submit"]').click();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(page.url()).toStartWith(`${world.url}/`);
    await page.getByRole("link", { name: "People", exact: true }).click();
    const rules = page.getByRole("table", { name: "Rules of the sign-in" });
    await rules.getByRole("row").filter({ hasText: "watchers" }).getByText("viewer").waitFor();
    await page.getByRole("button", { name: "Rule as YAML" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Group at the provider").fill("finance");
    await dialog.getByLabel("Role here").selectOption("billing");
    await dialog.getByText("The check finds no mistake.").waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.getByRole("link", { name: "Overview", exact: true }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    // The provider's pages ask for an icon that they don't have. Requests under way as the session ends are refused.
    const own = complaints.filter((one) => one.includes(world.url) && !one.includes("401 (Unauthorized)"));
    expect(own).toEqual([]);
    await close();
  });
});
