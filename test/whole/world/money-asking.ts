// Requests of the money tests, and the figures in their answers.
import { expect } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { type MoneyWorld, type Payer, parseNano, readSums } from "./money-world.ts";
import { type Seen, seen } from "./observe.ts";
import { asking } from "./world.ts";

/** Asserts that nothing is held and every sum agrees with its entries, then stops the gateway. */
export async function closeBooks(world: MoneyWorld): Promise<void> {
  expect(readSums(world.directory)).toMatchObject({
    holds: 0,
    held: 0,
    wrong_balances: 0,
    wrong_entries: 0,
    debts: 0,
  });
  await world.stop();
}

/** Sends one chat completion of `say: hi`. A stream asks for its usage. */
export async function ask(
  world: MoneyWorld,
  payer: Payer,
  model: string,
  more: Record<string, unknown> = {},
): Promise<Seen> {
  const usage = more.stream === true ? { stream_options: { include_usage: true } } : {};
  return seen(await world.chat(asking(model, "say: hi", { ...usage, ...more }), { secret: payer.secret }));
}

/** Returns the cost and the charge in the answer's usage, in nano-dollars. */
export function readBill({ body, stream }: Seen): { cost: number; charged: number } {
  const usage = (stream ? stream.usage : (body.usage as JsonObject | undefined)) ?? {};
  return { cost: parseNano(usage.cost), charged: parseNano(usage.charged) };
}

/** Returns the output limit that the upstream received. */
export function readUpstreamLimit(body: unknown): unknown {
  const { max_tokens: old, max_completion_tokens: now } = body as JsonObject;
  return now ?? old;
}
