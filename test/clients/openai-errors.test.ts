// OpenAI's JavaScript SDK against the running gateway on failures: its exception classes, its retries, its aborts.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI, { AzureOpenAI } from "openai";
import type { UnderTest } from "../harness/harness.ts";
import { until } from "../whole/world/until.ts";
import { doorTo, failure, PICTURE, PLAIN, readStanding, startOpenAI } from "./setting.ts";

let under: UnderTest;
let client: OpenAI;

beforeAll(async () => {
  ({ under, client } = await startOpenAI());
});
afterAll(() => under.stop());

const messages = [{ role: "user" as const, content: "say: one two three four" }];
const troubled = (name: string) => `${PLAIN}~${name}`;

interface Row {
  readonly name: string;
  readonly kind: abstract new (...args: never[]) => InstanceType<typeof OpenAI.APIError>;
  readonly body: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>;
  readonly shows: Readonly<Record<string, unknown>>;
}

const { BadRequestError, NotFoundError, RateLimitError, InternalServerError } = OpenAI;

const ROWS: readonly Row[] = [
  {
    name: "a field beyond its bounds",
    kind: BadRequestError,
    body: { temperature: 3 },
    shows: { status: 400, code: "decimal_above_max_value", param: "temperature" },
  },
  {
    name: "no message",
    kind: BadRequestError,
    body: { messages: [] },
    shows: { status: 400, code: "empty_array", param: "messages", type: "invalid_request_error" },
  },
  {
    name: "a model that its provider doesn't know",
    kind: NotFoundError,
    body: { model: troubled("404") },
    shows: { status: 404, code: "model_not_found" },
  },
  {
    name: "a model of no provider",
    kind: NotFoundError,
    body: { model: "gpt-5.4" },
    shows: { status: 404, code: "model_not_found", param: null },
  },
  {
    name: "a picture for a model without eyes",
    kind: BadRequestError,
    body: {
      model: "Cohere#command-a-03-2025",
      messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: PICTURE } }] }],
    },
    shows: { status: 400, code: "unsupported_capability", param: "messages[0].content[0]" },
  },
  {
    name: "too long a prompt",
    kind: BadRequestError,
    body: { model: troubled("context") },
    shows: { status: 400, code: "context_length_exceeded" },
  },
  {
    name: "a prompt that is blocked",
    kind: BadRequestError,
    body: { model: troubled("filter") },
    shows: { status: 400, code: "content_filter" },
  },
  {
    name: "the provider's own rejection",
    kind: BadRequestError,
    body: { model: troubled("400") },
    shows: { status: 400, code: "invalid_value", type: "invalid_request_error" },
  },
  {
    name: "a provider's load",
    kind: RateLimitError,
    body: { model: troubled("429") },
    shows: { status: 429, code: "provider_busy", type: "rate_limit_error" },
  },
  {
    name: "a provider's failure",
    kind: InternalServerError,
    body: { model: troubled("500") },
    shows: { status: 502, code: "upstream_error", type: "api_error" },
  },
  {
    name: "a provider's refusal of our credential",
    kind: InternalServerError,
    body: { model: troubled("401") },
    shows: { status: 502, code: "upstream_auth" },
  },
  {
    name: "a provider's timeout",
    kind: InternalServerError,
    body: { model: troubled("504") },
    shows: { status: 504, code: "upstream_timeout" },
  },
];

describe("errors have the right class, code and field", () => {
  for (const { name, kind, body, shows } of ROWS) {
    for (const stream of [false, true]) {
      test(`${name}${stream ? ", streamed" : ""}`, async () => {
        const given = { model: PLAIN, messages, ...body };
        const error = await failure(kind, client.chat.completions.create({ ...given, stream }));
        expect({ ...error }).toMatchObject(shows);
        expect(error.requestID).toMatch(/^req_/);
        expect(error.message).not.toContain(under.simulator.url);
      });
    }
  }

  test("an invalid key", async () => {
    const stranger = new OpenAI({ baseURL: `${under.url}/v1`, apiKey: "sk-not-a-key" });
    const error = await failure(
      OpenAI.AuthenticationError,
      stranger.chat.completions.create({ model: PLAIN, messages }),
    );
    expect(error).toMatchObject({ status: 401, code: "invalid_api_key", type: "invalid_request_error" });
    await failure(OpenAI.AuthenticationError, stranger.models.list());
  });

  test("a model that the key may not use", async () => {
    const { secret } = await under.newKey({ allowed_models: ["OpenAI#gpt-5.4"] });
    const bound = new OpenAI({ baseURL: `${under.url}/v1`, apiKey: secret });
    const error = await failure(
      OpenAI.PermissionDeniedError,
      bound.chat.completions.create({ model: PLAIN, messages }),
    );
    expect(error).toMatchObject({ status: 403, code: "model_not_allowed", type: "permission_error" });
    expect((await Array.fromAsync(bound.models.list())).map(({ id }) => id)).toContain("OpenAI#gpt-5.4");
  });

  test("looking up an unknown model", async () => {
    const error = await failure(NotFoundError, client.models.retrieve("Nobody#gpt-5.4"));
    expect(error).toMatchObject({ status: 404, code: "model_not_found" });
    expect(error.message).toContain("OpenAI#gpt-5.4");
  });
});

