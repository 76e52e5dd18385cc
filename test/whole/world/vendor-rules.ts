// Rules of named vendors in front of the simulated provider, with their sources: MiniMax's thinking, and a model of OpenAI's
// that is known only after it has refused. Every call is recorded, refused ones too.
import { asArray, asObject, asString, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { REFUSAL_SENTENCES } from "../../../src/core/models/words/refusal.ts";
import type { Fetch } from "../../../src/core/world/world.ts";

export interface VendorCall {
  readonly path: string;
  readonly body: JsonObject;
}

interface Vendors {
  readonly fetch: Fetch;
  readonly calls: VendorCall[];
}

/** OpenAI's words for gpt-5.4 and 5.5, of models that no pattern of the gateway's names. */
const LEARNED = /^gpt-5\.2-late/;
const MINIMAX = /^minimax/i;
/** MiniMax's own name for the form of its thinking (its API's description of `reasoning_details`). */
const FORMAT = "MiniMax-response-v1";

const TOOLS = REFUSAL_SENTENCES.find(({ refuses }) => refuses.includes("tools_with_effort"))?.says ?? "";

export function makeVendors(): Vendors {
  const calls: VendorCall[] = [];
  const answer: Fetch = async (url, init) => {
    const request = new Request(url, init);
    // Azure's header, which the simulated OpenAI doesn't read.
    const key = request.headers.get("api-key");
    if (key !== null) request.headers.set("authorization", `Bearer ${key}`);
    const body = asObject(parseJson(await request.clone().text()));
    const { pathname: path } = new URL(url);
    calls.push({ path, body });
    if (!path.endsWith("/chat/completions")) return fetch(request);
    const model = String(body.model);
    if (MINIMAX.test(model)) return answerAsMinimax(request, body);
    return LEARNED.test(model) && isRefused(body) ? refuse(model) : fetch(request);
  };
  return { fetch: answer, calls };
}

function isRefused({ tools, reasoning_effort: effort = "none" }: JsonObject): boolean {
  return asArray(tools).length > 0 && effort !== "none";
}

function refuse(model: string): Response {
  const error = { message: TOOLS.replace("*", model), type: "invalid_request_error", code: null };
  return Response.json({ error }, { status: 400 });
}

/** Thinking stands in the text unless `reasoning_split` is set (MiniMax's API, "OpenAI API"; MiniMax-M2, issue 18). */
async function answerAsMinimax(request: Request, body: JsonObject): Promise<Response> {
  const thinking = JSON.stringify({ ...body, reasoning_effort: "high" });
  const answered = await fetch(new Request(request, { body: thinking, headers: request.headers }));
  const isSplit = body.reasoning_split === true;
  const text = await answered.text();
  const changed = answered.headers.get("content-type")?.startsWith("application/json")
    ? JSON.stringify(rewriteChoices(asObject(parseJson(text)), (said) => moveThinking(said, isSplit)))
    : rewriteStream(text, isSplit);
  return new Response(changed, { status: answered.status, headers: answered.headers });
}

function rewriteChoices(body: JsonObject, rewrite: (said: JsonObject) => JsonObject): JsonObject {
  const choices = asArray(body.choices).map((given) => {
    const choice = asObject(given);
    const field = choice.message === undefined ? "delta" : "message";
    return { ...choice, [field]: rewrite(asObject(choice[field])) };
  });
  return body.choices === undefined ? body : { ...body, choices };
}

function moveThinking({ reasoning_content: thought, ...said }: JsonObject, isSplit: boolean): JsonObject {
  const text = asString(thought) ?? "";
  if (text === "") return said;
  if (!isSplit) return { ...said, content: `<think>${text}</think>${asString(said.content) ?? ""}` };
  const detail = { type: "reasoning.text", id: "reasoning-text-1", format: FORMAT, index: 0, text };
  return { ...said, reasoning_details: [detail] };
}

function rewriteStream(text: string, isSplit: boolean): string {
  const lines = text.split("\n").map((line) => {
    if (!line.startsWith("data: {")) return line;
    const event = asObject(parseJson(line.slice("data: ".length)));
    return `data: ${JSON.stringify(rewriteChoices(event, (said) => moveThinking(said, isSplit)))}`;
  });
  return lines.join("\n");
}
