// A model that pauses for one account, as the console shows it to an admin and to a viewer.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { asObject } from "../../../src/core/json/json.ts";
import {
  PAUSED_MODEL,
  pauseTemplate,
  serveTemplate,
  writeTemplate,
} from "../../whole/failures/paused-model.ts";
import { createOperator } from "../../whole/world/operator.ts";
import type { TestServer } from "../../whole/world/serve.ts";
import {
  type ConsoleWorld,
  HAS_BROWSER,
  isTooWide,
  openConsole,
  startConsoleWorld,
  VISIT_MS,
} from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

const WIDTHS = [1440, 375] as const;
const PAGES = [
  "/settings/providers",
  "/settings/providers/Template",
  `/models/${encodeURIComponent(PAUSED_MODEL)}`,
];

let server: TestServer;
let robot = { id: "", secret: "" };
let world: ConsoleWorld;

beforeAll(async () => {
  server = await serveTemplate();
  world = await startConsoleWorld({ more: writeTemplate(server) });
  const account_id = await world.gateway.newAccount("Robots");
  robot = await world.gateway.newKey({ name: "Arm", account_id, requests_per_day: null });
  await pauseTemplate(world.gateway, robot.secret);
});
afterAll(async () => {
  await world.stop();
  await server.stop();
});

describe.skipIf(!HAS_BROWSER)("a model that pauses for some (skipped without Chromium)", () => {
  test.each(WIDTHS)("names the key and its account to an admin, with links to them, %p px", async (width) => {
    const { page, open, leave } = await openConsole(world, "/", { viewport: { width, height: 900 } });
    for (const path of PAGES) {
      await open(path);
      const notice = page.locator(".notice", { hasText: "Paused for some: Arm in Robots." });
      await notice.first().waitFor();
      expect(await notice.first().getByRole("link", { name: "Arm" }).getAttribute("href")).toContain(
        robot.id,
      );
      expect(await notice.first().getByRole("link", { name: "Robots" }).getAttribute("href")).toContain(
        "acct_",
      );
      await page.locator(".badge", { hasText: "paused for some" }).first().waitFor();
      expect(await isTooWide(page)).toBe(false);
    }
    await leave();
  });

  test("names no account to a viewer", async () => {
    const { body } = await createOperator(world.gateway).post("/tokens", { name: "eyes", role: "viewer" });
    const visitor = await openConsole(world, "/", {}, String(asObject(body).secret));
    for (const path of PAGES) {
      await visitor.open(path);
      await visitor.page.getByText(": a few members or service keys.").first().waitFor();
      expect(await visitor.page.getByRole("link", { name: "Robots" }).count()).toBe(0);
    }
    await visitor.leave();
  });
});
