// The header that says what the guard did about a request's values, on every chat surface and on a socket's first frame. A
// step finds made-up values, so that every action is seen, at both places.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asObject } from "../../src/core/json/json.ts";
import type { GuardFinding } from "../../src/core/models/guard.ts";
import type { Step } from "../../src/gateway/step.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { makeRequest, nameWay, WAYS } from "../steps/asked.ts";
import { SocketClient } from "./sockets/client.ts";

const find = (detector: string, action: GuardFinding["action"], count: number): GuardFinding => ({
  detector,
  action,
  at: "request",
  count,
  rule: "people",
});
const FOUND: readonly GuardFinding[] = [
  find("phone", "report", 4),
  find("words:customers", "swap", 2),
  find("iban", "mask", 1),
  { ...find("card", "mask", 3), at: "answer" },
  find("email", "swap", 1),
];
const TOLD = "words:customers=swap:2,iban=mask:1,email=swap:1";

const guard: Step = {
  before(call) {
    if (JSON.stringify(call.ask).includes("all kinds")) call.guard = [...FOUND];
    else if (JSON.stringify(call.ask).includes("reported")) call.guard = FOUND.slice(0, 1);
    return null;
  },
  around: () => null,
};

let world: UnderTest;
beforeAll(async () => {
  world = await startUnderTest({ steps: [guard] });
});
afterAll(() => world.stop());

async function readHeader(path: string, body: object): Promise<readonly [number, string | null]> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${world.secret}` };
  const answer = await fetch(world.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  await answer.text();
  return [answer.status, answer.headers.get("x-poundkey-guard")];
}

test.each(WAYS.map((way) => [nameWay(way), way] as const))(
  "%s: values by detector and action",
  async (_, way) => {
    expect(await readHeader(...makeRequest(way, "say: all kinds"))).toEqual([200, TOLD]);
    expect(await readHeader(...makeRequest(way, "say: reported"))).toEqual([200, null]);
    expect(await readHeader(...makeRequest(way, "say: nothing"))).toEqual([200, null]);
  },
);

test("other operations have it too", async () => {
  const embed = (input: string) => readHeader("/v1/embeddings", { model: "OpenAI#sim-embed", input });
  expect(await embed("all kinds")).toEqual([200, TOLD]);
  expect(await embed("nothing")).toEqual([200, null]);
});

test("a refused request has it", async () => {
  const way = { surface: "chat", provider: "Local", stream: false, native: null } as const;
  expect(await readHeader(...makeRequest(way, "all kinds", "sim~trouble=500"))).toEqual([502, TOLD]);
});

test("a socket's first frame has it", async () => {
  const client = await new SocketClient(world.url, world.secret).open();
  const ask = (input: string) => client.create({ model: "Responses#sim", input });
  const [first, second] = await ask("say: all kinds");
  expect(asObject(first?.headers)["x-poundkey-guard"]).toBe(TOLD);
  expect(second?.headers).toBeUndefined();
  const [other] = await ask("say: nothing");
  expect(asObject(other?.headers)["x-poundkey-guard"]).toBeUndefined();
  client.close();
});
