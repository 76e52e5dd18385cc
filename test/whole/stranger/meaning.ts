// The meaning of a request, as the simulated providers read it, which must be the same whatever API it is said in.
import { asArray, asObject, isObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { anthropic } from "../../../src/simulator/anthropic.ts";
import { gemini } from "../../../src/simulator/gemini.ts";
import { openai } from "../../../src/simulator/openai.ts";
import { responses } from "../../../src/simulator/responses.ts";
import type { Prompt, Turn } from "../../../src/simulator/types.ts";
import type { Wire } from "../../simulator/stranger/forms.ts";
import { OUTPUT_TOOL } from "./conversation.ts";

const READERS = { chat: openai, responses, messages: anthropic, gemini };

/**
 * Returns what a server's request lacks of the client's. System messages may stand elsewhere, as the user's; of a forced tool
 * the server may be shown only that; a schema may be written out; and what an API can't say the gateway does itself.
 */
export function findLost(
  asked: readonly [Wire, JsonObject],
  sent: readonly [Wire, JsonObject],
): readonly string[] {
  const [one, other] = [readPrompt(asked), readPrompt(sent)];
  const texts = listTexts(one, new Set(listSystemMarks(one)));
  const parts = {
    system: [listSystemMarks(one), listMarks(other.turns).filter((mark) => mark.startsWith("mark-s"))],
    texts: [texts, listTexts(other, new Set(listSystemMarks(one)))],
    calls: [listCalls(one), listCalls(other)],
    media: [listMedia(one), listMedia(other)],
    tools: [listTools(one), listTools(other)],
    choice: [readChoice(one), readChoice(other)],
    format: [describeSchema(one.format?.schema ?? null), describeSchema(other.format?.schema ?? null)],
    stop: [one.stop, sent[0] === "responses" || asked[0] === "responses" ? one.stop : other.stop],
    limit: [one.outputTokensMax, other.outputTokensMax],
  };
  return Object.entries(parts).flatMap(([part, [before, after]]) => {
    const [was, is] = [JSON.stringify(before), JSON.stringify(after)];
    return was === is ? [] : [`${part}: ${was} → ${is}`];
  });
}

function readPrompt([wire, body]: readonly [Wire, JsonObject]): Prompt {
  const prompt = READERS[wire].readPrompt(body, "stranger");
  const output = prompt.tools.find(({ name }) => name === OUTPUT_TOOL);
  if (output === undefined) return prompt;
  const tools = prompt.tools.filter((tool) => tool !== output);
  return { ...prompt, tools, toolChoice: "auto", format: { schema: output.schema } };
}

const MARK = /\bmark-[a-z]+\d+\b/g;

function listMarks(turns: readonly Turn[]): readonly string[] {
  return turns.flatMap(({ text }) => text.match(MARK) ?? []);
}

function listSystemMarks({ turns }: Prompt): readonly string[] {
  return listMarks(turns.filter(({ role }) => role === "system"));
}

/** Returns the marks of all but the system's texts, each with who said it. */
function listTexts({ turns }: Prompt, system: ReadonlySet<string>): readonly string[] {
  return turns.flatMap((turn) =>
    listMarks([turn])
      .filter((mark) => !system.has(mark))
      .map((mark) => `${turn.role} ${mark}`),
  );
}

function listCalls({ turns }: Prompt): readonly string[] {
  return turns
    .flatMap(({ calls = [] }) => calls)
    .map(({ name, input }) => `${name} ${JSON.stringify(parseJson(input))}`);
}

function listMedia({ turns }: Prompt): readonly string[] {
  return turns.flatMap(({ media = [] }) => media).map(({ kind, bytes }) => `${kind} ${bytes}`);
}

function listTools({ tools, toolChoice }: Prompt): readonly string[] {
  const shown = typeof toolChoice === "object" ? tools.filter(({ name }) => name === toolChoice.name) : tools;
  return shown.map(({ name, schema }) => `${name} ${describeSchema(schema)}`);
}

function readChoice({ tools, toolChoice }: Prompt): string {
  if (typeof toolChoice === "object") return toolChoice.name;
  return toolChoice === "required" && tools.length === 1 ? String(tools[0]?.name) : toolChoice;
}

/** Describes a schema by its properties, its choices and what it requires, references written out. */
function describeSchema(schema: JsonObject | null): string {
  if (schema === null) return "";
  return listFacts(schema, asObject(schema.$defs), "").toSorted().join(", ");
}

function listFacts(given: JsonObject, defs: JsonObject, path: string): readonly string[] {
  const named = typeof given.$ref === "string" ? defs[given.$ref.split("/").at(-1) ?? ""] : null;
  const schema = isObject(named) ? { ...named, ...given } : given;
  const properties = Object.entries(asObject(schema.properties));
  return [
    ...asArray(schema.enum).map((choice) => `${path}=${choice}`),
    ...asArray(schema.required).map((name) => `${path}.${name}!`),
    ...properties.flatMap(([name, inner]) => [
      `${path}.${name}`,
      ...listFacts(asObject(inner), defs, `${path}.${name}`),
    ]),
  ];
}
