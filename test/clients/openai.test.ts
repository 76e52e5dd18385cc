// OpenAI's JavaScript SDK against the running gateway: whole answers, streams and the model list.
import { afterAll, describe, expect, test } from "bun:test";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { asObject } from "../../src/core/json/json.ts";
import { PICTURE, PICTURE_SEEN, PLAIN, startOpenAI, THINKING } from "./setting.ts";

const { under, client } = await startOpenAI();
afterAll(() => under.stop());

const user = (content: string): ChatCompletionMessageParam[] => [{ role: "user", content }];

describe("a whole answer", () => {
  test("has the text, the model's canonical id, the usage and the request id", async () => {
    const { data, response, request_id } = await client.chat.completions
      .create({ model: "local/sim-mini", messages: user("say: one two three") })
      .withResponse();
    expect(data.object).toBe("chat.completion");
    expect(data.model).toBe(PLAIN);
    expect(data.choices).toHaveLength(1);
    expect(data.choices[0]?.message).toMatchObject({ role: "assistant", content: "one two three" });
    expect(data.choices[0]?.finish_reason).toBe("stop");
    expect(data.usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 });
    expect(request_id).toMatch(/^req_/);
    expect(response.headers.get("x-poundkey-model")).toBe(PLAIN);
  });

  test("keeps the client's request id", async () => {
    const options = { headers: { "x-request-id": "my-own-id" } };
    const answer = await client.chat.completions.create({ model: PLAIN, messages: user("say: hi") }, options);
    expect(answer._request_id).toBe("my-own-id");
  });

  test("accepts system, developer and earlier turns", async () => {
    const messages: ChatCompletionMessageParam[] = [
      { role: "developer", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "say: hello" }] },
      { role: "assistant", content: "hello" },
      { role: "user", content: "what is your system prompt?" },
    ];
    const answer = await client.chat.completions.create({ model: PLAIN, messages });
    expect(answer.choices[0]?.message.content).toBe("My system prompt is: Be brief.");
  });

  test("has as many choices as n asks for", async () => {
    const answer = await client.chat.completions.create({
      model: "OpenAI#gpt-5.4",
      n: 2,
      messages: user("say: hi"),
    });
    expect(answer.choices.map(({ index, message }) => [index, message.content])).toEqual([
      [0, "hi"],
      [1, "hi (choice 2)"],
    ]);
  });

  test("can be about a picture", async () => {
    const content = [
      { type: "text" as const, text: "What is this?" },
      { type: "image_url" as const, image_url: { url: PICTURE, detail: "low" as const } },
    ];
    const messages: ChatCompletionMessageParam[] = [{ role: "user", content }];
    const answer = await client.chat.completions.create({ model: PLAIN, messages });
    expect(answer.choices[0]?.message.content).toBe(`You said: What is this? ${PICTURE_SEEN}`);
  });

  test("shows the model's thinking and counts it", async () => {
    const answer = await client.chat.completions.create({ model: THINKING, messages: user("say: hi") });
    expect(answer.choices[0]?.message).toMatchObject({
      content: "hi",
      reasoning_content: "Thinking about: say: hi",
    });
    expect(answer.usage?.completion_tokens_details?.reasoning_tokens).toBe(6);
  });

  test("shows a refusal as such", async () => {
    const answer = await client.chat.completions.create({ model: PLAIN, messages: user("refuse") });
    expect(answer.choices[0]?.message.refusal).toStartWith("I'm sorry");
    expect(answer.choices[0]?.message.content).toBeNull();
  });

  test("says if it was cut at its limit", async () => {
    const answer = await client.chat.completions.create({
      model: PLAIN,
      max_completion_tokens: 2,
      messages: user("say: one two three four"),
    });
    expect(answer.choices[0]).toMatchObject({ finish_reason: "length", message: { content: "one two " } });
  });
});

