// Requests that explicitly ask for their answer to be stored: the cache keeps it on no surface.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startUnderTest, type UnderTest } from "./harness.ts";
import { makeRequest, nameWay, WAYS } from "./steps/asked.ts";

let world: UnderTest;
beforeAll(async () => {
  world = await startUnderTest();
});
afterAll(() => world.stop());

/** The surfaces that have the field. */
const STORING = WAYS.filter(({ surface }) => surface !== "messages");

test.each(STORING.map((way) => [nameWay(way), way] as const))("%s", async (name, way) => {
  const [path, body] = makeRequest(way, `say: ${name}`);
  const ask = async (store: boolean) => {
    const response = await fetch(world.url + path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${world.secret}`,
        "x-poundkey-cache": "on",
      },
      body: JSON.stringify({ ...body, store }),
    });
    await response.text();
    return response.headers.get("x-poundkey-cache");
  };
  expect([await ask(true), await ask(true)]).toEqual(["bypass", "bypass"]);
  expect([await ask(false), await ask(false)]).toEqual([way.stream ? "miss" : "stored", "hit"]);
});