describe("a stream that breaks off", () => {
  for (const trouble of ["error-mid", "cut", "reset-mid", "garbage"]) {
    test(`throws an APIError after its pieces (${trouble})`, async () => {
      const stream = await client.chat.completions.create({
        model: troubled(`pace=200~${trouble}`),
        messages,
        stream: true,
      });
      const pieces: string[] = [];
      const reading = async () => {
        for await (const chunk of stream) pieces.push(chunk.choices[0]?.delta.content ?? "");
      };
      const error = await failure(OpenAI.APIError, reading());
      expect(error).toMatchObject({ status: undefined, type: "api_error" });
      expect(pieces.join("")).toStartWith("one");
    });
  }

  test("rejects the helper's promises", async () => {
    const stream = client.chat.completions.stream({ model: troubled("pace=200~error-mid"), messages });
    await failure(OpenAI.APIError, stream.finalChatCompletion());
  });
});

describe("a client that leaves", () => {
  /** Two pieces arrive, then nothing more. */
  const open = (signal?: AbortSignal) =>
    client.chat.completions.create(
      { model: troubled("stall"), messages, stream: true },
      signal ? { signal } : {},
    );

  test("has received the pieces so far, and its upstream call ends", async () => {
    const controller = new AbortController();
    const pieces: string[] = [];
    for await (const chunk of await open(controller.signal)) {
      pieces.push(chunk.choices[0]?.delta.content ?? "");
      if (pieces.join("") === "one two") controller.abort();
    }
    expect(pieces.join("")).toBe("one two");
    const call = under.simulator.calls.last();
    await until("the upstream call's end", () => call?.ended === "aborted");
  });

  test("by breaking out of the loop ends the upstream call too", async () => {
    for await (const chunk of await open()) if (chunk.choices[0]?.delta.content === "one") break;
    const call = under.simulator.calls.last();
    await until("the upstream call's end", () => call?.ended === "aborted");
  });

  test("while waiting for a complete answer ends the upstream call too", async () => {
    const controller = new AbortController();
    const work = client.chat.completions.create(
      { model: troubled("silent"), messages },
      { signal: controller.signal },
    );
    const before = under.simulator.calls.total;
    await until("the upstream call", () => under.simulator.calls.total > before);
    const call = under.simulator.calls.last();
    controller.abort();
    await failure(OpenAI.APIUserAbortError, work);
    await until("the upstream call's end", () => call?.ended === "aborted");
  });
});

test("the error for the Azure class names the class and address that work", async () => {
  const azure = new AzureOpenAI({ endpoint: under.url, apiKey: under.secret, apiVersion: "2024-10-21" });
  const error = await failure(NotFoundError, azure.chat.completions.create({ model: "gpt-4o", messages }));
  expect(error.message).toContain("Use the SDK's OpenAI class instead of AzureOpenAI");
  expect(error.code).toBe("unknown_url");
});

describe("retries", () => {
  test("do not happen when the allowance is used up", async () => {
    const { secret } = await under.newKey({ requests_per_day: 1 });
    const door = doorTo(under.url);
    const patient = new OpenAI({ baseURL: `${door.url}/v1`, apiKey: secret });
    const first = await patient.chat.completions.create({ model: PLAIN, messages }).withResponse();
    expect(first.response.headers.get("x-ratelimit-limit-requests")).toBe("1");
    expect(first.response.headers.get("x-ratelimit-remaining-requests")).toBe("0");
    const before = [await readStanding(under.url, secret), under.simulator.calls.total];
    const error = await failure(RateLimitError, patient.chat.completions.create({ model: PLAIN, messages }));
    expect(error).toMatchObject({ status: 429, code: "rate_limit_exceeded", type: "rate_limit_error" });
    expect(error.error).toMatchObject({ reset_at: expect.stringMatching(/^\d{4}-.*Z$/) });
    expect(Number(error.headers?.get("retry-after"))).toBeWithin(1, 601);
    expect(door.statuses).toEqual([200, 429]);
    expect([await readStanding(under.url, secret), under.simulator.calls.total]).toEqual(before);
    await door.stop();
  });

  test("get past a provider's brief refusal", async () => {
    const door = doorTo(under.url);
    const patient = new OpenAI({ baseURL: `${door.url}/v1`, apiKey: under.secret });
    const model = `${PLAIN}~trouble=429~flaky=1~retry=1~chunks=4`;
    const answer = await patient.chat.completions.create({ model, messages });
    expect(answer.choices[0]?.message.content).toBe("one two three four");
    expect(door.statuses).toEqual([429, 200]);
    await door.stop();
  });
});
