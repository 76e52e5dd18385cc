// An owner of limits in the auditor's own ledger: its last requests and its budgets.

const PART_MS = 5000;
const PARTS = 13;

interface Counted {
  readonly id: string;
  part: number;
  readonly requests: number;
  tokens: number;
}

export interface ModelBudget {
  window: string;
  spent: bigint;
  held: bigint;
  warned: number[];
}

export interface ModelOwner {
  part: number;
  counted: Counted[];
  parallel: number;
  readonly budgets: Map<string, ModelBudget>;
}

/** Everything that was counted in the running part and the twelve before. A future part is the running one. */
export function sumMinute(owner: ModelOwner | undefined, nowMs: number) {
  const now = Math.floor(nowMs / PART_MS);
  const ahead = Math.max(0, (owner?.part ?? 0) - now);
  const live = (owner?.counted ?? []).filter(({ part }) => part - ahead > now - PARTS);
  const sum = { requests: 0, tokens: 0 };
  for (const { requests, tokens } of live) {
    sum.requests += requests;
    sum.tokens += tokens;
  }
  return { sum, running: owner?.parallel ?? 0 };
}

/** Moves the owner to now, and returns the running part. */
export function run(owner: ModelOwner, nowMs: number): number {
  const now = Math.floor(nowMs / PART_MS);
  const ahead = Math.max(0, owner.part - now);
  if (ahead > 0) for (const one of owner.counted) one.part -= ahead;
  owner.part = now;
  return now;
}

/** True if the budget counts requests to the card. */
export function covers({ models }: { readonly models: readonly string[] | null }, card: string): boolean {
  if (models === null || models.length === 0) return true;
  return models.some((one) => card.startsWith(one.replace("*", "")));
}
