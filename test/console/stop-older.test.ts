// A change in the console that nodes of an older program wouldn't keep: it names them, and only operators may let it through.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { asObject } from "../../src/core/json/json.ts";
import { NodeLock } from "../../src/store/sqlite/node-lock.ts";
import {
  type ConsoleWorld,
  findBarriers,
  HAS_BROWSER,
  isTooWide,
  openConsole,
  startConsoleWorld,
  VISIT_MS,
} from "./visitor.ts";

setDefaultTimeout(VISIT_MS);

/** A node of 1.2 is known by its lock alone. */
const OLDER = "node_0123456789abcdef";
const QUESTION = "Stop nodes of an older program?";

let world: ConsoleWorld;
let older: NodeLock;
beforeAll(async () => {
  world = await startConsoleWorld();
  older = new NodeLock(join(world.gateway.directory, "poundkey.db"), OLDER);
  older.acquire();
});
afterAll(async () => {
  older.release();
  await world.stop();
});

async function post(path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(`${world.gateway.url}/admin/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${world.gateway.adminToken}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return asObject(await response.json());
}

/** Signs in with a token of the role, and sends the form of a new key with a limit on some models. */
async function sendKey(role: string) {
  const { secret } = await post("/tokens", { name: role, role });
  const look = { viewport: { width: 360, height: 740 } };
  const visitor = await openConsole(world, "/settings/router", look, String(secret));
  const { page } = visitor;
  await page.getByRole("button", { name: "Add New Key" }).first().click();
  const form = page.getByRole("dialog", { name: "Add New Key" });
  await form.getByLabel("Name", { exact: true }).fill(`of ${role}`);
  await form.getByText("More: models, expiry").click();
  await form.getByLabel(/limits on some models/i).fill("3 requests: Sim#sim-large");
  await form.getByRole("button", { name: "Create key" }).click();
  return { ...visitor, form, question: page.getByRole("dialog", { name: QUESTION }) };
}

describe.skipIf(!HAS_BROWSER)("nodes of an older program (skipped without Chromium)", () => {
  test("a manager is told which they are, and has no way past them", async () => {
    const { form, question, close } = await sendKey("manager");
    await form.getByRole("alert").filter({ hasText: OLDER }).waitFor();
    expect(await question.count()).toBe(0);
    await close();
  });

  test("an operator is told what stopping them does, may leave them, and else makes the change at once", async () => {
    const { page, form, question, close } = await sendKey("operator");
    await question.getByText(OLDER).waitFor();
    await question.getByText("refuse every request from then on").waitFor();
    expect([await findBarriers(page), await isTooWide(page)]).toEqual([[], false]);
    await question.getByRole("button", { name: "Leave them running" }).click();
    await form.getByRole("alert").filter({ hasText: OLDER }).waitFor();
    await form.getByRole("button", { name: "Create key" }).click();
    await question.getByRole("button", { name: "Stop them and save" }).click();
    await page.getByRole("heading", { name: "of operator is ready" }).waitFor();
    await close();
  });
});
