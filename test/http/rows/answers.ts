// Scenario rows: correct answers of every dialect, whole and streamed, with tools, several choices and usage.
import { expect } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import type { Seen } from "../../whole/world/observe.ts";
import { asking, PROVIDER_NAMES } from "../../whole/world/world.ts";
import type { Row } from "./row.ts";

const TOOLS = [
  {
    type: "function",
    function: {
      name: "lookup",
      description: "Looks a city up",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  },
];
const CALLING = 'call lookup({"city":"Oslo"})';
const USAGE = {
  prompt_tokens: expect.any(Number),
  completion_tokens: expect.any(Number),
  total_tokens: expect.any(Number),
  cost: expect.any(Number),
  charged: 0,
};

/** Perplexity's answers carry marks of their sources, and choices after the first their number. */
const GOOD_DAY = expect.stringMatching(/^good day(\[1\])?$/);
const GOOD_DAY_AGAIN = expect.stringMatching(/^good day/);

function checkSum({ body, stream }: Seen): void {
  const usage = asObject(stream ? stream.usage : body.usage);
  expect(Number(usage.total_tokens)).toBe(Number(usage.prompt_tokens) + Number(usage.completion_tokens));
  expect(Number(usage.completion_tokens)).toBeGreaterThan(0);
}

function checkWhole(answer: Seen): void {
  const { body } = answer;
  expect(body.id).toMatch(/^chatcmpl-[0-9a-f]{32}$/);
  expect(Number.isInteger(body.created)).toBe(true);
  checkSum(answer);
}

function checkCalls(calls: unknown): void {
  const [call] = asArray(calls);
  expect(asArray(calls)).toHaveLength(1);
  expect(call).toMatchObject({ type: "function", function: { name: "lookup" } });
  expect(asObject(call).id).toMatch(/^[A-Za-z0-9_-]{1,40}$/);
  expect(JSON.parse(String(asObject(asObject(call).function).arguments))).toEqual({ city: "Oslo" });
}

/** The tool calls of a stream's first choice, joined from their deltas. */
function streamedCalls({ stream }: Seen): readonly unknown[] {
  const calls: { id?: unknown; type?: unknown; function: { name?: unknown; arguments: string } }[] = [];
  for (const chunk of stream?.chunks ?? []) {
    for (const fragment of asArray(asObject(asObject(asArray(chunk.choices)[0]).delta).tool_calls)) {
      const { index, id, type, function: given } = asObject(fragment);
      const { name, arguments: piece } = asObject(given);
      const known = calls[Number(index)];
      if (known) known.function.arguments += String(piece ?? "");
      else calls[Number(index)] = { id, type, function: { name, arguments: String(piece ?? "") } };
    }
  }
  return calls;
}

/** Bodies for a provider's model. */
function askingOf(provider: string) {
  return (more: Record<string, unknown> = {}, text?: string) => asking(`${provider}#sim-mini`, text, more);
}

function plainRows(provider: string): readonly Row[] {
  const model = `${provider}#sim-mini`;
  const ask = askingOf(provider);
  const told = {
    "content-type": "application/json",
    "x-poundkey-model": model,
    "x-poundkey-attempts": "1",
    "x-poundkey-selector": null,
    "x-ratelimit-limit-requests": null,
    "retry-after": null,
  };
  const choice = { index: 0, finish_reason: "stop", message: { role: "assistant", content: GOOD_DAY } };
  return [
    {
      name: `${provider}: whole`,
      body: ask(),
      status: 200,
      told,
      json: { object: "chat.completion", model, choices: [choice], usage: USAGE },
      calls: 1,
      check: checkWhole,
    },
    {
      name: `${provider}: streamed`,
      body: ask({ stream: true }),
      status: 200,
      told: { ...told, "content-type": /text\/event-stream; charset=utf-8$/, "cache-control": "no-cache" },
      event: { model, texts: [GOOD_DAY], finishes: ["stop"], usage: null, error: null, keepAlives: 0 },
      lacks: ['"usage"'],
      contains: [/data: \[DONE\]\n\n$/],
      calls: 1,
      check: ({ stream }) => expect(stream?.id).toMatch(/^chatcmpl-[0-9a-f]{32}$/),
    },
    {
      name: `${provider}: streamed with usage`,
      body: ask({ stream: true, stream_options: { include_usage: true } }),
      status: 200,
      event: { texts: [GOOD_DAY], usage: USAGE },
      check: checkSum,
    },
  ];
}

function choiceRows(provider: string): readonly Row[] {
  const ask = askingOf(provider);
  return [
    {
      name: `${provider}: three choices`,
      body: ask({ n: 3 }),
      status: 200,
      json: {
        choices: [0, 1, 2].map((index) => ({
          index,
          message: { content: GOOD_DAY_AGAIN },
          finish_reason: "stop",
        })),
      },
      check: checkSum,
    },
    {
      name: `${provider}: three choices, streamed`,
      body: ask({ n: 3, stream: true, stream_options: { include_usage: true } }),
      status: 200,
      event: { texts: [GOOD_DAY_AGAIN, GOOD_DAY_AGAIN, GOOD_DAY_AGAIN], finishes: ["stop", "stop", "stop"] },
      check: checkSum,
    },
  ];
}

function toolRows(provider: string): readonly Row[] {
  const ask = askingOf(provider);
  return [
    {
      name: `${provider}: a tool call`,
      body: ask({ tools: TOOLS }, CALLING),
      status: 200,
      json: { choices: [{ finish_reason: "tool_calls", message: { content: null } }] },
      check: ({ body }) => checkCalls(asObject(asObject(asArray(body.choices)[0]).message).tool_calls),
    },
    {
      name: `${provider}: a tool call, streamed`,
      body: ask({ tools: TOOLS, stream: true }, CALLING),
      status: 200,
      event: { finishes: ["tool_calls"], error: null },
      check: (answer) => checkCalls(streamedCalls(answer)),
    },
    {
      name: `${provider}: cut at the limit of tokens`,
      body: ask({ max_tokens: 20, max_completion_tokens: 5000 }, "long 100"),
      status: 200,
      json: { choices: [{ finish_reason: "length" }] },
    },
  ];
}

/** USD per million tokens of `Acme#dear`. */
const DEAR = { input: 10, output: 50 };

function checkCost({ body, stream }: Seen): void {
  const usage = asObject(stream ? stream.usage : body.usage);
  const cost =
    (Number(usage.prompt_tokens) * DEAR.input + Number(usage.completion_tokens) * DEAR.output) / 1e6;
  expect(cost).toBeGreaterThan(0);
  expect(Number(usage.cost)).toBeCloseTo(cost, 12);
  expect(usage.charged).toBe(0);
}

const INCLUDE_USAGE = { stream: true, stream_options: { include_usage: true } };
const usageRows: readonly Row[] = [{}, INCLUDE_USAGE].flatMap((more): readonly Row[] => [
  {
    name: `the usage is priced even when it is free: ${JSON.stringify(more)}`,
    body: asking("Acme#dear", undefined, more),
    status: 200,
    check: checkCost,
  },
  {
    name: `usage that the provider doesn't tell is estimated: ${JSON.stringify(more)}`,
    body: asking("Local#sim~trouble=no-usage", undefined, more),
    status: 200,
    check: checkSum,
  },
]);

export const ANSWER_ROWS: readonly Row[] = [
  ...[plainRows, choiceRows, toolRows].flatMap((rows) => PROVIDER_NAMES.flatMap(rows)),
  ...usageRows,
];
