// The prompts and models of a sample, and what it is expected to cost.

import { openContent } from "../../admin/log/open-content.ts";
import { LESSONS_AT_ONCE, readLessons } from "../../admin/models/lessons.ts";
import { MODELS_MAX, type Sampling } from "../../admin/models/sampling.ts";
import { Fault } from "../../core/faults/fault.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import { SAMPLING_KEY } from "../../core/keys/key.ts";
import type { RequestRecord } from "../../core/log/record.ts";
import type { ModelCard } from "../../core/models/card.ts";
import { SELECTORS, type Selector } from "../../core/models/selector.ts";
import { readPages } from "../../core/world/read-pages.ts";
import { readPrompt } from "../../http/models/sampled-call.ts";
import type { HttpPorts } from "../../http/ports.ts";
import type { ChatRequest } from "../../operations/chat/form.ts";
import { findNeeds } from "../../operations/chat/needs.ts";
import { type Access, adminAccess, COMMAND_LINE } from "../../people/access.ts";
import { choose } from "../../selectors/choose.ts";
import { estimateCost } from "../../selectors/expense.ts";
import { SELECTOR_RULES } from "../../selectors/index.ts";
import type { Knowledge } from "../../selectors/knowledge.ts";
import { readFeatures } from "../../selectors/text/features.ts";
import type { OpenedStore } from "../start/open-store.ts";
import { nameLabels } from "./learning.ts";

/** The models that are compared unless others are named. */
const MODELS_USUAL = 4;
const JUDGE_TOKENS = 300;
/** The log is searched for prompts through this many rows for each wanted. */
const ROWS_PER_PROMPT = 20;
const ROWS_AT_ONCE = 100;

export interface SamplingParts {
  readonly ports: HttpPorts;
  readonly opened: OpenedStore;
  readonly known: Knowledge;
}

/** Takes only prompts of the log that the sender may read. */
export async function planSample(
  parts: SamplingParts,
  given: Parameters<Sampling["plan"]>[0],
  access = adminAccess(COMMAND_LINE),
) {
  const labelled = await listLabelled(parts);
  const found: ChatRequest[] = [];
  let known = 0;
  const take = (messages: unknown): boolean => {
    const request = readPrompt(parts.ports, messages);
    if (found.some((one) => nameLabels(one) === nameLabels(request))) return false;
    if (labelled.has(nameLabels(request))) known++;
    else found.push(request);
    return found.length >= given.prompts;
  };
  if (given.messages === undefined) await takeLogged(parts, access, given.prompts, take);
  else for (const messages of given.messages) if (take(messages)) break;
  const models = given.models === undefined ? pickModels(parts, found) : requireCards(parts, given.models);
  const judging = given.judge === undefined ? null : requireCard(parts, given.judge, "judge");
  const { markup } = parts.ports.snapshot().billing;
  const prompts = found.map((request) => ({
    messages: [...request.messages],
    cost_usd:
      markup *
      (expectCost(parts, request, models) + (judging ? expectJudgment(request, judging, models.length) : 0)),
  }));
  const cost_usd = prompts.reduce((sum, one) => sum + one.cost_usd, 0);
  return { models: models.map(({ id }) => id), prompts, known, cost_usd };
}

/** `field` is the one that names the model. */
export function requireCard(
  { ports }: Pick<SamplingParts, "ports">,
  id: string,
  field: "models" | "judge",
): ModelCard {
  const found = ports.snapshot().catalogue.resolve(id);
  if (found.kind === "card" && found.card.price !== null) return found.card;
  throw invalidValue(field, `${id} is no available model with a price`);
}

/** A model can't be compared with itself, under whatever name. */
export function requireCards(
  parts: Pick<SamplingParts, "ports">,
  ids: readonly string[],
): readonly ModelCard[] {
  const cards = ids.map((id) => requireCard(parts, id, "models"));
  const twice = cards.find((card, at) => cards.indexOf(card) < at);
  if (twice !== undefined) throw invalidValue("models", `${twice.id} appears twice`);
  return cards;
}

