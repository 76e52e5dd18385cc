// OpenAI's SDK and its Agents SDK over WebSockets, as their users open them.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Agent, OpenAIProvider, Runner, tool } from "@openai/agents";
import OpenAI from "openai";
import type { ResponsesServerEvent } from "openai/resources/responses/responses";
import { ResponsesWS } from "openai/resources/responses/ws";
import { z } from "zod";
import { asArray, asObject } from "../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { until } from "../whole/world/until.ts";
import { ASK_TWO } from "./setting.ts";

const FAMILIES = [
  "Responses#gpt-6.1-sol",
  "Local#sim-mini",
  "Anthropic#claude-haiku-4-5",
  "Google#gemini-3.5-flash",
];

let under: UnderTest;
let client: OpenAI;
beforeAll(async () => {
  under = await startUnderTest();
  client = new OpenAI({ apiKey: under.secret, baseURL: `${under.url}/v1`, maxRetries: 0 });
});
afterAll(() => under.stop());

const lastBody = () => JSON.stringify(under.simulator.calls.all().at(-1)?.body);

/** The requests of the log that came on WebSockets. */
async function countTurns(): Promise<number> {
  const headers = { authorization: `Bearer ${under.adminToken}` };
  const found = await fetch(`${under.url}/admin/v1/requests?transport=ws&limit=200`, { headers });
  return asArray(asObject(await found.json()).data).length;
}

/** Sends a request, and returns its events once one of them ends it. */
async function ask(
  socket: ResponsesWS,
  events: readonly ResponsesServerEvent[],
  fields: object,
): Promise<readonly ResponsesServerEvent[]> {
  const from = events.length;
  socket.send({ type: "response.create", store: false, ...fields });
  const isEnd = ({ type }: ResponsesServerEvent) => /^(error|response\.(completed|failed))$/.test(type);
  await until("the turn has ended", () => events.slice(from).some(isEnd));
  return events.slice(from);
}

function open() {
  const socket = new ResponsesWS(client);
  const events: ResponsesServerEvent[] = [];
  const errors: Error[] = [];
  socket.on("event", (event) => void events.push(event));
  socket.on("error", (error) => void errors.push(error));
  return { socket, events, errors };
}

const idOf = (events: readonly ResponsesServerEvent[]) => {
  const last = events.at(-1);
  return last?.type === "response.completed" ? last.response.id : "";
};

describe.each(FAMILIES)("ResponsesWS of openai-node over %s", (model) => {
  test("sends only what is new, and its lanes fork", async () => {
    const { socket, events, errors } = open();
    const first = await ask(socket, events, { model, input: "say: first", instructions: "Be brief." });
    const previous = { previous_response_id: idOf(first) };
    const second = await ask(socket, events, { model, input: "say: second", ...previous });
    expect(lastBody()).toContain("say: first");
    await ask(socket, events, {
      model,
      input: "say: fork",
      previous_response_id: idOf(second),
      stream_id: "fork",
    });
    expect([lastBody().includes("say: first"), lastBody().includes("say: second")]).toEqual([true, true]);
    expect(errors).toEqual([]);
    socket.close();
  });
});

test("a failure reaches its user as one error with the status, and the connection goes on", async () => {
  const { socket, events, errors } = open();
  await ask(socket, events, { model: "Nobody#x", input: "hi" });
  expect(JSON.stringify(errors.map(({ message }) => message))).toContain("Nobody#x");
  const after = await ask(socket, events, { model: FAMILIES[1], input: "say: on" });
  expect(idOf(after)).toStartWith("resp_");
  socket.close();
});

describe.each(FAMILIES)("@openai/agents with its WebSocket over %s", (model) => {
  test("runs tools over one connection", async () => {
    const modelProvider = new OpenAIProvider({
      apiKey: under.secret,
      baseURL: `${under.url}/v1`,
      useResponses: true,
      useResponsesWebSocket: true,
    });
    const runner = new Runner({ modelProvider, tracingDisabled: true });
    const seen: string[] = [];
    const weather = tool({
      name: "get_weather",
      description: "Today's weather in a city.",
      parameters: z.object({ city: z.string() }),
      execute: async ({ city }) => {
        seen.push(city);
        return "rain";
      },
    });
    const agent = new Agent({ name: "Weather", instructions: "Be brief.", model, tools: [weather] });
    const before = await countTurns();
    const first = await runner.run(agent, ASK_TWO, { stream: true });
    await first.completed;
    expect(seen).toEqual(["Oslo", "Rome"]);
    expect(await countTurns()).toBeGreaterThanOrEqual(before + 2);
    await modelProvider.close();
  });
});
