// Pictures, files and sounds that stand earlier in a conversation, on each surface and over each dialect: a model that
// doesn't take them gets a line in their place, so that the conversation goes on.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import type { Capability } from "../../../src/core/models/card.ts";
import { responses } from "../../../src/dialects/responses/dialect.ts";
import { CHAT } from "../../../src/operations/chat/operation.ts";
import { OPENAI_CHAT } from "../../../src/surfaces/openai-chat/surface.ts";
import { makeModelCard } from "../../harness/cards.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { incoming } from "../../surfaces/recorded.ts";
import { chatPicture, FORMS, type Form, PIXELS } from "../world/picture-forms.ts";

const LINE = "[image left out: this model takes no images]";
const DIALECTS = {
  openai: "/openai/v1",
  responses: "/openai/v1",
  anthropic: "/anthropic/v1",
  gemini: "/gemini/v1beta",
};
type DialectWord = keyof typeof DIALECTS;
const WORDS = Object.keys(DIALECTS) as readonly DialectWord[];

let world: UnderTest;
beforeAll(async () => {
  // Nothing is known of them but their prices, by which those that see nothing are expected to be better.
  const makeRow = (url: string, name: string, dialect: DialectWord, usd: number, capabilities: string) =>
    `  ${name}: { dialect: ${dialect}, base_url: "${url}${DIALECTS[dialect]}", keys: [sim-key], models: [{ name: sim-mini, context: 100000, output: 1000, price: { input: ${usd}, output: ${usd} }, capabilities: [${capabilities}] }] }`;
  world = await startUnderTest({
    more: (url) =>
      WORDS.flatMap((dialect) => [
        makeRow(url, `Blind-${dialect}`, dialect, 4, "tools"),
        makeRow(url, `Seeing-${dialect}`, dialect, 1, "tools, vision, files"),
      ]).join("\n"),
  });
});
afterAll(() => world.stop());

interface Sent {
  readonly status: number;
  readonly text: string;
  readonly dropped: readonly string[];
}

async function send(form: Form, model: string, turns: readonly JsonObject[]): Promise<Sent> {
  const { path, field, tools, more } = form;
  const route = path(model);
  const named = route.startsWith("/v1beta") ? {} : { model };
  const response = await fetch(world.url + route, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${world.secret}` },
    body: JSON.stringify({ ...named, ...more, ...tools, [field]: turns }),
  });
  const dropped = (response.headers.get("x-poundkey-dropped") ?? "").split(", ");
  return { status: response.status, text: await response.text(), dropped };
}

const readSent = () => JSON.stringify(world.simulator.calls.last()?.body);
/** A turn of the model's, a system prompt, and the place of the fifth turn's picture, on each surface. */
const PLACED: Readonly<Record<string, readonly [said: JsonObject, system: JsonObject, place: string]>> = {
  "chat completions": [{ role: "assistant", content: "Seen." }, {}, "messages[4].content[1]"],
  Messages: [{ role: "assistant", content: "Seen." }, { system: "Be brief." }, "messages[4].content[0]"],
  Responses: [{ role: "assistant", content: "Seen." }, { instructions: "Be brief." }, "input[4].content[1]"],
  Gemini: [
    { role: "model", parts: [{ text: "Seen." }] },
    { systemInstruction: { parts: [{ text: "Be brief." }] } },
    "contents[4].parts[1]",
  ],
};

const countLines = (sent: string) => sent.split(LINE).length - 1;

describe.each(Object.entries(FORMS))("on %s", (surface, form) => {
  const { asked, called, answered, dropped } = form;
  const loop = [asked("look", false), called, ...answered()];

  test.each(WORDS)("a picture in a tool's result, over %s", async (dialect) => {
    const blind = await send(form, `Blind-${dialect}#sim-mini`, loop);
    expect(blind).toMatchObject({ status: 200 });
    const sent = readSent();
    expect(sent).not.toContain(PIXELS);
    expect([countLines(sent), sent.includes("Here.")]).toEqual([1, true]);
    expect(blind.dropped).toContain(dropped);
    const seeing = await send(form, `Seeing-${dialect}#sim-mini`, loop);
    expect(seeing).toMatchObject({ status: 200 });
    expect(readSent()).toContain(PIXELS);
    expect(seeing.dropped).not.toContain(dropped);
  });

  test.each(WORDS)("a picture of an earlier turn, over %s", async (dialect) => {
    const turns = [
      asked("look", true),
      called,
      ...answered(),
      called,
      ...answered("say: both"),
      asked("say: seen", false),
    ];
    expect(await send(form, `Blind-${dialect}#sim-mini`, turns)).toMatchObject({ status: 200 });
    const sent = readSent();
    expect(sent).not.toContain(PIXELS);
    expect(countLines(sent)).toBe(4);
  });

  test("a picture beside a tool's results is the tool's", async () => {
    const turns = [asked("look", false), called, ...answered("say: seen")];
    expect(await send(form, "Blind-openai#sim-mini", turns)).toMatchObject({ status: 200 });
    expect(countLines(readSent())).toBe(2);
  });

  test.each(WORDS)("a picture in the newest user message is refused, over %s", async (dialect) => {
    const before = world.simulator.calls.total;
    const turns = [...loop, called, ...answered(), asked("look", true)];
    const end = asked("look", true);
    for (const given of [[end], [asked("hello", false), end]]) {
      const answer = await send(form, `Blind-${dialect}#sim-mini`, given);
      expect(answer.status).toBe(400);
      expect(answer.text).toContain("does not accept images");
    }
    const [said, system, place] = PLACED[surface] ?? [{}, {}, ""];
    const placed = { ...form, more: { ...form.more, ...system } };
    const answer = await send(placed, `Blind-${dialect}#sim-mini`, [...loop, said, end]);
    expect([answer.status, asObject(asObject(parseJson(answer.text)).error).param]).toEqual([400, place]);
    // Behind a tool's results, a picture may be the tool's.
    expect((await send(form, `Blind-${dialect}#sim-mini`, turns)).status).toBe(200);
    expect(world.simulator.calls.total).toBe(before + 1);
  });
});