async function listLabelled({ opened }: SamplingParts): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const lessons of readLessons(opened.store, 0, LESSONS_AT_ONCE))
    for (const { id, source } of lessons) if (source === "label") ids.add(id);
  return ids;
}

/** Offers the newest prompts of the log whose content was kept, until `take` returns true. */
async function takeLogged(
  parts: SamplingParts,
  access: Access,
  wanted: number,
  take: (messages: unknown) => boolean,
): Promise<void> {
  for await (const record of readAnswered(parts, ROWS_PER_PROMPT * wanted)) {
    const messages = await readMessages(parts, record, access);
    if (messages !== null && takeIfSound(messages, take)) return;
  }
}

/** Yields the newest answered chat requests of clients, at most so many. */
async function* readAnswered({ opened }: SamplingParts, most: number): AsyncGenerator<RequestRecord> {
  const filter = { status: "ok", operation: "chat" } as const;
  let read = 0;
  for await (const rows of readPages((page) => opened.store.requests(filter, page), ROWS_AT_ONCE)) {
    yield* rows.filter(({ keyId }) => keyId !== SAMPLING_KEY);
    read += rows.length;
    if (read >= most) return;
  }
}

/** Null if they weren't kept whole. */
async function readMessages(
  { opened }: SamplingParts,
  record: RequestRecord,
  access: Access,
): Promise<readonly unknown[] | null> {
  const content = await openContent(opened, record, access);
  return content === null || content.truncated ? null : content.messages;
}

/** A prompt that can't be sent as it was kept, such as one with a file that is gone, is passed over. */
function takeIfSound(messages: unknown, take: (messages: unknown) => boolean): boolean {
  try {
    return take(messages);
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}

/** Returns the models that the selectors would choose for these prompts, or nearly: those that labels tell most about. */
function pickModels(parts: SamplingParts, requests: readonly ChatRequest[]): readonly ModelCard[] {
  const places = new Map<ModelCard, number>();
  for (const request of requests)
    for (const name of SELECTORS) {
      const able = decide(parts, request, name).foremost;
      for (const [at, { card }] of able.entries()) places.set(card, (places.get(card) ?? 0) + 1 / (at + 1));
    }
  const ordered = [...places].sort(([a, x], [b, y]) => y - x || (a.id < b.id ? -1 : 1));
  const picked = ordered.slice(0, MODELS_USUAL).map(([card]) => card);
  if (requests.length > 0 && picked.length < 2) throw new Fault("unsupported_capability", TOO_FEW);
  return picked;
}
const TOO_FEW = `Sampling compares 2 to ${MODELS_MAX} models, but selectors may choose fewer here.`;

function decide({ ports, known }: SamplingParts, request: ChatRequest, name: Selector) {
  const { catalogue, rules } = ports.snapshot();
  const about = { request, needs: findNeeds(request), cards: catalogue.list(), rules, learned: known };
  return choose(SELECTOR_RULES[name], { ...about, quality: rules.fairQuality });
}

function expectCost(parts: SamplingParts, request: ChatRequest, cards: readonly ModelCard[]): number {
  const { candidates } = decide(parts, request, "best");
  const costs = new Map(candidates.map(({ card, costUsd }) => [card.id, costUsd ?? 0]));
  return cards.reduce((sum, { id }) => sum + (costs.get(id) ?? 0), 0);
}

/** Two judgments of answers as long as the prompt and a page each. */
function expectJudgment(request: ChatRequest, { price }: ModelCard, answers: number): number {
  if (price === null) return 0;
  const { promptTokens } = readFeatures(request);
  return 2 * estimateCost(price, promptTokens + answers * PAGE_TOKENS, 0, JUDGE_TOKENS, 0);
}
const PAGE_TOKENS = 500;
