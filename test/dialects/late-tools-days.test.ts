// Conversations that add and remove tools at random: at each of their turns a prompt goes on from the one before it, keeps
// to its vendor's rules of place, and offers just the tools that the client has by then.
import { expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import type { DialectName } from "../../src/core/models/dialect-names.ts";
import type { ChatRequest } from "../../src/operations/chat/form.ts";
import { CHAT } from "../../src/operations/chat/operation.ts";
import { findDialect } from "../../src/providers/index.ts";
import { makeModelCard } from "../harness/cards.ts";
import { findChatCodec } from "../harness/codec.ts";
import { IS_LONG } from "../harness/long.ts";
import { Dice } from "../sim/dice.ts";
import { readMessages, readResponses } from "../surfaces/lane/native-read.ts";

const CONVERSATIONS = IS_LONG ? 10_000 : 120;
const TURNS = 5;
const NAMES = ["one", "two", "three", "four"] as const;
const TARGET = { baseUrl: "https://provider.test", secret: "s", headers: {} };
const capabilities = new Set(["tools"] as const);

const encode = (dialect: DialectName, id: string, ask: ChatRequest): JsonObject =>
  asObject(
    CHAT.encode(findChatCodec(findDialect(dialect)), ask, makeModelCard(id, { capabilities }), TARGET).body,
  );

/** A client that knows which tools it has offered. */
class Client {
  readonly offered = new Set<string>(["one"]);
  readonly #defined = new Set<string>(["one"]);
  readonly #dice: Dice;
  readonly items: JsonObject[] = [];
  #calls = 0;

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  /** Changes tools or gives an instruction. Sometimes a change is one that has no effect. */
  speak(isMessages: boolean): void {
    const name = this.#dice.pick(NAMES);
    const word = this.#dice.pick(isMessages ? ["add", "add", "remove", "say"] : ["add", "add", "say"]);
    if (word === "say") this.items.push(writeText(`Note ${this.items.length}.`, isMessages));
    else if (word === "add") this.items.push(this.#add(name, isMessages));
    else {
      this.offered.delete(name);
      this.items.push(writeBlock("tool_removal", { type: "tool_reference", name }));
    }
  }

  #add(name: string, isMessages: boolean): JsonObject {
    const isKnown = this.#defined.has(name);
    this.offered.add(name);
    this.#defined.add(name);
    const parameters = { type: "object" };
    if (!isMessages) return { type: "additional_tools", tools: [{ type: "function", name, parameters }] };
    if (isKnown) return writeBlock("tool_addition", { type: "tool_reference", name });
    const definition = { name, input_schema: parameters };
    return writeBlock("tool_addition", { type: "tool_definition", definition });
  }

  /** The model's answer, with a call that the client answers at once, or not. */
  hear(isMessages: boolean): boolean {
    if (this.#dice.chance(0.5)) {
      this.items.push({ role: "assistant", content: `Answer ${this.items.length}.` });
      return false;
    }
    const id = `c${this.#calls++}`;
    const between = this.#dice.chance(0.3);
    this.items.push(
      isMessages
        ? { role: "assistant", content: [{ type: "tool_use", id, name: "one", input: {} }] }
        : { type: "function_call", call_id: id, name: "one", arguments: "{}" },
    );
    if (between) this.speak(isMessages);
    this.items.push(
      isMessages
        ? { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "r" }] }
        : { type: "function_call_output", call_id: id, output: "r" },
    );
    return true;
  }
}

function writeBlock(type: string, tool: JsonObject): JsonObject {
  return { role: "system", content: [{ type, tool }] };
}

function writeText(text: string, isMessages: boolean): JsonObject {
  return isMessages
    ? { role: "system", content: [{ type: "text", text }] }
    : { role: "developer", content: text };
}

/** Anthropic's rules of place for system messages. */
function checkPlaces(messages: readonly JsonObject[]): void {
  for (const [at, { role, content }] of messages.entries()) {
    if (role !== "system") continue;
    expect(messages[at - 1]?.role).toBe("user");
    expect(["assistant", undefined]).toContain(messages[at + 1]?.role as string | undefined);
    expect(asArray(content).length).toBeGreaterThan(0);
  }
}

