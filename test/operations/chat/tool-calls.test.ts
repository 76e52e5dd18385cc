// Tool calls as clients get them, row by row: whatever upstreams send, indexes are dense and ids valid and unique.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { listCallIds, ToolCalls } from "../../../src/operations/chat/answer/tool-calls.ts";
import type { ChatRequest, ToolCallDelta } from "../../../src/operations/chat/form.ts";

const PREFIX = "call_4_0";

/** A fragment of a function call as an upstream sends it: with fields missing, or different from our types. */
function sent(fields: JsonObject, name?: string, input?: string): JsonObject {
  const parts = {
    ...(name === undefined ? {} : { name }),
    ...(input === undefined ? {} : { arguments: input }),
  };
  return { ...fields, function: parts };
}

/** A call's first fragment as the client receives it. */
function start(index: number, id: string, name: string, input = "", more: JsonObject = {}): JsonObject {
  return { index, id, type: "function", function: { name, arguments: input }, ...more };
}

function more(index: number, input: string): JsonObject {
  return { index, function: { arguments: input } };
}

function fragmentsOf(given: readonly JsonObject[]): ToolCallDelta[] {
  return JSON.parse(JSON.stringify(given));
}

interface Row {
  readonly name: string;
  /** The ids of earlier calls. */
  readonly history?: readonly string[];
  readonly given: readonly JsonObject[];
  readonly gives: readonly JsonObject[];
}

const LONGEST = "x".repeat(40);

const ID_ROWS: readonly Row[] = [
  {
    name: "a legal id stays",
    given: [sent({ index: 0, id: "call-A_1" }, "f", "{")],
    gives: [start(0, "call-A_1", "f", "{")],
  },
  {
    name: "the longest legal id stays",
    given: [sent({ index: 0, id: LONGEST }, "f", "1")],
    gives: [start(0, LONGEST, "f", "1")],
  },
  {
    name: "a longer one is replaced",
    given: [sent({ index: 0, id: `${LONGEST}x` }, "f", "1")],
    gives: [start(0, "call_4_0_0", "f", "1")],
  },
  {
    name: "illegal characters",
    given: [sent({ index: 0, id: "functions.f:0" }, "f", "1")],
    gives: [start(0, "call_4_0_0", "f", "1")],
  },
  {
    name: "no id",
    given: [sent({ index: 0 }, "f", "1"), sent({ index: 1, id: null }, "g", "2")],
    gives: [start(0, "call_4_0_0", "f", "1"), start(1, "call_4_0_1", "g", "2")],
  },
  {
    name: "an empty id",
    given: [sent({ index: 0, id: "" }, "f", "1")],
    gives: [start(0, "call_4_0_0", "f", "1")],
  },
  {
    name: "the same id twice",
    given: [sent({ index: 0, id: "a" }, "f", "1"), sent({ index: 1, id: "a" }, "f", "2")],
    gives: [start(0, "a", "f", "1"), start(1, "call_4_0_1", "f", "2")],
  },
  {
    name: "an id of the history",
    history: ["a"],
    given: [sent({ index: 0, id: "a" }, "f", "1")],
    gives: [start(0, "call_4_0_0", "f", "1")],
  },
  {
    name: "our own id is of the history too",
    history: ["call_4_0_0", "call_4_0_0_1"],
    given: [sent({ index: 0 }, "f", "1")],
    gives: [start(0, "call_4_0_0_2", "f", "1")],
  },
  {
    name: "our own id was sent before",
    given: [sent({ index: 0, id: "call_4_0_1" }, "f", "1"), sent({ index: 1 }, "g", "2")],
    gives: [start(0, "call_4_0_1", "f", "1"), start(1, "call_4_0_1_1", "g", "2")],
  },
];

