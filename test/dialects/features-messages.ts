// Features of messages: system prompts in any place, turns in any order, pictures, sound and documents.
import { expect } from "bun:test";
import { asArray, asObject } from "../../src/core/json/json.ts";
import { readChoice, readMessage, readWords } from "./asking.ts";
import { answered, type Feature, feature, mentions, says, user } from "./feature.ts";

const QUESTION = user("What is your system prompt?");
const system = (content: unknown) => ({ role: "system", content });
const developer = (content: unknown) => ({ role: "developer", content });
const assistant = (content: unknown) => ({ role: "assistant", content });
const text = (words: string) => ({ type: "text", text: words });

const SYSTEM_FEATURES: readonly Feature[] = [
  feature("a system prompt", { messages: [system("Be kind."), QUESTION] }, mentions("Be kind.")),
  feature(
    "a system prompt in parts",
    { messages: [system([text("Be "), text("kind.")]), QUESTION] },
    mentions("kind."),
  ),
  feature("a developer prompt", { messages: [developer("Be kind."), QUESTION] }, mentions("Be kind.")),
  feature(
    "several system and developer prompts",
    { messages: [system("Be kind."), developer("Be brief."), system("Be true."), QUESTION] },
    mentions("Be kind.", "Be brief.", "Be true."),
  ),
  feature(
    "a system prompt in mid-conversation",
    { messages: [system("Be kind."), user("Hi."), assistant("Hello."), system("Be brief."), QUESTION] },
    mentions("Be kind."),
  ),
  feature(
    "a system prompt at the end",
    { messages: [user("say: yes"), assistant("yes"), system("Be brief.")] },
    answered,
  ),
  feature("a system prompt alone", { messages: [system("Be kind.")] }, answered),
  feature("an empty system prompt", { messages: [system(""), user("say: yes")] }, says("yes")),
];

const ORDER_FEATURES: readonly Feature[] = [
  feature("the assistant first", { messages: [assistant("Hello."), user("say: yes")] }, says("yes")),
  feature("the user twice", { messages: [user("Hello."), user("say: yes")] }, says("yes")),
  feature(
    "the assistant twice",
    { messages: [user("Hi."), assistant("One."), assistant("Two."), user("say: yes")] },
    says("yes"),
  ),
  feature("the assistant last", { messages: [user("say: yes"), assistant("ye")] }, answered),
  feature(
    "an assistant who said nothing",
    { messages: [user("Hi."), assistant(""), user("say: yes")] },
    says("yes"),
  ),
  feature(
    "an assistant who refused",
    {
      messages: [
        user("Hi."),
        { role: "assistant", content: null, refusal: "I can't." },
        user("A."),
        assistant([{ type: "refusal", refusal: "No." }]),
        user("say: yes"),
      ],
    },
    says("yes"),
  ),
  feature("names", { messages: [{ ...user("say: yes"), name: "Ann" }] }, says("yes")),
  feature("blanks", { messages: [user(" \n"), assistant("  "), user("say: yes")] }, says("yes")),
  {
    name: "an answer sent back as it came",
    turns: [
      { ask: () => ({ messages: [user("say: one")] }), expects: says("one") },
      {
        ask: ([first]) => ({
          messages: [user("say: one"), first ? readMessage(first) : assistant("one"), user("say: two")],
        }),
        expects: says("two"),
      },
    ],
  },
];

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const WEBP = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==";
const image = (url: string, more: object = {}) => ({ type: "image_url", image_url: { url, ...more } });
const PDF = "JVBERi0xLjQKJSVFT0YK";
const file = (data: string, filename: string) => ({ type: "file", file: { file_data: data, filename } });

const MEDIA_FEATURES: readonly Feature[] = [
  feature(
    "an image by data URL",
    { messages: [user([text("look"), image(`data:image/png;base64,${PIXEL}`, { detail: "low" })])] },
    mentions("[image image/png 70 bytes]"),
  ),
  feature(
    "an image by https",
    { messages: [user([text("look"), image("https://example.com/cat.png")])] },
    (answer) => {
      answered(answer);
      expect(readWords(answer)).toMatch(/\[image (https:\/\/example.com\/cat.png|image\/png)\]/);
    },
  ),
  feature(
    "images alone, two of them",
    {
      messages: [
        user([
          image(`data:image/png;base64,${PIXEL}`),
          image(`data:image/webp;base64,${WEBP}`, { detail: "high" }),
        ]),
      ],
    },
    mentions("[image image/png 70 bytes]", "[image image/webp 34 bytes]"),
  ),
  feature(
    "a PDF",
    { messages: [user([text("read"), file(`data:application/pdf;base64,${PDF}`, "a.pdf")])] },
    mentions("[file application/pdf 15 bytes]"),
  ),
  feature(
    "a PDF to be cited",
    {
      messages: [
        user([
          text("read"),
          { ...file(`data:application/pdf;base64,${PDF}`, "a.pdf"), citations: { enabled: true } },
        ]),
      ],
    },
    (answer) => {
      mentions("[file application/pdf 15 bytes]")(answer);
      const isSent = answer.sent.includes('"citations":{"enabled":true}');
      expect(isSent).toBe(!answer.dropped.includes("citations"));
      expect(isSent).toBe(answer.sent.includes('"media_type":"application/pdf"'));
    },
  ),
  feature(
    "sound",
    {
      messages: [
        user([
          text("hear"),
          { type: "input_audio", input_audio: { data: "UklGRiQAAABXQVZF", format: "wav" } },
        ]),
      ],
    },
    (answer) => {
      answered(answer);
      expect(readWords(answer)).toMatch(/\[audio audio\/(x-)?wav 12 bytes\]/);
    },
  ),
];

/** Marks for one provider that the others must ignore. */
const cache_control = { type: "ephemeral" };
const place = { start_index: 0, end_index: 5, title: "A" };
const MARK_FEATURES: readonly Feature[] = [
  feature(
    "citations of an earlier turn",
    {
      messages: [
        user("Where?"),
        {
          ...assistant("Paris."),
          annotations: [{ type: "url_citation", url_citation: { ...place, url: "https://a.example/" } }],
          citations: [{ type: "document_citation", document_citation: place }],
        },
        user("say: yes"),
      ],
    },
    says("yes"),
  ),
  feature(
    "cache marks",
    {
      messages: [
        system([{ ...text("Be kind."), cache_control }]),
        user([{ ...text("say: yes"), cache_control, prompt_cache_breakpoint: { mode: "explicit" } }]),
      ],
    },
    says("yes"),
  ),
  feature(
    "log probabilities",
    { messages: [user("say: yes")], logprobs: true, top_logprobs: 1 },
    (answer) => {
      says("yes")(answer);
      const { content } = asObject(readChoice(answer.reply).logprobs);
      if (answer.dropped.includes("logprobs")) expect(content).toBeUndefined();
      else expect(asArray(content).map((each) => asObject(each).token)).toEqual(["yes"]);
    },
  ),
];

export const MESSAGE_FEATURES: readonly Feature[] = [
  ...SYSTEM_FEATURES,
  ...ORDER_FEATURES,
  ...MEDIA_FEATURES,
  ...MARK_FEATURES,
];
