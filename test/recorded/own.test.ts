// The project's own exchanges: without recordings of real providers, they leave no form of an answer untested.
import { expect, test } from "bun:test";
import { asObject } from "../../src/core/json/json.ts";
import { MEDIA_APIS } from "../operations/media/recordings.ts";
import { CHECKS } from "./checks.ts";
import { CHAT_APIS, type ChatApi, OWN_FOLDER, readTraffic } from "./load.ts";
import { decodeAnswer, makeSubject, type Subject } from "./pipeline.ts";
import { readRows } from "./rows.ts";

/** At addresses of their own. */
const STREAMED_ONLY = ["gemini-streamGenerateContent", "bedrock-converse-stream", "bedrock-invoke-stream"];
/** And those that nobody streams. */
const WHOLE_ONLY = [
  ...["gemini-generateContent", "bedrock-converse", "bedrock-invoke", "audio-translations", "embeddings"],
  ...["rerank", "moderations", "models"],
  ...["anthropic-count-tokens", "responses-input-tokens", "gemini-countTokens"],
];
const BOTH = [...CHAT_APIS, ...MEDIA_APIS, "completions"].filter(
  (api) => !STREAMED_ONLY.includes(api) && !WHOLE_ONLY.includes(api),
);

test("the project holds an exchange of each recorded form", () => {
  const held = readRows(OWN_FOLDER)
    .filter(({ row }) => asObject(row.response).status === 200)
    .map(({ row }) => `${row.api} ${row.stream ? "streamed" : "whole"}`);
  const wanted = [
    ...[...BOTH, ...WHOLE_ONLY].map((api) => `${api} whole`),
    ...[...BOTH, ...STREAMED_ONLY].map((api) => `${api} streamed`),
  ];
  expect(wanted.filter((form) => !held.includes(form))).toEqual([]);
});

const subjects = readTraffic(OWN_FOLDER).recordings.map(makeSubject);

/** The choices of all whole answers in a form. */
function listMessages(api: ChatApi) {
  return subjects
    .filter(({ recording }) => recording.api === api && recording.status < 400)
    .flatMap(readMessages);
}

function readMessages(subject: Subject) {
  try {
    return decodeAnswer(subject).reply.choices.map(({ message }) => message);
  } catch {
    return [];
  }
}

test.each([...CHAT_APIS])("%s: the project holds a call, thinking and an error", (api) => {
  const messages = listMessages(api);
  expect(messages.some((message) => message.tool_calls?.length)).toBe(true);
  // Perplexity shows none.
  expect(messages.some((message) => message.reasoning_content)).toBe(api !== "perplexity-agent");
  expect(subjects.some(({ recording }) => recording.api === api && recording.status >= 400)).toBe(true);
});

test("each check holds for the project's own exchanges, whatever others there are", () => {
  const wrong = CHECKS.flatMap(([question, check]) =>
    subjects.flatMap((subject) =>
      (check(subject) ?? []).map((one) => `${subject.recording.id}, ${question}: ${one}`),
    ),
  );
  expect(wrong).toEqual([]);
});
