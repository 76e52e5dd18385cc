// The examples of the chapter on what happens to a balance: requests that are played against a gateway.
import { BEGUN, type Played } from "../whole/world/play-ending.ts";

export interface Example extends Played {
  /** Begins in the middle of a sentence: "when …". */
  readonly when: string;
  readonly because: string;
  readonly balanceUsd?: number;
  /** Further fields of the key. Its allowance is used up unless they say otherwise. */
  readonly key?: Readonly<Record<string, unknown>>;
  /** With `billing.charge: always` and a markup of 1.25. */
  readonly isAlwaysCharged?: boolean;
  /** The number of the same requests before it. */
  readonly repeats?: number;
}

interface Part {
  readonly title: string;
  readonly examples: readonly Example[];
}

const usual = { model: "Acme#sim~tokens=1000:500", stream: false, more: { max_tokens: 1000 } } as const;

const ANSWERED: readonly Example[] = [
  {
    ...usual,
    when: "the day's allowance lasts",
    because: "the request is free",
    key: { requests_per_day: 5 },
  },
  {
    ...usual,
    when: "the allowance is used up",
    because: "1,000 × $0.000001 + 500 × $0.000002; the rest of the hold is back at once",
  },
  {
    ...usual,
    when: "`max_tokens` isn't set",
    more: {},
    because: "the hold covers the model's longest answer",
  },
  {
    ...usual,
    when: "`billing: { charge: always, markup: 1.25 }` is set",
    because: "1.25 times the model's price",
    isAlwaysCharged: true,
  },
  {
    ...usual,
    model: "Acme#sim~tokens=1001:501:333",
    when: "the provider read a third of the prompt from its cache",
    because: "668 tokens at the full price, 333 at a quarter of it, 501 of answer",
  },
  {
    ...usual,
    model: "Acme#toll~tokens=1000:500",
    when: "the model also costs $0.001 a request",
    because: "the fee is in both",
  },
  {
    ...usual,
    when: "two answers are asked for",
    more: { n: 2, max_tokens: 1000 },
    because: "both are paid for",
  },
  {
    ...usual,
    model: "Acme#sim~trouble=503",
    when: "the model fails and its fallback answers",
    because: "8 and 7 tokens at the fallback's price, a tenth",
  },
  {
    ...usual,
    headers: { "Idempotency-Key": "order-17" },
    when: "the request is sent once more with its `Idempotency-Key`",
    because: "the stored answer is repeated",
    repeats: 1,
  },
  {
    ...usual,
    model: "Acme#sim~trouble=no-usage",
    when: "the provider reports no usage",
    because: "it is estimated: 12 tokens of prompt, 7 of answer",
  },
  {
    ...usual,
    model: "Acme#sim~tokens=10000000:10000000",
    when: "the provider reports ten million tokens",
    because:
      "at most the model's context with 5 % of slack, and 1.1 times `max_tokens` and 64, are believed: 134,400 and 1,164 tokens; the operator bears the rest",
  },
];

const REFUSED: readonly Example[] = [
  {
    ...usual,
    balanceUsd: 0.0001,
    when: "the balance is $0.0001, and every request is charged",
    because: "it doesn't cover the worst case",
    isAlwaysCharged: true,
  },
  {
    ...usual,
    balanceUsd: 0.0001,
    when: "the balance is $0.0001, and the allowance is used up",
    because: "the throttle's slot is free",
  },
  {
    ...usual,
    balanceUsd: 0.0001,
    when: "the same is asked again within ten minutes",
    because: "the slot is taken; the answer says when the next is free",
    repeats: 1,
  },
  {
    ...usual,
    key: { budgets: [{ usd: 0.001, per: "day" }] },
    when: "the key's budget is $0.001 a day",
    because: "the budget doesn't cover the worst case",
  },
  {
    ...usual,
    model: "Acme#sim~trouble=400",
    when: "the provider refuses the request",
    because: "nothing was produced",
  },
  {
    ...usual,
    model: "Acme#sim~trouble=500",
    when: "the provider fails before it answers",
    because: "nothing was produced",
  },
  {
    ...usual,
    model: "Hasty#mute",
    stream: true,
    when: "the provider is silent until `timeouts.first_byte`",
    because: "nothing was produced",
  },
];

const CUT_OFF: readonly Example[] = [
  {
    ...usual,
    model: "Gated#snaps",
    stream: true,
    after: BEGUN,
    does: "release",
    when: "the provider breaks off in the middle",
    because: "the prompt, and the 5 tokens that the client got",
  },
  {
    ...usual,
    model: "Gated#middle",
    stream: true,
    after: BEGUN,
    does: "leave",
    when: "the client leaves in the middle",
    because: "the prompt, and the 5 tokens that were produced",
  },
  {
    ...usual,
    model: "Gated#mute",
    stream: true,
    does: "leave",
    when: "the client leaves before the first word",
    because: "the prompt: the provider is reading it",
  },
  {
    ...usual,
    model: "Gated#mute",
    headers: { "x-poundkey-timeout": "0.2" },
    when: "the client's own `x-poundkey-timeout` ends the request",
    because: "the prompt, as if the client had left",
  },
];

export const MONEY_EXAMPLES: readonly Part[] = [
  { title: "The answer arrives", examples: ANSWERED },
  { title: "There is no answer", examples: REFUSED },
  { title: "The answer ends in the middle", examples: CUT_OFF },
];
