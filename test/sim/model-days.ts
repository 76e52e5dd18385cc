// The auditor's own count of each owner's days: places, slots, give-backs, and the budget for free requests.
import type { Offer } from "../../src/core/demand.ts";
import { computeHolds, freeRoom, type ModelFund } from "./model-money.ts";
import type { ModelHold, ModelMeter, ModelPlace, ModelSlot } from "./model-rows.ts";
import type { Scenario } from "./scenario.ts";

export class ModelDays {
  readonly meters = new Map<string, ModelMeter>();
  readonly slots = new Map<string, ModelSlot | null>();
  readonly #scenario: Scenario;

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
  }

  prune(beforeMs: number): void {
    for (const [id, meter] of this.meters) if (meter.lastAtMs < beforeMs) this.meters.delete(id);
  }

  meter(owner: string, day: string): ModelMeter {
    const none = { used: 0, lastAtMs: 0, givenBack: 0, freeSpent: 0n, freeHeld: 0n };
    return this.meters.get(`${owner} ${day}`) ?? none;
  }

  /** Returns the holds on the budgets and the day's for free requests, or the reason for a refusal. */
  free(
    asked: readonly Offer[] | null,
    funds: readonly ModelFund[],
    meter: ModelMeter,
  ): { readonly held: ReadonlyMap<string, bigint>; readonly free: bigint | null } | string {
    if (asked === null) return { held: new Map(), free: null };
    const { models, budgetNanoUsd } = this.#scenario.quota.free;
    const isFree = (card: string) =>
      models.some((one) => one === "*" || card.startsWith(one.replace("*", "")));
    const able = asked.filter(({ card }) => isFree(card));
    if (able.length === 0) return "refused: model_not_allowed";
    if (budgetNanoUsd === null) {
      const held = computeHolds(able, funds, this.#scenario);
      return held === null ? "refused: budget_exceeded" : { held, free: null };
    }
    const fund = (held: bigint): ModelFund => ({
      id: "free",
      covers: () => true,
      isBudget: false,
      ...freeRoom(BigInt(budgetNanoUsd), meter.freeSpent, held),
    });
    const held = computeHolds(able, [...funds, fund(meter.freeHeld)], this.#scenario);
    if (held !== null) return { held, free: held.get("free") ?? 0n };
    const isReserved = computeHolds(able, [fund(0n)], this.#scenario) !== null;
    return isReserved ? "refused: budget_reserved" : "refused: budget_exceeded";
  }

  /** A noted request's day has a meter, so that it stays the owner's day if the clock is set back. */
  note({ owner, day }: ModelPlace, nowMs: number): void {
    const id = `${owner} ${day}`;
    if (!this.meters.has(id)) this.meters.set(id, { ...this.meter(owner, day), lastAtMs: nowMs });
  }

  take(place: ModelPlace, nowMs: number): void {
    if (place.places > 0 || place.free !== null) {
      const meter = this.meter(place.owner, place.day);
      this.meters.set(`${place.owner} ${place.day}`, {
        ...meter,
        used: meter.used + place.places,
        lastAtMs: place.places > 0 || meter.used === 0 ? Math.max(meter.lastAtMs, nowMs) : meter.lastAtMs,
        freeHeld: meter.freeHeld + (place.free ?? 0n),
      });
    }
    if (place.taken) this.slots.set(place.owner, place.taken);
  }

  /** The number of answers given back: within the day's bound, unless none was sent to a provider. */
  giveBack(
    { place }: ModelHold,
    answers: number,
    isBounded: boolean,
    isRefused: boolean,
    atMs: number,
  ): number {
    const meterId = `${place.owner} ${place.day}`;
    const meter = this.meter(place.owner, place.day);
    const counts = isBounded && (place.places + place.slots > 0 || isRefused);
    const left = Math.max(0, place.giveBackMax - meter.givenBack);
    const back = counts && answers > left ? left : answers;
    const slots = Math.min(back, place.slots);
    const places = Math.min(back - slots, place.places);
    if (places > 0 || (counts && back > 0))
      this.meters.set(meterId, {
        ...meter,
        lastAtMs: meter.lastAtMs === 0 ? atMs : meter.lastAtMs,
        used: meter.used - places,
        givenBack: meter.givenBack + (counts ? back : 0),
      });
    if (slots > 0 && place.taken && this.slots.get(place.owner)?.by === place.taken.by) {
      const atMs = place.taken.atMs - slots * this.#scenario.quota.throttleMs;
      this.slots.set(place.owner, slots === place.slots ? place.previous : { by: place.taken.by, atMs });
    }
    return back;
  }

  settleFree({ owner, day, free }: ModelPlace, due: bigint): void {
    const meter = this.meters.get(`${owner} ${day}`);
    if (free === null || !meter) return;
    const { freeHeld, freeSpent } = meter;
    this.meters.set(`${owner} ${day}`, { ...meter, freeHeld: freeHeld - free, freeSpent: freeSpent + due });
  }
}
