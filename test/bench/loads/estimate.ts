// The error of the prompt estimates: against providers' counts in recorded calls, against o200k, and by kind of text.
import { createHash } from "node:crypto";
import type { ModelCard } from "../../../src/core/models/card.ts";
import { estimatePromptTokens, estimateWorstPromptTokens } from "../../../src/operations/chat/estimate.ts";
import type { ChatRequest } from "../../../src/operations/chat/form.ts";
import { countAmounts } from "../../../src/operations/chat/usage.ts";
import { makeModelCard } from "../../harness/cards.ts";
import { requestForm } from "../../recorded/expect/requests.ts";
import { HAS_OUTSIDE, NO_OUTSIDE, type Recording, readTraffic } from "../../recorded/load.ts";
import { decodeAnswer, makeSubject } from "../../recorded/pipeline.ts";

/** A recorded call: its request, its model, and the number of prompt tokens that the gateway would bill. */
export interface RecordedCall {
  readonly id: string;
  readonly file: string;
  readonly request: ChatRequest;
  readonly card: ModelCard;
  readonly counted: number;
}

const PROVIDERS: Readonly<Record<string, string>> = {
  anthropic: "Anthropic",
  cohere: "Cohere",
  gemini: "Google",
  vertexai: "Google",
  perplexity: "Perplexity",
};

/** The calls with a plain OpenAI request and reported usage. */
export function recordedCalls(): readonly RecordedCall[] {
  return readTraffic().recordings.flatMap((recording) => {
    const request = requestOf(recording);
    const counted = request === null ? 0 : countedIn(recording);
    if (request === null || counted === 0) return [];
    const { card } = makeSubject(recording);
    const provider = PROVIDERS[recording.file] ?? card.provider;
    return [{ id: recording.id, file: recording.file, request, card: { ...card, provider }, counted }];
  });
}

function requestOf(recording: Recording): ChatRequest | null {
  const form = requestForm(recording);
  if (form === null || recording.request === null) return null;
  try {
    return form.chat(recording.request, recording);
  } catch {
    return null;
  }
}

function countedIn(recording: Recording): number {
  try {
    const { usage } = decodeAnswer(makeSubject(recording)).reply;
    return usage ? countAmounts(usage).prompt : 0;
  } catch {
    return 0;
  }
}

/** True if all content is text, which a tokenizer can count. */
function isText({ request }: RecordedCall): boolean {
  return request.messages.every(
    ({ content }) => !Array.isArray(content) || content.every((part) => part.type === "text"),
  );
}

/** All text of a request that a tokenizer would count, without the providers' templates. */
function textsOf({ messages, tools, response_format: format }: ChatRequest): string {
  const texts: string[] = [];
  for (const { role, content, ...rest } of messages) {
    if (typeof content === "string") texts.push(content);
    for (const part of Array.isArray(content) ? content : []) if (part.type === "text") texts.push(part.text);
    for (const value of Object.values(rest)) texts.push(typeof value === "string" ? value : json(value));
  }
  return [...texts, json(tools), json(format)].filter((text) => text !== "").join("\n");
}

/** Leaves out signatures and encrypted thinking, which only their maker can read as text. */
function json(value: unknown): string {
  const sealed = ["signature", "thought_signature", "data"];
  if (value === undefined || value === null) return "";
  return JSON.stringify(value, (name, held) => (sealed.includes(name) ? undefined : held));
}

type Row = readonly (string | number)[];

function printTable(title: string, head: readonly string[], rows: readonly Row[]): void {
  console.log(`\n${title}`);
  for (const row of [head, ...rows]) {
    console.log(
      row.map((cell, at) => (at === 0 ? String(cell).padEnd(22) : shown(cell).padStart(11))).join(""),
    );
  }
}