describe("a stream", () => {
  test("arrives in pieces under one id, and ends with the usage if requested", async () => {
    const stream = await client.chat.completions.create({
      model: PLAIN,
      stream: true,
      stream_options: { include_usage: true },
      messages: user("say: one two three"),
    });
    const chunks = await Array.fromAsync(stream);
    const deltas = chunks.flatMap((chunk) => chunk.choices.map((choice) => choice.delta));
    expect(deltas.map((delta) => delta.content).filter(Boolean)).toEqual(["one", " two", " three"]);
    expect(deltas[0]?.role).toBe("assistant");
    expect(new Set(chunks.map(({ id, model, object }) => `${id} ${model} ${object}`)).size).toBe(1);
    expect(chunks[0]).toMatchObject({ model: PLAIN, object: "chat.completion.chunk" });
    expect(chunks.flatMap((chunk) => chunk.choices.flatMap((one) => one.finish_reason ?? []))).toEqual([
      "stop",
    ]);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 5, total_tokens: 9 } });
    expect(chunks.slice(0, -1).filter((chunk) => chunk.usage)).toEqual([]);
  });

  test("has no usage unless requested", async () => {
    const stream = await client.chat.completions.create({
      model: PLAIN,
      stream: true,
      messages: user("say: hi"),
    });
    const chunks = await Array.fromAsync(stream);
    expect(chunks.filter((chunk) => chunk.usage || chunk.choices.length === 0)).toEqual([]);
  });

  test("has all n choices, each complete", async () => {
    const stream = client.chat.completions.stream({
      model: "OpenAI#gpt-5.4",
      n: 2,
      messages: user("say: one two"),
    });
    const { choices } = await stream.finalChatCompletion();
    expect(choices.map(({ message }) => message.content)).toEqual(["one two", "one two (choice 2)"]);
  });

  test("thinks before it answers", async () => {
    const stream = await client.chat.completions.create({
      model: THINKING,
      stream: true,
      messages: user("say: hi"),
    });
    const deltas = (await Array.fromAsync(stream)).flatMap((chunk) =>
      chunk.choices.map((one) => asObject(one.delta)),
    );
    const thoughts = deltas.flatMap((delta) => delta.reasoning_content ?? []);
    expect(thoughts.length).toBeGreaterThan(1);
    expect(thoughts.join("")).toBe("Thinking about: say: hi");
    const places = ["reasoning_content", "content"].map((field) => deltas.findIndex((delta) => delta[field]));
    expect(places[0]).toBeLessThan(places[1] ?? 0);
  });

  test("is folded by the SDK's helper, event by event", async () => {
    const pieces: string[] = [];
    const snapshots: string[] = [];
    const stream = client.chat.completions
      .stream({
        model: PLAIN,
        stream_options: { include_usage: true },
        messages: user("say: one two three"),
      })
      .on("content", (piece, snapshot) => {
        pieces.push(piece);
        snapshots.push(snapshot);
      });
    expect(await stream.finalContent()).toBe("one two three");
    expect(pieces.filter(Boolean)).toEqual(["one", " two", " three"]);
    expect(snapshots.at(-1)).toBe("one two three");
    expect(await stream.totalUsage()).toMatchObject({ prompt_tokens: 5, completion_tokens: 4 });
  });
});

describe("models", () => {
  test("are listed, the selectors included", async () => {
    const models = await Array.fromAsync(client.models.list());
    const ids = models.map(({ id }) => id);
    expect(ids).toContainValues(["OpenAI#gpt-5.4", "Router#best", "Router#fair", "Router#light"]);
    expect(models.every(({ object, created }) => object === "model" && Number.isInteger(created))).toBe(true);
    expect(models.every(({ owned_by }) => owned_by !== "")).toBe(true);
  });

  test.each(["OpenAI#gpt-5.4", "openai/gpt-5.4", "Router#best"])("%s is found by its id", async (id) => {
    const model = await client.models.retrieve(id);
    expect(model.id).toBe(id.replace("openai/", "OpenAI#"));
    expect(model.object).toBe("model");
  });
});
