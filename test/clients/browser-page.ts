// Runs in the page of another site: the vendors' SDKs for browsers call the gateway, and tell what they could read.
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai/web";
import OpenAI from "openai";

const PROMPT = "say: good day";
const MESSAGES = [{ role: "user" as const, content: PROMPT }];

type Told = Readonly<Record<string, unknown>>;

/** Returns the answer to each SDK, and what each could read of an answer's headers and of a refusal. */
async function askAll(url: string, apiKey: string): Promise<Told> {
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey, dangerouslyAllowBrowser: true, maxRetries: 0 });
  const wrong = new OpenAI({ baseURL: `${url}/v1`, apiKey: "sk-wrong", dangerouslyAllowBrowser: true });
  const anthropic = new Anthropic({ baseURL: url, apiKey, dangerouslyAllowBrowser: true, maxRetries: 0 });
  const google = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url } });
  const chat = await openai.chat.completions
    .create({ model: "Local#sim-mini", messages: MESSAGES })
    .withResponse();
  let streamed = "";
  const claude = { model: "Anthropic#claude-haiku-4-5", max_tokens: 100, messages: MESSAGES };
  const events = anthropic.beta.messages.stream({ ...claude, betas: ["interleaved-thinking-2025-05-14"] });
  for await (const event of events) {
    if (event.type === "content_block_delta" && event.delta.type === "text_delta")
      streamed += event.delta.text;
  }
  const gemini = await google.models.generateContent({
    model: "Google/gemini-2.5-flash",
    contents: PROMPT,
  });
  const refusal = await wrong.models.list().catch((error: unknown) => error);
  const { status, headers } = refusal instanceof OpenAI.APIError ? refusal : { status: null, headers: null };
  return {
    chat: chat.data.choices[0]?.message.content,
    model: chat.response.headers.get("x-poundkey-model"),
    requestId: chat.request_id,
    streamed,
    gemini: gemini.text,
    refusal: [status, headers?.get("x-should-retry")],
  };
}

/** Tries what only the console's own page may do. */
async function attack(url: string): Promise<Told> {
  const attempt = (path: string, init: RequestInit) =>
    fetch(url + path, init).then(
      ({ status }) => status,
      () => "blocked",
    );
  const json = { "content-type": "application/json" };
  return {
    keys: await attempt("/admin/v1/keys", { credentials: "include" }),
    change: await attempt("/admin/v1/keys", {
      method: "POST",
      credentials: "include",
      headers: json,
      body: "{}",
    }),
    signIn: await attempt("/admin/v1/session", { method: "POST", headers: json, body: '{"token":"x"}' }),
    metrics: await attempt("/metrics", {}),
    withCookie: await attempt("/v1/models", { credentials: "include" }),
  };
}

Object.assign(globalThis, { askAll, attack });
