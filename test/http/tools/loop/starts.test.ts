// A streamed response with tools begins as OpenAI's does, whichever events of its start the model's provider leaves out.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../../src/core/json/json.ts";
import { type LoopWorld, OURS, script, startLoopWorld } from "./loop-world.ts";

let leftOut: RegExp | null = null;
let world: LoopWorld;
beforeAll(async () => {
  world = await startLoopWorld({ fetch: fetchWithout });
});
afterAll(() => world.stop());

/** A provider whose streams lack the events that `leftOut` names. */
async function fetchWithout(url: string, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const pattern = leftOut;
  if (pattern === null || !response.headers.get("content-type")?.startsWith("text/event-stream"))
    return response;
  const events = (await response.text()).split(/(?<=\n\n)/);
  return new Response(events.filter((one) => !pattern.test(one)).join(""), response);
}

const LACKS = {
  "no event": null,
  "response.in_progress": /"type": ?"response\.in_progress"/,
  "response.created": /"type": ?"response\.created"/,
  "both of them": /"type": ?"response\.(created|in_progress)"/,
};

const TWO_CALLS = script('call old_echo({"text":"one"})', 'call old_echo({"text":"two"})', "say: done");

describe.each(["OpenAI#gpt-5.4", "Responses#some-model"])("%s", (model) => {
  test.each(Object.entries(LACKS))("whose provider leaves out %s", async (_, pattern) => {
    leftOut = pattern;
    const stream = world.client().responses.stream({ model, input: TWO_CALLS, tools: [{ ...OURS }] });
    const events: JsonObject[] = [];
    for await (const event of stream) events.push(asObject(event));
    const final = await stream.finalResponse();
    const types = events.map(({ type }) => String(type));
    expect(types.slice(0, 6)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.mcp_list_tools.in_progress",
      "response.mcp_list_tools.completed",
      "response.output_item.done",
    ]);
    for (const once of ["response.created", "response.in_progress", "response.completed"])
      expect(types.filter((type) => type === once)).toEqual([once]);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_one, at) => at));
    const [created] = events;
    expect(asObject(created?.response)).toMatchObject({
      id: final.id,
      object: "response",
      model,
      status: "in_progress",
      output: [],
    });
    expect(asArray(asObject(created?.response).tools)).toEqual([OURS]);
    const items = final.output.filter(({ type }) => type !== "reasoning");
    expect(items.map(({ type }) => type)).toEqual(["mcp_list_tools", "mcp_call", "mcp_call", "message"]);
    expect(items[1]).toMatchObject({ output: "echo: one" });
    expect(new Set(final.output.map(({ id }) => id)).size).toBe(final.output.length);
  });
});
