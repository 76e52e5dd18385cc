// Fields of a request by which the cache keeps its answer or not: on no surface is one kept that is explicitly to be stored.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { makeRequest, nameWay, WAYS, type Way } from "../asked.ts";

let world: UnderTest;
beforeAll(async () => {
  world = await startUnderTest();
});
afterAll(() => world.stop());

/** The surfaces that have the field. */
const STORING = WAYS.filter(({ surface }) => surface !== "messages");

async function ask(way: Way, prompt: string, fields: JsonObject): Promise<string | null> {
  const [path, body] = makeRequest(way, prompt);
  const response = await fetch(world.url + path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${world.secret}`,
      "x-poundkey-cache": "on",
    },
    body: JSON.stringify({ ...body, ...fields }),
  });
  await response.text();
  return response.headers.get("x-poundkey-cache");
}

test.each(STORING.map((way) => [nameWay(way), way] as const))("store: true, %s", async (name, way) => {
  const store = (isStored: boolean) => ask(way, `say: ${name}`, { store: isStored });
  expect([await store(true), await store(true)]).toEqual(["bypass", "bypass"]);
  expect([await store(false), await store(false)]).toEqual([way.stream ? "miss" : "stored", "hit"]);
});

test("a client's notes about itself, which a translation drops, are no reason to ask again", async () => {
  const way = { surface: "responses", provider: "Anthropic", stream: false, native: null } as const;
  const note = (turn: number) => ask(way, "say: noted", { client_metadata: { turn } });
  expect([await note(1), await note(2)]).toEqual(["stored", "hit"]);
});

test.each([false, true])(
  "nothing is kept of a translation that lacks a field; streamed: %p",
  async (stream) => {
    const way = { surface: "responses", provider: "Anthropic", stream, native: null } as const;
    const unknown = () => ask(way, "say: unknown", { from_next_year: 1 });
    expect([await unknown(), await unknown()]).toEqual(["bypass", "bypass"]);
  },
);