function shown(cell: string | number): string {
  return typeof cell === "string" || Number.isInteger(cell) ? String(cell) : cell.toFixed(2);
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

interface Measured {
  readonly file: string;
  readonly real: number;
  readonly worst: number;
  readonly likely: number;
}

/** Prints how the estimates compare with the real counts, by provider and in total. */
function printRatios(title: string, measured: readonly Measured[]): void {
  const groups: readonly (readonly [string, readonly Measured[]])[] = [
    ...Map.groupBy(measured, ({ file }) => file),
    ["all", measured],
    ["all of 1,000 and more", measured.filter(({ real }) => real >= 1000)],
  ];
  const rows = groups.map(([name, group]): Row => {
    const worst = group.map((one) => one.worst / one.real).sort((a, b) => a - b);
    const likely = group.map((one) => one.likely / one.real).sort((a, b) => a - b);
    const sum = (field: "worst" | "likely" | "real") => group.reduce((total, one) => total + one[field], 0);
    const below = worst.filter((ratio) => ratio < 1).length;
    return [
      name,
      group.length,
      at(worst, 0.5),
      at(worst, 0.05),
      at(worst, 0),
      below,
      sum("worst") / sum("real"),
      at(likely, 0.5),
      sum("likely") / sum("real"),
    ];
  });
  const head = ["", "prompts", "median", "p5", "min", "below 1", "sum", "likely med", "likely sum"];
  printTable(title, head, rows);
}

/** Bytes that look random but are the same in each run. */
function noise(length: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, index) =>
    createHash("sha256").update(String(index)).digest(),
  );
  return Buffer.concat(blocks).subarray(0, length);
}

const hex = noise(480).toString("hex");
const numbers = [...noise(400)].map((byte, index) => (byte * 7919 * (index + 1)) % 1_000_000);