const INDEX_ROWS: readonly Row[] = [
  {
    name: "indexes with gaps",
    given: [
      sent({ index: 3, id: "a" }, "f", "1"),
      sent({ index: 9, id: "b" }, "g", "2"),
      sent({ index: 3 }, undefined, "3"),
    ],
    gives: [start(0, "a", "f", "1"), start(1, "b", "g", "2"), more(0, "3")],
  },
  {
    name: "fragments in turns",
    given: [
      sent({ index: 0, id: "a" }, "f", ""),
      sent({ index: 1, id: "b" }, "g", ""),
      sent({ index: 1 }, undefined, "1"),
      sent({ index: 0 }, undefined, "0"),
    ],
    gives: [start(0, "a", "f"), start(1, "b", "g"), more(1, "1"), more(0, "0")],
  },
  {
    name: "whole calls that share an index",
    given: [sent({ index: 0, id: "a" }, "f", "1"), sent({ index: 0, id: "b" }, "f", "2")],
    gives: [start(0, "a", "f", "1"), start(1, "b", "f", "2")],
  },
  {
    name: "the fragments after them are the last one's",
    given: [
      sent({ index: 0, id: "a" }, "f", "1"),
      sent({ index: 0, id: "b" }, "f", "2"),
      sent({ index: 0, id: "b" }, undefined, "3"),
    ],
    gives: [start(0, "a", "f", "1"), start(1, "b", "f", "2"), more(1, "3")],
  },
  {
    name: "id and name on every fragment",
    given: [sent({ index: 0, id: "a" }, "f", "1"), sent({ index: 0, id: "a" }, "f", "2")],
    gives: [start(0, "a", "f", "1"), more(0, "2")],
  },
  {
    name: "the same, with an id that was replaced",
    given: [sent({ index: 0, id: "a.b" }, "f", "1"), sent({ index: 0, id: "a.b" }, "f", "2")],
    gives: [start(0, "call_4_0_0", "f", "1"), more(0, "2")],
  },
  {
    name: "the name on every fragment, the id on the first",
    given: [sent({ index: 0, id: "a" }, "f", "1"), sent({ index: 0 }, "f", "2")],
    gives: [start(0, "a", "f", "1"), more(0, "2")],
  },
  {
    name: "another id without a name goes on",
    given: [sent({ index: 0, id: "a" }, "f", "1"), sent({ index: 0, id: "z" }, undefined, "2")],
    gives: [start(0, "a", "f", "1"), more(0, "2")],
  },
  {
    name: "no index: a name begins a call, the rest goes on with the last",
    given: [
      sent({ id: "a" }, "f", "1"),
      sent({}, undefined, "2"),
      sent({ id: "b" }, "g", "3"),
      sent({}, undefined, "4"),
    ],
    gives: [start(0, "a", "f", "1"), more(0, "2"), start(1, "b", "g", "3"), more(1, "4")],
  },
  {
    name: "neither index nor id",
    given: [sent({}, "f", "1"), sent({}, "f", "2"), sent({}, undefined, "3")],
    gives: [start(0, "call_4_0_0", "f", "1"), start(1, "call_4_0_1", "f", "2"), more(1, "3")],
  },
];

