// The errors that end a coding agent's turn, and those from which it recovers, in one table per agent.
import { IS_LONG } from "../harness/long.ts";

export interface Trouble {
  readonly name: string;
  readonly model: string;
  /** The gateway that refuses it: one that charges for everything, or one whose throttle opens within a minute. */
  readonly at?: "paid" | "hasty";
  /** A key that is invalid, exhausted for the day, restricted to other models, or without a balance. */
  readonly key?: "wrong" | "used" | "forbidden" | "poor";
  readonly prompt?: string;
  /** Words that the agent shows. */
  readonly says: RegExp;
  /** The number of requests in the turn, retries included. */
  readonly requests: number;
  /** The most, if requests that run beside each other may fail together. */
  readonly requestsMax?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

const ANSWERED = /good day to you all/;
const PLAIN = "Local#sim-mini";

/** A model whose first call fails in this way. The simulator counts by the model's name. */
function failOnce(agent: string, trouble: string): string {
  return `Local#sim-${agent}~flaky=1~trouble=${trouble}~retry=1`;
}

/**
 * Refusals that end a turn at the first of them. `usual` is the number of requests of such a turn, `answered` that of a
 * turn with an answer. These agents take seconds of CPU to start, so three rows of the same kind, and all of opencode, belong to
 * the long form.
 */
function listFinal(agent: string, usual: number, answered = usual): readonly Trouble[] {
  // An agent that sends two at once may end with the first refusal.
  const requests = { requests: 1, requestsMax: usual };
  return [
    { name: "a wrong key", model: PLAIN, key: "wrong", says: /Incorrect API key/, ...requests },
    {
      name: "a busy provider, once",
      model: failOnce(agent, "429"),
      says: ANSWERED,
      requests: answered + 1,
      requestsMax: 2 * answered,
    },
    ...(IS_LONG ? listAlike(requests) : []),
  ];
}

/** Refusals of the gateway and of the provider that an agent takes as it takes a wrong key. */
function listAlike(requests: Pick<Trouble, "requests" | "requestsMax">): readonly Trouble[] {
  return [
    { name: "a key for other models", model: PLAIN, key: "forbidden", says: /This key/, ...requests },
    {
      name: "an empty balance",
      model: "Priced#sim-mini",
      at: "paid",
      key: "poor",
      says: /balance/i,
      ...requests,
    },
    { name: "a request that the provider refuses", model: `${PLAIN}~400`, says: /Simulated/, ...requests },
  ];
}

/** Errors that are gone at the next try. */
function listPassing(agent: string): readonly Trouble[] {
  const rows = [
    ["a busy provider", "429"],
    ["a provider's own error", "500"],
    ["a provider that is away", "503"],
    ["an overloaded provider", "529"],
    ["a stream that breaks off", "cut"],
    ["a stream with an error in it", "error-mid"],
  ] as const;
  return rows.map(([name, trouble]) => ({
    name: `${name}, once`,
    model: failOnce(agent, trouble),
    says: ANSWERED,
    requests: 2,
  }));
}

const TOO_LONG = `${PLAIN}~trouble=context`;
/** The refusal comes after the head of the stream. */
const TOO_LONG_LATE = `${PLAIN}~latency=2500~trouble=context`;

export const TROUBLES: Readonly<Record<string, readonly Trouble[]>> = {
  claude: [
    { name: "a wrong key", model: PLAIN, key: "wrong", says: /401 Incorrect API key/, requests: 1 },
    { name: "a key for other models", model: PLAIN, key: "forbidden", says: /403 This key/, requests: 1 },
    {
      name: "an empty balance",
      model: "Priced#sim-mini",
      at: "paid",
      key: "poor",
      says: /402.*balance/i,
      requests: 1,
    },
    { name: "a used-up allowance", model: PLAIN, key: "used", says: /429/, requests: 1 },
    {
      name: "a used-up allowance for less than a minute",
      model: PLAIN,
      at: "hasty",
      key: "used",
      says: /429/,
      requests: 1,
    },
    // It tries once more without a stream.
    { name: "a model that is not there", model: "nothing", says: /selected model/, requests: 2 },
    // It leaves out one after another of the newer features that may be the reason.
    {
      name: "a request that the provider refuses",
      model: `${PLAIN}~400`,
      says: /400 Simulated/,
      requests: 6,
    },
    { name: "too long a prompt", model: TOO_LONG, says: /Prompt is too long/, requests: 1 },
    {
      name: "too long a prompt, behind the head",
      model: TOO_LONG_LATE,
      says: /Prompt is too long/,
      requests: 2,
    },
    ...listPassing("claude"),
    {
      name: "a provider that stays away",
      model: `${PLAIN}~503`,
      says: /API Error/,
      requests: 3,
      // Two instead of its ten retries, which take minutes.
      environment: { CLAUDE_CODE_MAX_RETRIES: "2" },
    },
  ],
  codex: [
    // Codex ignores x-should-retry on these two.
    { name: "a wrong key", model: PLAIN, key: "wrong", says: /401 Unauthorized/, requests: 6 },
    { name: "a key for other models", model: PLAIN, key: "forbidden", says: /403 Forbidden/, requests: 6 },
    {
      name: "an empty balance",
      model: "Priced#sim-mini",
      at: "paid",
      key: "poor",
      says: /Quota exceeded/,
      requests: 1,
    },
    { name: "a used-up allowance", model: PLAIN, key: "used", says: /Quota exceeded/, requests: 1 },
    {
      name: "a used-up allowance for less than a minute",
      model: PLAIN,
      at: "hasty",
      key: "used",
      says: /Quota exceeded/,
      requests: 1,
    },
    { name: "a model that is not there", model: "nothing", says: /does not exist|not found/i, requests: 1 },
    { name: "a request that the provider refuses", model: `${PLAIN}~400`, says: /Simulated/, requests: 1 },
    { name: "too long a prompt", model: TOO_LONG, says: /context window/, requests: 1 },
    {
      name: "too long a prompt, behind the head",
      model: TOO_LONG_LATE,
      says: /context window/,
      requests: 1,
    },
    {
      name: "an answer that is cut off",
      model: "Short#sim-mini",
      prompt: "long 200",
      says: /reason: max_output_tokens/,
      requests: 1,
    },
    ...listPassing("codex"),
    {
      name: "a provider that stays busy",
      model: `${PLAIN}~429~retry=1`,
      says: /last status: 429/,
      requests: 6,
    },
    { name: "streams that all break off", model: `${PLAIN}~cut`, says: /stream disconnected/, requests: 6 },
  ],
  gemini: [
    ...listFinal("gemini", 1),
    { name: "a used-up allowance", model: PLAIN, key: "used", says: /allowance/, requests: 1 },
  ],
  // Neither these nor aider stop at a 429, whatever it says (the manual's page on errors).
  qwen: listFinal("qwen", 1, 2),
  ...(IS_LONG ? { opencode: listFinal("opencode", 2) } : {}),
};
