// Thinking of another family in the history is counted where the target is sent none of it, and nowhere else.
import { expect, test } from "bun:test";
import { cohere } from "../../src/dialects/cohere/dialect.ts";
import type { Dialect } from "../../src/dialects/dialect.ts";
import { mistral } from "../../src/dialects/mistral/dialect.ts";
import { makeOpenaiDialect } from "../../src/dialects/openai/dialect.ts";
import { type OpenaiQuirks, PLAIN } from "../../src/dialects/openai/quirks.ts";
import type { ReasoningDetail } from "../../src/operations/chat/form.ts";
import { COMPATIBLE } from "../../src/providers/compatible.ts";
import { encoded, makeCard } from "./cases/drive.ts";

const server = (quirks: Partial<OpenaiQuirks>) => makeOpenaiDialect({ ...PLAIN, ...quirks });
const signed = (format: string): ReasoningDetail => ({
  type: "reasoning.text",
  text: "It is noon.",
  signature: "s",
  format,
});
const sealed = (format: string): ReasoningDetail => ({ type: "reasoning.encrypted", data: "d", format });
const CLAUDE = "anthropic-claude-v1";
const OPENAI = "openai-responses-v1";

const THINKS = ["tools", "reasoning"] as const;
interface Row {
  readonly target: string;
  readonly dialect: Dialect;
  readonly name?: string;
  readonly thinks?: boolean;
  readonly detail: ReasoningDetail;
  readonly count: number | undefined;
}

const ROWS: readonly Row[] = [
  { target: "Cohere", dialect: cohere, detail: signed(CLAUDE), count: 1 },
  { target: "Cohere, its own", dialect: cohere, detail: signed("cohere-v2-thinking"), count: undefined },
  { target: "Mistral", dialect: mistral, detail: signed(CLAUDE), count: undefined },
  { target: "Mistral, without a text", dialect: mistral, detail: sealed(CLAUDE), count: 1 },
  { target: "Mistral that doesn't think", dialect: mistral, thinks: false, detail: signed(CLAUDE), count: 1 },
  { target: "no place", dialect: server({ thoughts: null }), detail: signed(CLAUDE), count: 1 },
  {
    target: "no place, its own",
    dialect: server({ thoughts: null }),
    name: "gpt-5.5",
    detail: sealed(OPENAI),
    count: undefined,
  },
  ...(["reasoning", "reasoning_content"] as const).flatMap((thoughts): Row[] => [
    { target: thoughts, dialect: server({ thoughts }), detail: signed(CLAUDE), count: undefined },
    {
      target: `${thoughts}, without a text`,
      dialect: server({ thoughts }),
      detail: sealed(CLAUDE),
      count: 1,
    },
  ]),
  {
    target: "details of any format",
    dialect: server({ thoughts: "reasoning_details", detailsFormat: null }),
    detail: sealed(CLAUDE),
    count: undefined,
  },
  {
    target: "details of its own format",
    dialect: server({ thoughts: "reasoning_details", detailsFormat: "own" }),
    detail: sealed(CLAUDE),
    count: 1,
  },
  { target: "a server of the operator's", dialect: COMPATIBLE, detail: sealed(CLAUDE), count: undefined },
];

test.each([...ROWS])("$target: $count", ({ dialect, name = "m", thinks = true, detail, count }) => {
  const messages = [
    { role: "user" as const, content: "Hello." },
    { role: "assistant" as const, content: "Yes?", reasoning_details: [detail] },
    { role: "user" as const, content: "Hi." },
  ];
  const outgoing = encoded(dialect, { messages }, makeCard(name, thinks ? THINKS : ["tools"]));
  expect(outgoing.foreignThinking).toBe(count);
  const { data, text } = detail;
  const sent = JSON.stringify(outgoing.body);
  const isThere = sent.includes(`"${text ?? data}"`);
  const isOwn = detail.format === "cohere-v2-thinking";
  if (name === "m") expect(isThere).toBe(count === undefined || isOwn);
});
