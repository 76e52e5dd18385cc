// Rules of named vendors in front of the simulated provider, with their sources: MiniMax's thinking, a model of OpenAI's that
// is known only after it has refused, and one that refuses whatever its API lacks. Every call is recorded, refused ones too.
import { asArray, asObject, asString, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { REFUSAL_SENTENCES } from "../../../src/core/models/words/refusal.ts";
import type { Fetch } from "../../../src/core/world/world.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { SURFACE_KEYS } from "../../surfaces/crossing/crossing.ts";
import { refuseUnknown } from "../targets/strict-form.ts";
import { type AskedSurface, askSurface, type SurfaceAnswer } from "./surface-asking.ts";

interface VendorCall {
  readonly path: string;
  readonly body: JsonObject;
}

interface VendorCalls {
  readonly fetch: Fetch;
  /** Returns the YAML of the providers that are asked beside those of every gateway under test. */
  readonly write: (simulatorUrl: string) => string;
  readonly calls: VendorCall[];
}

/** Every surface, whole and streamed. */
const SURFACES: readonly AskedSurface[] = [...SURFACE_KEYS, "interactions"];
export const WAYS = SURFACES.flatMap((surface) => [
  { surface, stream: false },
  { surface, stream: true },
]);
export type SurfaceBodies = Readonly<Record<AskedSurface, JsonObject>>;

export const CHAT = "/chat/completions";
export const RESPONSES = "/responses";

/** A gateway before these vendors. */
export interface Vendors {
  readonly gateway: UnderTest;
  readonly calls: readonly VendorCall[];
  /** Returns the answer, with the paths of all calls for it and the body of the last. */
  ask(surface: AskedSurface, model: string, body: JsonObject, stream: boolean): Promise<VendorAnswer>;
  stop(): Promise<void>;
}

interface VendorAnswer extends SurfaceAnswer {
  readonly paths: readonly string[];
}

/** The address of a row of the operator's, for which the simulated provider answers. */
const OWN_ADDRESS = "https://api.minimax.io";

function writeVendors(url: string): string {
  const more = "keys: [sim-key], unlisted_models: true";
  return [
    `  Azure: { base_url: "${url}/openai/v1", ${more}, models: [{ name: gpt-5.2-late-taken }] }`,
    `  MiniMax: { base_url: "${url}/openai/v1", ${more} }`,
    `  Mine: { base_url: "${OWN_ADDRESS}/v1", ${more} }`,
  ].join("\n");
}

const MORE = `models:
  "Azure#gpt-5.2-late-taken": { refuses: [-tools_with_effort] }
  "OpenAI#gpt-5.1": { refuses: [tools_with_effort] }
aliases:
  both: [{ model: "OpenAI#gpt-5.5", weight: 1000 }, { model: "Azure#gpt-5.4", weight: 0.001 }]`;

export async function startVendors(): Promise<Vendors> {
  const { fetch, calls, write } = makeVendors();
  const gateway = await startUnderTest({ fetch, more: (url) => `${write(url)}\n${MORE}` });
  return {
    gateway,
    calls,
    async ask(surface, model, body, stream) {
      const before = calls.length;
      const answer = await askSurface(gateway, { surface, model, body, stream });
      const made = calls.slice(before);
      const paths = made.map(({ path }) => path.slice("/openai/v1".length));
      return { ...answer, paths, sent: made.at(-1)?.body ?? {} };
    },
    stop: () => gateway.stop(),
  };
}

/** OpenAI's words for gpt-5.4 and 5.5, of models that no pattern of the gateway's names. */
const LEARNED = /^gpt-5\.2-late/;
const STRICT = /^gpt-4\.1/;
const MINIMAX = /^minimax/i;
/** MiniMax's own name for the form of its thinking (its API's description of `reasoning_details`). */
const FORMAT = "MiniMax-response-v1";

const TOOLS = REFUSAL_SENTENCES.find(({ refuses }) => refuses.includes("tools_with_effort"))?.says ?? "";

export function makeVendors(): VendorCalls {
  const calls: VendorCall[] = [];
  let simulated = "";
  const answer: Fetch = async (asked, init) => {
    const url = asked.replace(OWN_ADDRESS, `${simulated}/openai`);
    const request = new Request(url, init);
    // Azure's header, which the simulated OpenAI doesn't read.
    const key = request.headers.get("api-key");
    if (key !== null) request.headers.set("authorization", `Bearer ${key}`);
    const body = asObject(parseJson(await request.clone().text()));
    const { pathname: path } = new URL(url);
    calls.push({ path, body });
    if (!path.endsWith("/chat/completions")) return fetch(request);
    const model = String(body.model);
    const refusal = STRICT.test(model) ? refuseUnknown(body) : null;
    if (refusal !== null) return refusal;
    if (MINIMAX.test(model)) return answerAsMinimax(request, body);
    return LEARNED.test(model) && isRefused(body) ? refuse(model) : fetch(request);
  };
  const write = (url: string) => {
    simulated = url;
    return writeVendors(url);
  };
  return { fetch: answer, calls, write };
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
