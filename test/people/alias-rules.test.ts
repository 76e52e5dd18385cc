// Aliases in the configuration's own limits: what members may use by them, and which budgets count them.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type OpenedStore, openStore } from "../../src/app/start/open-store.ts";
import { asArray, asObject } from "../../src/core/json/json.ts";
import { createOperator, type Operator } from "../whole/world/operator.ts";
import { asking, type HttpWorld, startHttpWorld } from "../whole/world/world.ts";
import { PEOPLE } from "./samples.ts";
import { signInAs } from "./signed-in.ts";

let world: HttpWorld;
let opened: OpenedStore;
let admin: Operator;
beforeAll(async () => {
  const more = `${PEOPLE.more}
key_defaults: { budgets: [{ usd: 50, per: month, models: [house] }] }
member_defaults: { allowed_models: [house, any] }
`;
  world = await startHttpWorld({ ...PEOPLE, more });
  opened = await openStore(`sqlite:${join(world.directory, "poundkey.db")}`, undefined);
  admin = createOperator(world);
});
afterAll(async () => {
  await opened.store.close();
  await world.stop();
});

async function ask(secret: string, model: string): Promise<string> {
  const response = await world.chat(asking(model, "hi"), { secret });
  const error = asObject(asObject(await response.json()).error);
  return response.headers.get("x-poundkey-model") ?? String(error.code);
}

const get = async (path: string, secret: string) =>
  asObject(
    await (await fetch(`${world.url}${path}`, { headers: { authorization: `Bearer ${secret}` } })).json(),
  );

test("members may use by an alias of their rules what it leads to, and nothing else", async () => {
  const accountId = await world.newAccount("Aliased");
  const member = await signInAs({ url: world.url, opened }, "mem_alias", [{ role: "member", accountId }]);
  const secret = String((await member("POST", "/keys", { name: "mine" })).body.secret);
  expect(await ask(secret, "house")).toBe("Acme#cheap");
  expect(await ask(secret, "any")).toContain("#");
  expect(await ask(secret, "Acme#cheap")).toBe("model_not_allowed");
  expect(await ask(secret, "Router#best")).toBe("model_not_allowed");
  const { data } = await get("/v1/models", secret);
  expect(asArray(data).map((one) => asObject(one).id)).toEqual(["house", "any"]);
  const narrow = await member("POST", "/keys", { name: "narrow", allowed_models: ["Acme#dear"] });
  expect(await ask(String(narrow.body.secret), "house")).toBe("model_not_allowed");
});

test("a budget of key_defaults that names an alias counts what is asked by it", async () => {
  const { secret } = (await admin.post("/keys", { name: "service" })).body;
  const key = String(secret);
  const readBudget = async () => asObject(asArray((await get("/v1/key", key)).limits)[0]);
  expect(await readBudget()).toMatchObject({ models: ["house"], used: 0 });
  expect(await ask(key, "Acme#cheap")).toBe("Acme#cheap");
  expect(Number((await readBudget()).used)).toBe(0);
  expect(await ask(key, "house")).toBe("Acme#cheap");
  expect(Number((await readBudget()).used)).toBeGreaterThan(0);
});
