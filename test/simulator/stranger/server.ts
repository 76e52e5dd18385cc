// A server that nobody knows: it refuses, one at a time, what a seed makes it refuse, in sentences of real servers, and answers
// every other request as the simulated providers do. The API that is strict and the seed are in the model's name, `own-chat-7`.
import { asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { type Simulator, startSimulator } from "../../../src/simulator/server.ts";
import { WIRES, type Wire } from "./forms.ts";
import { chooseRules, type Rule, writeRefusal } from "./rules.ts";

interface StrangerCall {
  readonly wire: Wire;
  readonly model: string;
  readonly body: JsonObject;
  /** Null if it was answered. */
  readonly refusedBy: Rule | null;
}

export interface Stranger {
  /** Returns the base URL for a dialect's provider. */
  baseUrl(wire: Wire): string;
  /** Every request, oldest first. */
  readonly calls: StrangerCall[];
  /** No longer refuses it, as if its operator had mended the server. */
  lift(model: string, rule: Rule): void;
  stop(): Promise<void>;
}

const BASES: Readonly<Record<Wire, string>> = {
  chat: "/openai/v1",
  responses: "/openai/v1",
  messages: "/anthropic/v1",
  gemini: "/gemini/v1beta",
};
const ROUTES: Readonly<Record<Wire, RegExp>> = {
  chat: /\/chat\/completions$/,
  responses: /\/responses$/,
  messages: /\/messages$/,
  gemini: /\/models\/([^/:]+):/,
};
const STRICT = /^own-(chat|responses|messages|gemini)-(\d+)$/;

export async function startStranger(): Promise<Stranger> {
  const simulator = await startSimulator();
  const calls: StrangerCall[] = [];
  const known = new Map<string, readonly Rule[]>();
  const lifted = new Set<string>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const text = await request.text();
      const wire = WIRES.find((one) => ROUTES[one].test(pathname));
      if (wire === undefined) return pass(simulator, request, pathname + search, text);
      const body = asObject(parseJson(text));
      const model = String(body.model ?? ROUTES[wire].exec(pathname)?.[1]);
      const refusedBy = findRule(wire, model, body, known, lifted);
      calls.push({ wire, model, body, refusedBy });
      return refusedBy === null ? pass(simulator, request, pathname + search, text) : writeRefusal(refusedBy);
    },
  });
  return {
    baseUrl: (wire) => `http://127.0.0.1:${server.port}${BASES[wire]}`,
    calls,
    lift: (model, rule) => void lifted.add(nameRule(model, rule)),
    async stop() {
      await server.stop(true);
      await simulator.stop();
    },
  };
}

function findRule(
  wire: Wire,
  model: string,
  body: JsonObject,
  known: Map<string, readonly Rule[]>,
  lifted: ReadonlySet<string>,
): Rule | null {
  const [, strict, seed] = STRICT.exec(model) ?? [];
  if (strict !== wire) return null;
  const rules = known.get(model) ?? chooseRules(wire, Number(seed));
  known.set(model, rules);
  return rules.find((rule) => !lifted.has(nameRule(model, rule)) && rule.isIn(body)) ?? null;
}

function nameRule(model: string, { wire, refuses }: Rule): string {
  return `${wire} ${model} ${refuses}`;
}

async function pass(simulator: Simulator, request: Request, path: string, text: string): Promise<Response> {
  const headers = new Headers(request.headers);
  headers.delete("host");
  headers.delete("content-length");
  const { method } = request;
  const answered = await fetch(simulator.url + path, {
    method,
    headers,
    ...(text === "" ? {} : { body: text }),
  });
  return new Response(answered.body, { status: answered.status, headers: answered.headers });
}
