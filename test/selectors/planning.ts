// A router under test: two providers and their health, with plans and outcomes at moments chosen by the test.

import type { Attempt } from "../../src/core/attempt.ts";
import { Fault, type FaultCode } from "../../src/core/faults/fault.ts";
import type { FaultDetails } from "../../src/core/faults/fault-details.ts";
import { NOBODY } from "../../src/core/keys/payer.ts";
import type { GroupMember, ModelCard } from "../../src/core/models/card.ts";
import type { Credential } from "../../src/core/settings.ts";
import type { LogEvent } from "../../src/core/world/world.ts";
import { type Plan, planCalls, type Selection } from "../../src/gateway/plan/plan.ts";
import type { RequestRefusals } from "../../src/health/credential.ts";
import { Health } from "../../src/health/health.ts";
import type { Permit } from "../../src/health/permit.ts";
import type { Conversation } from "../../src/health/stickiness.ts";
import type { ChatMessage, ChatRequest } from "../../src/operations/chat/form.ts";
import { makeModelCard } from "../harness/cards.ts";
import { describeChat, makeConversation } from "../harness/conversation.ts";

export function makeCard(id: string): ModelCard {
  return makeModelCard(id, { listed: false });
}

export const HOUSE = makeCard("House#small");
export const OTHER = makeCard("Other#small");

type OwnFields = Pick<Credential, "id" | "name" | "requestsPerMinute" | "tokensPerMinute" | "parallel">;

export interface Asking {
  readonly fallbacks?: readonly ModelCard[];
  /** A group's models with their weights, heaviest first. Missing if one model is named. */
  readonly group?: readonly GroupMember[];
  /** Models that can't serve the request. */
  readonly unable?: readonly ModelCard[];
  readonly messages?: readonly ChatMessage[];
  readonly more?: Partial<ChatRequest>;
  readonly keyId?: string;
  /** Missing for nobody's. */
  readonly payer?: string;
  readonly tokens?: number;
}

/** A keyed digest, as the store's. */
export function digestWithKey(text: string): string {
  return new Bun.CryptoHasher("sha256", "a key").update(text).digest("hex");
}

const SECRET = "the-secret-of-";

export function formatName({ credential }: Attempt): string {
  return credential.secret?.slice(SECRET.length) ?? "";
}

export function names(attempts: readonly Attempt[]): string {
  return attempts.map(formatName).join(" ");
}

export class Planning {
  readonly events: LogEvent[] = [];
  readonly health = new Health((event) => void this.events.push(event));
  /** Missing if models and credentials are drawn. */
  digest?: (text: string) => string;
  readonly #keys = new Map<string, readonly Credential[]>();
  readonly #roll: () => number;

  /** Without `roll`, the numbers are evenly spread from 0 to below 1 and the same in every run. */
  constructor(roll = evenly()) {
    this.#roll = roll;
    this.on("House", ["a", 1], ["b", 1]);
    this.on("Other", ["x", 1]);
  }

  /** Applies another configuration. */
  on(provider: string, ...credentials: readonly (readonly [string, number, OwnFields?])[]): void {
    this.#keys.set(
      provider,
      credentials.map(([name, weight, own]) => ({ secret: SECRET + name, weight, ...own })),
    );
    this.health.configured(
      [...this.#keys].map(([name, own]) => ({
        name,
        dialect: "openai",
        baseUrl: `http://${name}.test`,
        credentials: own,
        headers: {},
        timeouts: { connectMs: 1, firstByteMs: 1, idleMs: 1, totalMs: 1 },
        unlistedModels: true,
      })),
    );
  }

  requestOf({ messages, more }: Asking = {}): ChatRequest {
    return { ...more, model: HOUSE.id, messages: messages ?? [{ role: "user", content: "hi" }] };
  }

  conversationOf(asking: Asking = {}): Conversation {
    return makeConversation(asking.keyId ?? "key_a", this.requestOf(asking));
  }

  plan(nowMs: number, asking: Asking = {}, conversation = this.conversationOf(asking)): readonly Attempt[] {
    return this.planWhole(nowMs, asking, conversation).attempts;
  }

  planWhole(nowMs: number, asking: Asking = {}, conversation = this.conversationOf(asking)): Plan {
    return planCalls({
      ...describeChat(this.requestOf(asking)),
      ...(asking.tokens === undefined ? {} : { load: { requests: 1, tokens: asking.tokens } }),
      ...refusing(asking.unable ?? []),
      selection: selectionOf(asking),
      rules: { fairQuality: 1, deny: [], pin: {}, rules: [], explore: 0 },
      credentialsOf: (provider) => this.#keys.get(provider) ?? [],
      roll: this.#roll,
      conversation,
      health: this.health,
      payer: asking.payer ?? NOBODY,
      digest: this.digest,
      nowMs,
    });
  }

  attemptOf(model: ModelCard, name: string): Attempt {
    const credential = this.#keys.get(model.provider)?.find(({ secret }) => secret === SECRET + name);
    return { card: model, credential: credential ?? { secret: "", weight: 1 } };
  }

  begun(attempt: Attempt, nowMs: number, refusals?: RequestRefusals): Permit {
    const permit = this.health.begin(attempt, nowMs, refusals);
    if (!permit) throw new Error("it may not be asked");
    return permit;
  }

  fails(model: ModelCard, name: string, nowMs: number, code: FaultCode, details: FaultDetails = {}): void {
    this.begun(this.attemptOf(model, name), nowMs).fail(nowMs, new Fault(code, "no", details));
  }

  works(model: ModelCard, name: string, nowMs: number, tookMs = 10): void {
    this.begun(this.attemptOf(model, name), nowMs).finish(nowMs + tookMs, 10);
  }

  /** Returns how often each comes first in `count` plans. */
  firsts(count: number, nowMs: number, each = (_first: Attempt) => {}): Record<string, number> {
    const counts: Record<string, number> = {};
    for (let at = 0; at < count; at++) {
      const [first] = this.plan(nowMs);
      if (!first) throw new Error("an empty plan");
      counts[formatName(first)] = (counts[formatName(first)] ?? 0) + 1;
      each(first);
    }
    return counts;
  }
}

function evenly(): () => number {
  let rolled = 0;
  return () => {
    rolled = (rolled + 0.618033988749895) % 1;
    return rolled;
  };
}

function selectionOf({ group, fallbacks = [] }: Asking): Selection {
  return group ? { kind: "group", members: group, fallbacks } : { kind: "card", card: HOUSE, fallbacks };
}

function refusing(unable: readonly ModelCard[]) {
  const refuseUnable = (card: ModelCard) => {
    if (unable.includes(card)) throw new Fault("unsupported_capability", `not ${card.id}`);
  };
  return unable.length > 0 ? { refuseUnable } : {};
}
