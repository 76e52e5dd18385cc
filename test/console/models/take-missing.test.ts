// A model that clients ask for, that the program doesn't have and the watched list has: a click in the console takes it, and the
// running gateway serves it.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { asObject } from "../../../src/core/json/json.ts";
import { ROW } from "../../cli/catalogue-run.ts";
import { newPlace, type Serving, startServe } from "../../harness/serve-process.ts";
import { type Simulator, startSimulator } from "../../simulator/server.ts";
import { until } from "../../whole/world/until.ts";
import { HAS_BROWSER, newVisitor, signIn, startBrowser, VISIT_MS } from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

const TOKEN = "admin-token-of-the-tests";
const MODEL = "OpenAI#gpt-99";

describe.skipIf(!HAS_BROWSER)("in a browser (skipped without Chromium)", () => {
  let simulator: Simulator;
  let browser: Browser | null;
  let serving: Serving;
  const place = newPlace("");
  beforeAll(async () => {
    simulator = await startSimulator({ host: "127.0.0.1", port: 0 });
    browser = await startBrowser();
    place.configure(
      JSON.stringify({
        server: { admin_token: TOKEN },
        store: "sqlite:./poundkey.db",
        providers: { OpenAI: { keys: ["k"], base_url: `${simulator.url}/openai/v1` } },
        catalogue: { file: "./catalogue.json", watch: { from: "./list.json" } },
      }),
    );
    const list = { poundkey_catalogue: 1, serial: 1, as_of: "2026-11-28", models: [{ ...ROW, id: MODEL }] };
    writeFileSync(join(place.directory, "list.json"), JSON.stringify(list));
    serving = startServe(place, "--port", "0");
    await serving.logged("catalogue_compared", 1);
  });
  afterAll(async () => {
    serving.end();
    await browser?.close();
    await simulator.stop();
    place.remove();
  });

  test("it is taken and served", async () => {
    const url = await serving.listens();
    const post = (path: string, bearer: string, body: object) =>
      fetch(`${url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const { secret } = asObject(await (await post("/admin/v1/keys", TOKEN, { name: "test" })).json());
    const ask = async () => {
      const body = { model: MODEL, messages: [{ role: "user", content: "say: hi" }] };
      return (await post("/v1/chat/completions", String(secret), body)).status;
    };
    expect(await ask()).toBe(404);
    const visitor = await newVisitor({ gateway: { url }, browser });
    await signIn(visitor, TOKEN);
    const line = visitor.page.locator("p").filter({ hasText: `${MODEL} 1 request of 1 key` });
    await until("the name is counted", async () => {
      await visitor.open("/");
      await visitor.open("/models");
      await line.waitFor({ timeout: 1000 }).catch(() => {});
      return (await line.count()) > 0;
    });
    await line.getByRole("button", { name: "take it" }).click();
    await visitor.page.getByText("The catalogue file is written.").waitFor();
    await until("the gateway has it", async () => (await ask()) === 200);
    await visitor.close();
  });
});
