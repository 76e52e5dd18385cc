// A secret that leaked: pasted in the search, it finds its key, and never stands in an address.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { asArray, asObject } from "../../src/core/json/json.ts";
import { createOperator, type Operator } from "../whole/world/operator.ts";
import {
  type ConsoleWorld,
  findBarriers,
  HAS_BROWSER,
  openConsole,
  startConsoleWorld,
  VISIT_MS,
} from "./visitor.ts";

setDefaultTimeout(VISIT_MS);

let world: ConsoleWorld;
let operator: Operator;
let key: { readonly id: string; readonly secret: string };
beforeAll(async () => {
  world = await startConsoleWorld();
  operator = createOperator(world.gateway);
  key = await world.gateway.newKey({ name: "leaky" });
  const messages = [{ role: "user", content: "Hello!" }];
  await (await world.gateway.chat({ model: "OpenAI#gpt-5.4", messages }, key)).text();
});
afterAll(() => world.stop());

const find = async (q: string) =>
  asArray((await operator.post("/search", { q })).body.data)
    .map(asObject)
    .map(({ type, id, url }) => [type, id, url]);

test("a whole secret finds its key or token by its digest, also a revoked one", async () => {
  const url = `/#/settings/router/${key.id}?leaked=yes`;
  expect(await find(key.secret)).toEqual([["key", key.id, url]]);
  const wrong = key.secret.replace(/.$/, (last) => (last === "x" ? "y" : "x"));
  expect(await find(wrong)).toEqual([]);
  const token = (await operator.post("/tokens", { name: "ci", role: "viewer" })).body;
  expect(await find(String(token.secret))).toEqual([["token", token.id, "/#/settings/tokens"]]);
  const gone = await world.gateway.newKey({ name: "gone" });
  await operator.delete(`/keys/${gone.id}`);
  expect((await find(gone.secret))[0]?.[1]).toBe(gone.id);
});

test("words are found in any order, and people by their names", async () => {
  expect((await find("5.4 gpt")).some(([, id]) => id === "OpenAI#gpt-5.4")).toBe(true);
  await world.gateway.newKey({ name: "nightly report of sales" });
  expect((await find("sales nightly"))[0]?.[0]).toBe("key");
});

describe.skipIf(!HAS_BROWSER)("in the console (skipped without Chromium)", () => {
  test("no address has the secret, wherever it is pasted; the key opens with what to do", async () => {
    const { page, open, leave } = await openConsole(world);
    const addresses: string[] = [];
    page.on("request", (request) => addresses.push(request.url()));
    await page.keyboard.press("Control+K");
    await page.locator("[type=search]:focus").fill(key.secret);
    await page.getByRole("list", { name: "Results" }).getByRole("link").click();
    await page.getByText(/^The secret that you pasted is this key's/).waitFor();
    await page.getByRole("table", { name: "Addresses" }).getByText("127.0.0.1").waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.locator(".notice").getByRole("button", { name: "Rotate" }).click();
    expect(await page.getByLabel("The old secret works").inputValue()).toBe("0s");
    await page.keyboard.press("Escape");
    await open("/settings/router");
    await page.getByRole("searchbox", { name: /Search by name/ }).fill(key.secret);
    await page.getByRole("link", { name: "leaky" }).waitFor();
    expect(addresses.filter((address) => address.includes(key.secret))).toEqual([]);
    await leave();
  });

  test("the search finds pages and actions too, and what was opened before", async () => {
    const { page, leave } = await openConsole(world);
    await page.keyboard.press("Control+K");
    await page.locator("[type=search]:focus").fill("audit");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Audit" }).waitFor();
    await page.keyboard.press("Control+K");
    await page.getByRole("list", { name: "Opened before" }).getByRole("link", { name: "Audit" }).waitFor();
    await page.locator("[type=search]:focus").fill("key add");
    await page.getByRole("link", { name: "Add a key" }).click();
    await page.getByRole("dialog").getByText("Add New Key").waitFor();
    await leave();
  });
});