const TEXTS: Readonly<Record<string, string>> = {
  English:
    "The committee met on Thursday to discuss the proposal, and although several members raised objections, it was adopted by a narrow margin.",
  German:
    "Der Ausschuss trat am Donnerstag zusammen, um den Vorschlag zu erörtern, und obwohl mehrere Mitglieder Einwände erhoben, wurde er knapp angenommen.",
  Russian:
    "Комитет собрался в четверг, чтобы обсудить предложение, и хотя несколько членов возражали, оно было принято.",
  Chinese: "委员会于星期四开会讨论该提案，尽管有几名成员提出反对意见，但仍以微弱多数获得通过。",
  Japanese:
    "委員会は木曜日に提案を議論するために会合を開き、数人の委員が異議を唱えたものの、僅差で採択された。",
  Korean: "위원회는 목요일에 제안을 논의하기 위해 모였으며, 여러 위원이 반대했지만 근소한 차이로 채택되었다.",
  Arabic:
    "اجتمعت اللجنة يوم الخميس لمناقشة الاقتراح، وعلى الرغم من اعتراض عدة أعضاء، فقد تم اعتماده بأغلبية ضئيلة.",
  Hindi:
    "समिति ने गुरुवार को प्रस्ताव पर चर्चा करने के लिए बैठक की, और कई सदस्यों की आपत्तियों के बावजूद इसे मामूली अंतर से अपनाया गया।",
  Thai: "คณะกรรมการประชุมกันในวันพฤหัสบดีเพื่อหารือเกี่ยวกับข้อเสนอ แม้ว่าสมาชิกหลายคนจะคัดค้าน แต่ก็ได้รับการรับรอง",
  Amharic: "ኮሚቴው ሐሙስ ዕለት ሃሳቡን ለመወያየት ተሰብስቧል፣ ምንም እንኳን በርካታ አባላት ቢቃወሙም በጠባብ ልዩነት ተቀባይነት አግኝቷል።",
  Tibetan: "ཚོགས་ཆུང་གིས་གཟའ་ཕུར་བུའི་ཉིན་གྲོས་འགོ་ལ་གྲོས་བསྡུར་བྱེད་པར་འཚོགས།",
  emoji: "😀🎉👩‍👩‍👧‍👦🇩🇪🧑🏽‍🚀❤️‍🔥🦄🪿🫠🧿🪬🏴‍☠️",
  code: "export function cost(price: Price | null, tokens: Tokens): number {\n  return price === null ? 0 : costOf(linesOf(price, tokens));\n}\n",
  JSON: JSON.stringify(
    numbers.slice(0, 40).map((id) => ({ id, name: "widget", price: { amount: id / 100 } })),
  ),
  "JSON, indented": JSON.stringify(
    numbers.slice(0, 40).map((id) => ({ id, tags: ["a", "b"] })),
    null,
    2,
  ),
  "CSV of numbers": numbers.map((number, index) => `${number / 1000},${index}`).join("\n"),
  digits: numbers.join(""),
  UUIDs: (hex.match(/.{32}/g) ?? [])
    .map((id) => id.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"))
    .join("\n"),
  hexadecimal: hex,
  base64: noise(900).toString("base64"),
  "random ASCII": [...noise(900)].map((byte) => String.fromCharCode(33 + (byte % 94))).join(""),
};

const CARD = makeModelCard("Here#model");

function asking(content: string): ChatRequest {
  return { model: CARD.id, messages: [{ role: "user", content }] };
}

type Count = (text: string) => number;

function printTexts(o200k: Count, cl100k: Count): void {
  const rows = Object.entries(TEXTS).map(([name, text]): Row => {
    const bytes = Buffer.byteLength(text);
    const worst = estimateWorstPromptTokens(asking(text), CARD) - estimateWorstPromptTokens(asking(""), CARD);
    const tokens = o200k(text);
    return [name, bytes, bytes / tokens, bytes / cl100k(text), bytes / worst, worst / tokens];
  });
  const head = ["", "bytes", "o200k", "cl100k", "worst", "over o200k"];
  printTable("Bytes of text per token", head, rows);
}

function printSpeed(): void {
  const prose = TEXTS.English ?? "";
  const rows = [1000, 100_000, 500_000].map((bytes): Row => {
    const times = Array.from({ length: 41 }, (_, round) => {
      // Parsed from JSON, as in a real request: a string built by `repeat` would first have to be flattened.
      const content = `${round} ${prose.repeat(Math.ceil(bytes / prose.length)).slice(0, bytes)}`;
      const request = asking(JSON.parse(JSON.stringify(content)));
      const startedMs = performance.now();
      estimateWorstPromptTokens(request, CARD);
      return performance.now() - startedMs;
    });
    const sorted = times.toSorted((a, b) => a - b);
    return [`${bytes / 1000} KB`, `${(times[0] ?? 0).toFixed(3)}`, `${at(sorted, 0.5).toFixed(3)}`];
  });
  printTable("Time of the worst estimate, ms", ["", "first", "median"], rows);
}

function measured(
  calls: readonly RecordedCall[],
  realOf: (call: RecordedCall) => number,
): readonly Measured[] {
  return calls.map((call) => ({
    file: call.file,
    real: realOf(call),
    worst: estimateWorstPromptTokens(call.request, call.card),
    likely: estimatePromptTokens(call.request),
  }));
}

async function main(): Promise<void> {
  const { Tiktoken } = await import("js-tiktoken/lite");
  const { default: o200kRanks } = await import("js-tiktoken/ranks/o200k_base");
  const { default: cl100kRanks } = await import("js-tiktoken/ranks/cl100k_base");
  const o200k = new Tiktoken(o200kRanks);
  const cl100k = new Tiktoken(cl100kRanks);
  const count: Count = (text) => o200k.encode(text, "all").length;
  if (!HAS_OUTSIDE) {
    console.log(`Recorded traffic: ${NO_OUTSIDE}.`);
  } else {
    const calls = recordedCalls();
    printRatios(
      "Estimate ÷ the provider's own count",
      measured(calls, (call) => call.counted),
    );
    for (const { id, request, card, counted } of calls) {
      const worst = estimateWorstPromptTokens(request, card);
      if (worst < counted)
        console.log(`above the worst: ${id} ${card.name}, ${counted} counted, ${worst} held`);
    }
    const text = calls.filter(isText).filter(({ request }) => textsOf(request) !== "");
    printRatios(
      "Estimate ÷ o200k's count, prompts of text alone",
      measured(text, (call) => count(textsOf(call.request))),
    );
  }
  printTexts(count, (text) => cl100k.encode(text, "all").length);
  printSpeed();
}

if (import.meta.main) await main();
