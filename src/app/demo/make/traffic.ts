// The requests of a demo's days: who asks what at which hour, and how the provider answers.
import { type Habit, PROMPTS, TOOL_USER } from "../../../simulator/company.ts";
import type { Company, MadeKey } from "./found.ts";
import type { Maker } from "./maker.ts";
import { HOUR_MS } from "./span.ts";

/** On a working day, and at a weekend. */
const REQUESTS = { work: 415, rest: 145 } as const;
/** The share of each hour of a working day, by people and by machines. */
const PEOPLE_HOURS = [0, 0, 0, 0, 0, 0, 1, 3, 7, 10, 11, 10, 6, 8, 10, 11, 10, 7, 3, 2, 1, 1, 0, 0];
const MACHINE_HOURS = [3, 3, 3, 3, 3, 3, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 4, 4, 4, 4, 4, 4];
/** The part of machines in a working day's requests, in hundredths. */
const MACHINE_PART = 50;

/** Sends the requests of the hour that begins at `fromMs`, until `untilMs` at the latest. */
export async function playHour(
  maker: Maker,
  { keys }: Company,
  fromMs: number,
  untilMs: number,
): Promise<void> {
  const { draws } = maker;
  const times = Array.from({ length: countRequests(maker, fromMs) }, () => fromMs + draws.next() * HOUR_MS);
  const isOut = isWeekend(fromMs);
  for (const atMs of times.toSorted((a, b) => a - b)) {
    if (atMs >= untilMs) return;
    const isMachine = isOut || draws.between(1, 100) <= MACHINE_PART;
    const key = draws.pick(weigh(keys.filter((one) => (one.isMachine ?? false) === isMachine)));
    maker.clock.pass(Math.max(0, atMs - maker.clock.nowMs()));
    await send(maker, key.key, draws.pick(key.key.habits));
    if (key.key.name === TOOL_USER) await callTools(maker, key.key);
  }
}

/** Asks a tool about what it was asked. */
async function callTools({ draws, callTool }: Maker, { secret }: MadeKey): Promise<void> {
  if (draws.next() < 0.3) await callTool(secret, "depot_list_delays", {});
  else await callTool(secret, "depot_find_parcel", { parcel: `TL-${draws.between(40_000, 42_000)}` });
}

function weigh(keys: readonly MadeKey[]) {
  return keys.map((key) => ({ key, weight: key.share }));
}

function isWeekend(atMs: number): boolean {
  return new Date(atMs).getUTCDay() % 6 === 0;
}

function countRequests({ draws }: Maker, atMs: number): number {
  const hour = new Date(atMs).getUTCHours();
  const machine = MACHINE_HOURS[hour] ?? 0;
  const part = isWeekend(atMs)
    ? (REQUESTS.rest * machine) / 100
    : (REQUESTS.work * (machine * MACHINE_PART + (PEOPLE_HOURS[hour] ?? 0) * (100 - MACHINE_PART))) / 10_000;
  return Math.floor(part + draws.next());
}

/** Sends one request as the key's habit says, and returns its status. */
async function send(maker: Maker, { secret, isAgent, name }: MadeKey, habit: Habit): Promise<number> {
  const { draws, clock } = maker;
  const input = draws.between(...habit.input);
  const output = draws.between(...habit.output);
  maker.next = { tokens: `${input}:${output}:${Math.floor(input * (habit.cached ?? 0))}` };
  const prompt = PROMPTS[draws.between(0, PROMPTS.length - 1)] ?? "";
  const day = Math.floor(clock.nowMs() / (24 * HOUR_MS));
  const session = `${name.toLowerCase().replace(/ /g, "-")}-${day}-${draws.between(1, 3)}`;
  const headers: Record<string, string> = isAgent ? { "session-id": session } : {};
  const { path, body } = writeBody(habit, prompt);
  return (await maker.ask(path, { secret, body, headers })).status;
}

/** Nobody sees the vectors, and long ones take as long to make as the rest of the answer. */
const VECTOR_LENGTH = 16;

function writeBody({ surface, model, isStreamed = false }: Habit, prompt: string) {
  const messages = [{ role: "user", content: prompt }];
  switch (surface) {
    case "chat":
      return { path: "/v1/chat/completions", body: { model, messages, stream: isStreamed } };
    case "messages":
      return { path: "/v1/messages", body: { model, messages, stream: isStreamed, max_tokens: 4096 } };
    case "responses":
      return { path: "/v1/responses", body: { model, input: prompt, stream: isStreamed } };
    case "embeddings":
      return { path: "/v1/embeddings", body: { model, input: prompt, dimensions: VECTOR_LENGTH } };
  }
}
