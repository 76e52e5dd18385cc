// Tools of the gateway's own servers in a Responses request, run by the gateway on every model: the items, whole and streamed.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../../src/core/json/json.ts";
import { type LoopWorld, MODELS, OURS, script, startLoopWorld } from "./loop-world.ts";

let world: LoopWorld;
beforeAll(async () => {
  world = await startLoopWorld();
});
afterAll(() => world.stop());

const ECHO = script('call old_echo({"text":"one"})', "say: done");
const lastText = (output: readonly JsonObject[]) =>
  asObject(asArray(asObject(output.at(-1)).content)[0]).text;

describe.each(MODELS)("%s", (model) => {
  test("calls a tool, and answers with its result", async () => {
    const { status, body, output } = await world.respond({ model, input: ECHO });
    expect(status).toBe(200);
    expect(body.status).toBe("completed");
    expect(output.map(({ type }) => type).filter((type) => type !== "reasoning")).toEqual([
      "mcp_list_tools",
      "mcp_call",
      "message",
    ]);
    const call = output.find(({ type }) => type === "mcp_call");
    expect(call).toMatchObject({
      server_label: "desk",
      name: "echo",
      arguments: '{"text":"one"}',
      output: "echo: one",
      error: null,
      status: "completed",
    });
    expect(lastText(output)).toBe("done");
    expect(body.tools).toEqual([OURS]);
  });
});