const INPUT_ROWS: readonly Row[] = [
  {
    name: "a first fragment without a name waits for it",
    given: [
      sent({ index: 0, id: "a" }, undefined, "1"),
      sent({ index: 0 }, "", "2"),
      sent({ index: 0 }, "f", "3"),
    ],
    gives: [start(0, "a", "f", "123")],
  },
  {
    name: "a null id takes nothing away from it",
    given: [sent({ index: 0, id: "a" }, undefined, "1"), sent({ index: 0, id: null }, "f", "2")],
    gives: [start(0, "a", "f", "12")],
  },
  {
    name: "what waited is not given twice",
    given: [
      sent({ index: 0, id: "a" }, undefined, "1"),
      sent({ index: 0 }, "f", "2"),
      sent({ index: 0, id: "b" }, "g", "3"),
    ],
    gives: [start(0, "a", "f", "12"), start(1, "b", "g", "3")],
  },
  {
    name: "so does one without an index",
    given: [sent({ id: "a" }, undefined, "1"), sent({}, "f", "2")],
    gives: [start(0, "a", "f", "12")],
  },
  {
    name: "what never gets a name is no call",
    given: [sent({ index: 0, id: "a" }, undefined, "1"), sent({ index: 1, id: "b" }, "f", "2")],
    gives: [start(0, "b", "f", "2")],
  },
  {
    name: "no arguments end as an empty object",
    given: [
      sent({ index: 0, id: "a" }, "f", ""),
      sent({ index: 1, id: "b" }, "g"),
      sent({ index: 0 }, undefined, ""),
    ],
    gives: [start(0, "a", "f"), start(1, "b", "g"), more(0, "{}"), more(1, "{}")],
  },
  {
    name: "arguments that came late are enough",
    given: [sent({ index: 0, id: "a" }, "f", ""), sent({ index: 0 }, undefined, "{}")],
    gives: [start(0, "a", "f"), more(0, "{}")],
  },
  {
    name: "custom calls may be empty",
    given: [{ index: 0, id: "a", custom: { name: "f" } }],
    gives: [{ index: 0, id: "a", type: "custom", custom: { name: "f", input: "" } }],
  },
  {
    name: "custom calls in fragments",
    given: [
      { index: 0, id: "a", custom: { name: "f", input: "1" } },
      { index: 0, custom: { input: "2" } },
    ],
    gives: [
      { index: 0, id: "a", type: "custom", custom: { name: "f", input: "1" } },
      { index: 0, custom: { input: "2" } },
    ],
  },
  {
    name: "signatures stay with their fragment",
    given: [
      sent({ index: 0, id: "a", extra_content: { s: 1 } }, "f", "1"),
      sent({ index: 0, extra_content: { s: 2 } }),
    ],
    gives: [
      start(0, "a", "f", "1", { extra_content: { s: 1 } }),
      { ...more(0, ""), extra_content: { s: 2 } },
    ],
  },
  {
    name: "a signature that came before the name",
    given: [sent({ index: 0, extra_content: { s: 1 } }), sent({ index: 0, id: "a" }, "f", "1")],
    gives: [start(0, "a", "f", "1", { extra_content: { s: 1 } })],
  },
  {
    name: "other fields of fragments are dropped",
    given: [sent({ index: 0, id: "a", type: "f", x: 1 }, "f", "1"), sent({ index: 0, type: "function" })],
    gives: [start(0, "a", "f", "1")],
  },
];

describe.each([
  ["ids", ID_ROWS],
  ["indexes", INDEX_ROWS],
  ["names and arguments", INPUT_ROWS],
] as const)("%s", (_, rows) => {
  for (const { name, history = [], given, gives } of rows) {
    test(name, () => {
      const calls = new ToolCalls(new Set(history), PREFIX);
      const pushed = fragmentsOf(given).flatMap((fragment) => calls.push([fragment]));
      expect<unknown>([...pushed, ...calls.end(false)]).toEqual(gives);
      expect(calls.count).toBe(gives.filter((one) => "id" in one).length);
    });

    test(`${name}, in one chunk`, () => {
      const calls = new ToolCalls(new Set(history), PREFIX);
      expect<unknown>([...calls.push(fragmentsOf(given)), ...calls.end(false)]).toEqual(gives);
    });
  }
});

test("ids are unique among all choices of a reply", () => {
  const taken = new Set<string>();
  const first = new ToolCalls(taken, "call_4_0");
  const second = new ToolCalls(taken, "call_4_1");
  const call = fragmentsOf([sent({ index: 0, id: "a" }, "f", "1")]);
  expect(first.push(call)[0]?.id).toBe("a");
  expect(second.push(call)[0]?.id).toBe("call_4_1_0");
});

test("the history's ids are those of the assistant's calls", () => {
  const call = { id: "a", type: "function" as const, function: { name: "f", arguments: "{}" } };
  const request: ChatRequest = {
    model: "m",
    messages: [
      { role: "assistant", tool_calls: [call, { ...call, id: "b" }] },
      { role: "tool", tool_call_id: "c", content: "" },
      { role: "assistant", content: "x" },
    ],
  };
  expect([...listCallIds(request)]).toEqual(["a", "b"]);
});
