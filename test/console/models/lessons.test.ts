// A model's page in a browser: what its server was found to refuse is shown in words, pinned, and forgotten.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { IS_LONG } from "../../harness/long.ts";
import { answerGuarded } from "../../whole/world/guarded-upstream.ts";
import { createOperator } from "../../whole/world/operator.ts";
import { serveHttp, type TestServer } from "../../whole/world/serve.ts";
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

const MODEL = "House#guarded";
const LATE = [
  { role: "user", content: "Hello." },
  { role: "system", content: "It is noon." },
  { role: "user", content: "say: hi" },
];

let upstream: TestServer;
let world: ConsoleWorld;
beforeAll(async () => {
  upstream = await serveHttp(answerGuarded);
  world = await startConsoleWorld({
    more: `  House: { dialect: openai, keys: [k-1], base_url: "${upstream.url}", models: [{ name: guarded, context: 8192, output: 99, price: { input: 1, output: 1 } }] }`,
  });
});
afterAll(async () => {
  await world.stop();
  await upstream.stop();
});

describe.skipIf(!HAS_BROWSER || !IS_LONG)("a lesson (skipped without Chromium, and unless LONG=1)", () => {
  test("is pinned, and another one forgotten", async () => {
    expect((await world.gateway.chat({ model: MODEL, messages: LATE })).status).toBe(200);
    const { page, close } = await openConsole(world, `/models/${encodeURIComponent(MODEL)}`, {
      viewport: { width: 360, height: 740 },
    });
    await page.getByText("a system message anywhere but at the beginning").waitFor();
    await page.getByRole("button", { name: "Pin system_late" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Pin" }).click();
    await page.getByText("everybody (pinned)").waitFor();
    await page.getByRole("button", { name: "Forget system_several" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Forget" }).click();
    await page.getByText("system_late, -system_several").waitFor();
    expect([await findBarriers(page), await isTooWide(page)]).toEqual([[], false]);
    const { body } = await createOperator(world.gateway).get(`/models/${encodeURIComponent(MODEL)}`);
    expect(body.refuses).toEqual(["system_late", "-system_several"]);
    await close();
  });
});