/** Returns the tools that Claude is offered at the end. A change without an effect is refused. */
function listOffered({ tools, messages }: JsonObject): string[] {
  const known = new Set(asArray(tools).map((tool) => String(asObject(tool).name)));
  const offered = new Set(known);
  for (const block of asArray(messages).flatMap((message) => asArray(asObject(message).content))) {
    const { type, tool } = asObject(block);
    if (type !== "tool_addition" && type !== "tool_removal") continue;
    const { type: form, name, definition } = asObject(tool);
    const changed = String(form === "tool_definition" ? asObject(definition).name : name);
    expect(known.has(changed)).toBe(form === "tool_reference");
    expect(offered.has(changed)).toBe(type === "tool_removal");
    known.add(changed);
    if (type === "tool_addition") offered.add(changed);
    else offered.delete(changed);
  }
  return [...offered].sort();
}

/** Returns the tools that a GPT is offered. */
function listAllowed({ tools, input, tool_choice: choice }: JsonObject): string[] {
  const added = asArray(input).flatMap((item) => asArray(asObject(item).tools));
  const all = [...asArray(tools), ...added].map((tool) => String(asObject(tool).name));
  expect(new Set(all).size).toBe(all.length);
  if (choice === "none") return [];
  const { tools: allowed } = asObject(choice);
  return (allowed === undefined ? all : asArray(allowed).map((tool) => String(asObject(tool).name))).sort();
}

const listFolded = ({ tools }: JsonObject) =>
  asArray(tools)
    .map((tool) => String(asObject(asObject(tool).function).name))
    .sort();

interface Prompts {
  readonly claude: JsonObject;
  readonly gpt: JsonObject;
}

function checkTurn(client: Client, isMessages: boolean, before: Prompts | null): Prompts {
  const tools = isMessages
    ? [{ name: "one", input_schema: { type: "object" } }]
    : [{ type: "function", name: "one", parameters: { type: "object" } }];
  const items = [...client.items];
  const { ask } = isMessages
    ? readMessages({ messages: items, tools })
    : readResponses({ input: items, tools });
  const claude = encode("anthropic", "Anthropic#claude-opus-5-5", ask);
  const gpt = encode("responses", "OpenAI#gpt-6.2-sol", ask);
  const offered = [...client.offered].sort();
  const messages = asArray(claude.messages).map(asObject);
  checkPlaces(messages);
  expect(listOffered(claude)).toEqual(offered);
  expect(listAllowed(gpt)).toEqual(offered);
  const server = encode("openai", "Own#some", ask);
  expect(listFolded(server)).toEqual(offered);
  expect(JSON.stringify(server)).not.toContain("tool_changes");
  if (before !== null) {
    const earlier = asArray(before.claude.messages);
    expect(messages.slice(0, earlier.length)).toEqual(earlier.map(asObject));
    expect(claude.tools).toEqual(before.claude.tools);
    const sent = asArray(before.gpt.input);
    expect(asArray(gpt.input).slice(0, sent.length)).toEqual([...sent]);
    expect(gpt.tools).toEqual(before.gpt.tools);
  }
  return { claude, gpt };
}

test.each([
  ["messages", true],
  ["responses", false],
] as const)("%s", (_surface, isMessages) => {
  for (let seed = 0; seed < CONVERSATIONS; seed++) {
    const dice = new Dice(seed);
    const client = new Client(dice);
    let before: Prompts | null = null;
    let hasAsked = false;
    for (let turn = 0; turn < TURNS; turn++) {
      // A message of the client's own behind an answer stands before its next turn.
      if (!hasAsked) {
        if (turn > 0 && dice.chance(0.4)) client.speak(isMessages);
        client.items.push({ role: "user", content: `Question ${turn}.` });
      }
      while (dice.chance(0.4)) client.speak(isMessages);
      before = checkTurn(client, isMessages, before);
      hasAsked = client.hear(isMessages);
    }
  }
});
