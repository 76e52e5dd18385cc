// Conversations of connections: whatever a turn adds, where it goes on from and however its tools change, all is read, refused,
// counted and sent as if the whole conversation had come alone.
import { expect, test } from "bun:test";
import { Fault } from "../../../src/core/faults/fault.ts";
import { writeJson } from "../../../src/core/json/source.ts";
import type { DialectName } from "../../../src/core/models/dialect-names.ts";
import { makeRemembered, type RememberedTurn, SocketMemory } from "../../../src/http/sockets/memory.ts";
import { CHAT } from "../../../src/operations/chat/operation.ts";
import { findDialect } from "../../../src/providers/index.ts";
import { makeSummaryItem } from "../../../src/surfaces/openai-responses/compaction/summary.ts";
import { OPENAI_RESPONSES } from "../../../src/surfaces/openai-responses/surface.ts";
import { makeModelCard } from "../../harness/cards.ts";
import { Dice } from "../../sim/dice.ts";
import { incoming, PLAIN_SEALER } from "../../surfaces/recorded.ts";
import { CONVERSATIONS } from "./cuts.ts";

const TURNS = 160;
const DIALECTS: readonly DialectName[] = ["responses", "openai", "anthropic", "gemini"];
const TARGET = { baseUrl: "https://provider.example/v1", secret: "s", headers: {} };
const CARD = {
  ...makeModelCard("Local#m"),
  capabilities: new Set(["tools", "tools_auto", "vision", "files", "audio", "structured"] as const),
};
const LIMITS = { choicesMax: 16, messagesMax: 10_000 };
const RULES = { bytesMax: 1e7, accountBytesMax: 1e7, memoryBytesMax: 1e7 };

const call = (name: string, namespace?: string) => ({
  type: "function_call",
  id: `fc_pk1_${name}_0`,
  call_id: `c_${name}`,
  name,
  namespace,
  arguments: '{"at":1}',
});
/** Items beside those of the conversations: our own ids, names of tools that depend on each other, and what isn't taken. */
const ODD: readonly object[] = [
  call("read", "files"),
  call("files__read"),
  call("read"),
  { type: "function_call_output", call_id: "c_read", output: 'é😀 "quotes"' },
  { type: "reasoning", id: "rs_pk1_x_0", summary: [], encrypted_content: "pk1.x" },
  { type: "message", role: "assistant", id: "msg_pk1_x_0", content: [{ type: "output_text", text: "ok" }] },
  {
    type: "message",
    role: "assistant",
    content: [
      { type: "output_text", text: "a", annotations: [{ type: "url_citation", url: "https://a.example" }] },
    ],
  },
  { type: "image_generation_call", id: "ig_1", result: "x" },
  { type: "additional_tools", tools: [{ type: "web_search" }] },
  { type: "unheard_of", text: "x" },
  { role: "user", content: 7 },
  makeSummaryItem("cmp_1", PLAIN_SEALER, "All of it."),
  { type: "compaction", encrypted_content: "gAAAA" },
  {
    type: "message",
    role: "user",
    content: [{ type: "input_text", text: "a", prompt_cache_breakpoint: {} }],
  },
];
const ITEMS = [
  ...CONVERSATIONS.flatMap(({ items }) => items),
  ...CONVERSATIONS.flatMap(({ items }) => items),
  ...ODD,
];
const READ = { type: "function", name: "read", parameters: { type: "object" }, strict: false };
const OTHERS = [
  {},
  { tools: [READ] },
  { tools: [{ type: "namespace", name: "files", tools: [READ] }], instructions: "Be brief." },
  {
    tools: [
      { ...READ, name: "files__read" },
      { type: "namespace", name: "files", tools: [READ] },
    ],
  },
  { instructions: "Be brief." },
  { instructions: "Be long." },
];

const explain = (thrown: unknown) => {
  if (thrown instanceof Fault) return `${thrown.code}: ${thrown.message}`;
  throw thrown;
};

/** Returns all that comes of a request, and what is remembered of it with an answer. */
function follow(fields: object, previous: RememberedTurn | null, answer: readonly object[]) {
  const kept = previous && { id: previous.id, itemIds: [], input: previous.items, response: {} };
  const keeping = { previous: kept, items: new Map() };
  try {
    const given = {
      ...incoming({ model: "Local#m", ...fields }),
      limits: LIMITS,
      keeping,
      isRemembered: true,
    };
    const exchange = OPENAI_RESPONSES.read(given);
    const { ask, raw, dropped, lost, unreadBytes, searches, nativeOnly, names, history } = exchange;
    const read = {
      ask,
      raw: raw?.body ?? null,
      dropped,
      lost,
      unreadBytes,
      searches,
      nativeOnly,
      names,
      history,
    };
    const counted = [CHAT.estimatePrompt(ask), CHAT.offer(ask, CARD, { ...exchange, answersPerCall: 1 })];
    const sent = DIALECTS.map((name) => {
      try {
        const { chat } = findDialect(name);
        const lane = raw && chat?.lanes?.[raw.family];
        if (raw && lane) return writeJson(lane.encode(raw, ask, CARD, TARGET).body);
        return chat ? writeJson(CHAT.encode(chat, ask, CARD, TARGET).body) : "";
      } catch (thrown) {
        return explain(thrown);
      }
    });
    const outcome = JSON.stringify({ read, counted, sent: sent.map((one) => Buffer.from(one).toString()) });
    const remembered = exchange.keep?.(exchange.kept?.body ?? {}, { id: "resp_1", output: [...answer] });
    // As the gateway does once the answer has begun.
    CHAT.forgetPrompt?.(ask, raw);
    return { outcome, remembered: remembered ? makeRemembered(remembered) : null };
  } catch (thrown) {
    return { outcome: explain(thrown), remembered: null };
  }
}

test.each([1, 2])("all is as if it had come alone (seed %d)", (seed) => {
  const dice = new Dice(seed);
  const memory = new SocketMemory(() => RULES).open("a");
  const lanes = new Map<string, RememberedTurn>();
  let longest = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    const pick = (most: number) => Array.from({ length: dice.int(0, most) }, () => dice.pick(ITEMS));
    const lane = dice.pick(["a", "b"]);
    const from = dice.chance(0.9) ? lane : dice.pick(["a", "b", "none"]);
    const previous = lanes.get(from) ?? null;
    const input = [...pick(4), { role: "user", content: `turn ${turn}` }];
    const fields = { input, ...(dice.chance(0.2) ? dice.pick(OTHERS) : OTHERS[seed]), stream: true };
    const answer = pick(3);
    const found = follow(fields, previous, answer);
    // The same items as other objects, which nothing is known of.
    const whole: object[] = JSON.parse(JSON.stringify([...(previous?.items ?? []), ...input]));
    const wanted = follow({ ...fields, input: whole }, null, answer);
    if (found.outcome !== wanted.outcome) expect([turn, found.outcome]).toEqual([turn, wanted.outcome]);
    if (found.remembered === null || found.remembered.items.length > 60) {
      if (previous && dice.chance(0.3)) lanes.delete(lane);
      continue;
    }
    memory.keep(lane, found.remembered);
    lanes.set(lane, found.remembered);
    longest = Math.max(longest, found.remembered.items.length);
  }
  expect(longest).toBeGreaterThan(20);
});
