// Hooks and tools that come again byte for byte, which requests share: each request's own are masked, and sent so.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { makeRequest, nameWay, WAYS, type Way } from "../../steps/asked.ts";
import { HIDDEN } from "../../steps/hooks/server.ts";
import { type HookWorld, startHookWorld } from "../../steps/hooks/world.ts";

/** Long enough to be remembered from the second time on. */
const DESCRIPTION = `Finds a canary. ${"It looks everywhere. ".repeat(300)}`;
const SCHEMA = { type: "object", properties: { place: { type: "string" } } };
const TIMES = 4;

let own: HookWorld;
beforeAll(async () => {
  own = await startHookWorld(["name: all, at: [request]"]);
});
afterAll(() => own.stop());

function makeTools(surface: Way["surface"]): readonly JsonObject[] {
  const named = { name: `find_${surface}`, description: DESCRIPTION };
  switch (surface) {
    case "chat":
      return [{ type: "function", function: { ...named, parameters: SCHEMA } }];
    case "messages":
      return [{ ...named, input_schema: SCHEMA }];
    case "responses":
    case "interactions":
      return [{ type: "function", ...named, parameters: SCHEMA }];
    case "gemini":
      return [{ functionDeclarations: [{ ...named, parameters: SCHEMA }] }];
  }
}

test.each(WAYS.map((way) => [nameWay(way), way] as const))("%s", async (_name, way) => {
  own.reset();
  const [path, body] = makeRequest(way, "say: hello");
  for (let time = 0; time < TIMES; time++) {
    const got = await own.post(path, { ...body, tools: makeTools(way.surface) });
    expect([got.status, time]).toEqual([200, time]);
  }
  expect(own.world.simulator.calls.total).toBe(TIMES);
  expect(own.sent().split(`Finds a ${HIDDEN}.`)).toHaveLength(TIMES + 1);
  expect(own.sent()).not.toContain("canary");
});
