// Kept conversations in an account with several people: each member's own, and the service keys' in common.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type OpenedStore, openStore } from "../../src/app/start/open-store.ts";
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import { type Seen, seen } from "../whole/world/observe.ts";
import { type HttpWorld, startHttpWorld } from "../whole/world/world.ts";
import { PEOPLE } from "./samples.ts";
import { signInAs } from "./signed-in.ts";

const MODEL = "Local#sim";

let world: HttpWorld;
let opened: OpenedStore;
let team: string;
beforeAll(async () => {
  world = await startHttpWorld({ ...PEOPLE, more: `${PEOPLE.more}\nresponses: { keep: 1d }` });
  opened = await openStore(`sqlite:${join(world.directory, "poundkey.db")}`, undefined);
  team = await world.newAccount("Team");
});
afterAll(async () => {
  await opened.store.close();
  await world.stop();
});

async function makeOwnKey(id: string): Promise<string> {
  const ask = await signInAs({ url: world.url, opened }, id, [{ role: "member", accountId: team }]);
  return String((await ask("POST", "/keys", { name: "mine", account_id: team })).body.secret);
}

async function makeServiceKey(): Promise<string> {
  return (await world.newKey({ account_id: team })).secret;
}

type Send = (method: string, path: string, body?: JsonObject) => Promise<Seen>;

function asKey(secret: string): Send {
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
    const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
    return seen(await fetch(`${world.url}/v1/responses${path}`, init));
  };
}

async function statusesOf(send: Send, { id, output }: JsonObject): Promise<readonly number[]> {
  const reference = { type: "item_reference", id: asObject(asArray(output)[0]).id };
  const ask = { role: "user", content: "say: on" };
  const asked = [
    await send("GET", `/${id}`),
    await send("GET", `/${id}/input_items`),
    await send("POST", "", { model: MODEL, input: "say: on", previous_response_id: id }),
    await send("POST", "", { model: MODEL, input: [reference, ask] }),
    await send("DELETE", `/${id}`),
  ];
  return asked.map(({ status }) => status);
}

const ALL = [200, 200, 200, 200, 200];
const NONE = [404, 404, 404, 404, 404];

test("a personal key's are its member's, a service key's those of all service keys", async () => {
  const ann = asKey(await makeOwnKey("mem_ann"));
  const annAgain = asKey(await makeOwnKey("mem_ann"));
  const bob = asKey(await makeOwnKey("mem_bob"));
  const service = asKey(await makeServiceKey());
  const other = asKey(await makeServiceKey());
  for (const [maker, same, strangers] of [
    [ann, annAgain, [bob, service]],
    [service, other, [ann, bob]],
  ] as const) {
    const { body } = await maker("POST", "", { model: MODEL, input: "say: secret" });
    for (const stranger of strangers) expect(await statusesOf(stranger, body)).toEqual(NONE);
    expect(await statusesOf(same, body)).toEqual(ALL);
  }
});

async function interact(secret: string, method: string, path: string, body?: JsonObject) {
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
  const response = await fetch(`${world.url}/v1/interactions${path}`, init);
  return { status: response.status, body: asObject(await response.json()) };
}

test("the same holds for interactions", async () => {
  const mine = await makeOwnKey("mem_cid");
  const service = await makeServiceKey();
  for (const [maker, stranger] of [
    [mine, service],
    [service, mine],
  ] as const) {
    const { body } = await interact(maker, "POST", "", { model: MODEL, input: "say: secret" });
    const next = { model: MODEL, input: "say: on", previous_interaction_id: body.id };
    const ask = async (secret: string) => [
      (await interact(secret, "GET", `/${body.id}`)).status,
      (await interact(secret, "POST", "", next)).status,
      (await interact(secret, "DELETE", `/${body.id}`)).status,
    ];
    expect(await ask(stranger)).toEqual([404, 400, 404]);
    expect(await ask(maker)).toEqual([200, 200, 200]);
  }
});