const audio = { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } };
const file = { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,QUJDRA==" } };

function converse(...parts: readonly JsonObject[]) {
  return [
    { role: "user", content: [{ type: "text", text: "Take this." }, ...parts] },
    { role: "assistant", content: "Thanks." },
    { role: "user", content: "say: seen" },
  ];
}

test("files and sound are left out in the same way, each where it stood, with its cache mark", async () => {
  const mark = { cache_control: { type: "ephemeral" } };
  const messages = converse(audio, { ...file, ...mark }, chatPicture);
  const answer = await world.chat({ model: "Blind-anthropic#sim-mini", messages });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("x-poundkey-dropped")).toBe(
    "messages.input_audio, messages.file, messages.image_url",
  );
  expect(world.simulator.calls.last()?.body).toMatchObject({
    messages: [
      {
        content: [
          { text: "Take this." },
          { text: "\n[audio left out: this model takes no audio]" },
          { text: "\n[file left out: this model takes no files]", ...mark },
          { text: `\n${LINE}` },
        ],
      },
      {},
      {},
    ],
  });
});

test("a file in the provider's account is refused wherever it stands", async () => {
  const foreign = { type: "image_url", image_url: { url: "files/abc" } };
  const answer = await world.chat({ model: "Blind-openai#sim-mini", messages: converse(foreign) });
  expect([answer.status, await answer.text()]).toEqual([
    400,
    expect.stringContaining("unsupported_parameter"),
  ]);
});

test("what is held follows what is sent", async () => {
  const picture = { type: "image_url", image_url: { url: `data:image/png;base64,${PIXELS.repeat(2000)}` } };
  const messages = converse(...Array.from({ length: 40 }, () => picture));
  const { ask } = OPENAI_CHAT.read(incoming({ model: "m", messages }, "/v1/chat/completions"));
  const price = { input: 1, output: 1 };
  const hold = (capabilities: readonly Capability[]) => {
    const card = makeModelCard("Local#sim", { price, capabilities: new Set(capabilities) });
    const sent = CHAT.fit(responses.chat, ask, card, {}).ask;
    return (
      CHAT.offer(sent, card, { isLimitRequired: false, searches: 0, unreadBytes: 0, answersPerCall: 1 })
        .lines[0]?.count ?? 0
    );
  };
  expect(hold([])).toBeLessThan(hold(["vision"]) / 10);
});

describe("selectors", () => {
  const asked = (models: readonly string[]) =>
    world.newKey({ requests_per_day: null, allowed_models: ["Router#best", ...models] });
  const choose = async (messages: readonly JsonObject[], models: readonly string[]) => {
    const { secret } = await asked(models);
    const answer = await world.chat({ model: "Router#best", messages }, { secret });
    return [answer.status, answer.headers.get("x-poundkey-model")];
  };
  const BLIND = "Blind-openai#sim-mini";
  const SEEING = "Seeing-gemini#sim-mini";

  test("prefer a model that takes the whole conversation", async () => {
    // The opening has no picture, so that the conversation doesn't stay with a model that was chosen to see one.
    const messages = [...converse().slice(0, 2), ...converse(chatPicture)];
    expect(await choose(messages.slice(0, 1), [BLIND, SEEING])).toEqual([200, BLIND]);
    for (let at = 0; at < 5; at++) expect(await choose(messages, [BLIND, SEEING])).toEqual([200, SEEING]);
  });

  test("take another if there is none", async () => {
    expect(await choose(converse(chatPicture), [BLIND])).toEqual([200, BLIND]);
    expect(await choose(converse(audio, chatPicture), [BLIND, SEEING])).toEqual([200, expect.any(String)]);
  });

  test("need what the newest user message has", async () => {
    const messages = [{ role: "user", content: [{ type: "text", text: "look" }, chatPicture] }];
    expect((await choose(messages, [BLIND]))[0]).toBe(400);
    expect(await choose(messages, [BLIND, SEEING])).toEqual([200, SEEING]);
  });
});
