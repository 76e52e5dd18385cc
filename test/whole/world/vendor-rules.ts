// Rules of named vendors in front of the simulated provider, with their sources: MiniMax's roles and thinking, and a model of
// OpenAI's that is known only after it has refused. Every call is recorded, refused ones too.
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
export const LEARNED = /^gpt-5\.2-late/;
const MINIMAX = /^minimax/i;
/** MiniMax's own name for the form of its thinking (its API's description of `reasoning_details`). */
const FORMAT = "MiniMax-response-v1";

const SENTENCES = REFUSAL_SENTENCES.map(({ says }) => says);
const find = (words: string) => SENTENCES.find((says) => says.includes(words)) ?? "";
const SEVERAL = find("invalid chat setting");
const LATE = `invalid params, ${find("invalid message role")}`;
const TOOLS = find("Please use /v1/responses instead");

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
    const isRefused =
      LEARNED.test(model) && asArray(body.tools).length > 0 && isEffort(body.reasoning_effort);
    return isRefused ? refuse(TOOLS.replace("*", model)) : fetch(request);
  };
  return { fetch: answer, calls };
}

const isEffort = (effort: unknown) => effort !== undefined && effort !== "none";

function refuse(message: string): Response {
  return Response.json({ error: { message, type: "invalid_request_error", code: null } }, { status: 400 });
}

/** One system message, and that at the front (MiniMax-M2, issue 51; openclaw, issue 19386; CodexPlusPlus, issue 267). */
function findMisplaced(messages: unknown): string | null {
  const roles = asArray(messages).map((message) => asObject(message).role);
  const at = roles.flatMap((role, index) => (role === "system" ? [index] : []));
  if (roles.includes("developer") || at.some((index, order) => index !== order)) return LATE;
  return at.length > 1 ? SEVERAL : null;
}

/** Thinking stands in the text unless `reasoning_split` is set (MiniMax's API, "OpenAI API"; MiniMax-M2, issue 18). */
async function answerAsMinimax(request: Request, body: JsonObject): Promise<Response> {
  const refusal = findMisplaced(body.messages);
  if (refusal !== null) return refuse(refusal);
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
