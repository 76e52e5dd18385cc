// Videos in chat completions, as vLLM, OpenRouter, Moonshot and Gemini take them: they reach these servers, and no other is
// sent one.
import { expect, test } from "bun:test";
import { Fault } from "../../../src/core/faults/fault.ts";
import { CROSSED_MODELS, cross } from "./crossing.ts";

const DATA = "AAAAIGZ0eXBpc29tAAACAGlzb20=";
const INLINE = `data:video/mp4;base64,${DATA}`;
const REMOTE = "https://videos.example/one.mp4";

const hold = (url: string) => ({
  messages: [
    {
      role: "user",
      content: [
        { type: "text", text: "hi" },
        { type: "video_url", video_url: { url } },
      ],
    },
  ],
});

const TAKERS: Readonly<Record<string, (url: string) => unknown>> = {
  "OpenRouter#qwen/qwen3.6-vl": (url) => ({ type: "video_url", video_url: { url } }),
  "Moonshot#kimi-k3": (url) => ({ type: "video_url", video_url: { url } }),
  "Qwen#qwen3.6-vl-plus": (url) => ({ type: "video_url", video_url: { url } }),
  "Google#gemini-3.8-flash": (url) =>
    url === INLINE
      ? { inlineData: { mimeType: "video/mp4", data: DATA } }
      : { fileData: { mimeType: "video/mp4", fileUri: url } },
};

test.each(Object.entries(TAKERS))("%s gets it", (model, expected) => {
  for (const url of [INLINE, REMOTE])
    for (const isStreamed of [false, true])
      expect(JSON.stringify(cross("chat", hold(url), model, isStreamed).body)).toContain(
        JSON.stringify(expected(url)),
      );
});

/** OpenAI's form can say it, so its servers answer for themselves. */
const UNABLE = CROSSED_MODELS.filter((model) => !/^(Google|OpenAI#gpt-5.4|xAI|Groq)/.test(model));

test.each(UNABLE)("%s is not asked", (model) => {
  for (const url of [INLINE, REMOTE]) {
    try {
      cross("chat", hold(url), model);
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      expect(thrown.code).toBe("unsupported_capability");
      continue;
    }
    throw new Error(`${model} was sent a video.`);
  }
});

test("an earlier video is a line to a model that takes none", () => {
  const { messages } = hold(INLINE);
  const later = [...messages, { role: "assistant", content: "Nice." }, { role: "user", content: "and now?" }];
  const { body, dropped } = cross("chat", { messages: later }, "Anthropic#claude-sonnet-5");
  expect(JSON.stringify(body)).toContain("[video left out: this model takes no videos]");
  expect(dropped).toContain("messages.video_url");
});
