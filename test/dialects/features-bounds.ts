// Features of long names: tools, calls and identifiers that are longer than a provider accepts.
import { expect } from "bun:test";
import { shorten } from "../../src/dialects/_chat/shorten.ts";
import { answered, type Feature, feature, makes, mentions, type Turn, user } from "./feature.ts";

/** Claude Code's longest names of tools have 128 characters. */
const LONG = `mcp__${"database_".repeat(13)}query`;
const OTHER = `mcp__${"database_".repeat(13)}write`;
const OPENED = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const fn = (name: string) => ({ type: "function", function: { name, parameters: OPENED } });
const tools = [fn(LONG), fn(OTHER)];
const choose = (name: string) => ({ type: "function", function: { name } });
const allow = { type: "allowed_tools", allowed_tools: { mode: "required", tools: [choose(OTHER)] } };

/** Asks for a call under each name by which a provider may know the tool. */
const asking = (name: string) =>
  [...new Set([name, shorten(name, 64), shorten(name, 127)])]
    .map((sent) => `call ${sent}({"city":"Oslo"})`)
    .join(" ");

const OLD_IDS = [`toolu_${"7".repeat(90)}`, `functions.${"weather:".repeat(12)}0`, "functions.weather:0"];

/** A history that another provider began. */
const history = (name: string) => [
  user("hello"),
  {
    role: "assistant",
    content: null,
    tool_calls: OLD_IDS.map((id) => ({
      id,
      type: "function",
      function: { name, arguments: '{"city":"Rome"}' },
    })),
  },
  ...OLD_IDS.map((id, at) => ({ role: "tool", tool_call_id: id, content: `weather ${at}` })),
];

const all = (...expects: readonly Turn["expects"][]): Turn["expects"] => {
  return (answer) => {
    for (const each of expects) each(answer);
  };
};

const keepsOut =
  (...texts: readonly string[]): Turn["expects"] =>
  ({ sent }) => {
    for (const text of texts) expect(sent).not.toContain(text);
  };

const USER = "u".repeat(300);
const METADATA = { ["k".repeat(70)]: "short", long: "v".repeat(600) };

export const BOUND_FEATURES: readonly Feature[] = [
  feature("long tool names", { tools, messages: [user(asking(LONG))] }, makes([LONG, { city: "Oslo" }])),
  feature(
    "a long tool name, forced",
    { tools, tool_choice: choose(OTHER), messages: [user("hello")] },
    makes([OTHER, { city: "sample" }]),
  ),
  feature(
    "long tool names, one allowed",
    { tools, tool_choice: allow, messages: [user("hello")] },
    makes([OTHER, { city: "sample" }]),
  ),
  feature(
    "a custom tool with a long name",
    {
      tools: [{ type: "custom", custom: { name: LONG } }],
      tool_choice: { type: "custom", custom: { name: LONG } },
      messages: [user("hello")],
    },
    (answer) => {
      answered(answer);
      expect(JSON.stringify(answer.reply)).toContain(LONG);
    },
  ),
  feature(
    "a history with long names and ids",
    { tools, messages: history(LONG) },
    all(mentions("weather 0", "weather 1", "weather 2"), keepsOut(...OLD_IDS.slice(0, 2))),
  ),
  feature(
    "long identifiers",
    {
      messages: [user("say: yes")],
      user: USER,
      safety_identifier: USER,
      prompt_cache_key: USER,
      metadata: METADATA,
    },
    all(answered, keepsOut(USER, "k".repeat(70), "v".repeat(600))),
  ),
];
