// Connects hooks and the cache with the configuration, the network and the store, and composes the list of steps.
import { version } from "../../package.json" with { type: "json" };
import { hooksKey } from "../admin/keys/console-key.ts";
import type { AdminWorld } from "../admin/world.ts";
import { asArray, asObject, type JsonObject } from "../core/json/json.ts";
import type { JudgedSender } from "../core/keys/payer.ts";
import type { GuardSettings, TextRules } from "../core/models/guard.ts";
import { HOOKS_KEY, type HookRule } from "../core/models/hook.ts";
import type { Store } from "../core/store.ts";
import type { Fetch, Log, Vault } from "../core/world/world.ts";
import type { GatewayPorts } from "../gateway/gateway.ts";
import type { Step } from "../gateway/step.ts";
import { Breaker } from "../health/breaker/breaker.ts";
import { sendSelfCall } from "../http/models/self-call.ts";
import type { HttpPorts } from "../http/ports.ts";
import type { Cache } from "../steps/cache/cache.ts";
import { makeAccountKey } from "../steps/guard/account-key.ts";
import { Guard } from "../steps/guard/guard.ts";
import { Hooks } from "../steps/hooks/hooks.ts";
import { askModel, type Moderate } from "../steps/hooks/moderation.ts";
import { askServer } from "../steps/hooks/server.ts";
import { isConnectFailure } from "../transport/broken.ts";
import { readShortText } from "../transport/short-text.ts";
import { clock, random } from "./world.ts";

interface HookStepParts {
  readonly store: Pick<Store, "account" | "requests">;
  /** The vault of kept replies. */
  readonly vault: Pick<Vault, "digest">;
  readonly fetch: Fetch;
  readonly log: Log;
  readonly world: AdminWorld;
  /** The ports of the gateway's own requests, once it serves any. */
  readonly ports: () => HttpPorts;
}

const OK = 200;
const TOO_MANY = 429;
const UNAVAILABLE = 503;

/** True if a limit or a rest kept the call away, or the gateway itself: other senders' requests may be the cause. */
function lacksRoom(status: number, { code }: JsonObject): boolean {
  return status === TOO_MANY || (status === UNAVAILABLE && code !== "no_provider_available");
}

function createHooks({ store, fetch, log, world, ports }: HookStepParts, rules: readonly HookRule[]): Hooks {
  /** The model's failures count for the sender of the judged request, and no breaker that others opened stops the call. */
  const makeModerate =
    (asksFor: JudgedSender): Moderate =>
    async (model, input, signal) => {
      const call = { path: "/v1/moderations", body: { model, input }, idPrefix: "hook", signal };
      const key = { ...(await hooksKey(world)), asksFor };
      const { requestId, status, body } = await sendSelfCall(ports(), key, call);
      if (lacksRoom(status, asObject(body.error))) return null;
      if (status !== OK) throw new Error(`the model's answer has status ${status}`);
      const [row] = await store.requests({ requestId }, { limit: 1, after: null });
      return { results: asArray(body.results), nanoUsd: row?.costNanoUsd ?? 0 };
    };
  const serverPorts = { fetch, readText: readShortText, isConnectFailure, version };
  const hooks = new Hooks({
    clock,
    random,
    log,
    ask({ target, passesOnFailure: insists }, question, signal) {
      if (target.kind === "server") return askServer(serverPorts, target, question, signal);
      const { id: keyId, accountId, memberId } = question.key;
      return askModel(makeModerate({ accountId, memberId, keyId, insists }), target, question, signal);
    },
    accountName: async (id) => (await store.account(id))?.name ?? null,
    makeBreaker: () => new Breaker(),
  });
  hooks.put(rules);
  return hooks;
}

function createGuard(
  { store, vault }: Pick<HookStepParts, "store" | "vault">,
  settings: GuardSettings | undefined,
): Guard {
  const guard = new Guard({
    random,
    accountKey: (key) => makeAccountKey(vault, key),
    accountName: async (id) => (await store.account(id))?.name ?? null,
    nowMs: () => clock.monotonicMs(),
  });
  guard.put(settings);
  return guard;
}

/** The steps that look at the texts of requests and answers. A reload changes the rules of both. */
export interface Judges {
  readonly guard: Guard;
  readonly hooks: Hooks;
}

export function createJudges(parts: HookStepParts, { guard, hooks }: TextRules): Judges {
  return { guard: createGuard(parts, guard), hooks: createHooks(parts, hooks) };
}

/**
 * Returns the steps before and around a request's answer, in order: the guard, hooks, then those of tests, and the cache
 * between the guard and the others if the answer may be kept. Tests' steps that are around kept answers too stand with the
 * guard. Empty unless something is configured. The questions of hooks are neither guarded nor judged again.
 */
export function composeSteps(
  cache: Cache,
  { guard, hooks }: Judges,
  { steps: more = [] }: { readonly steps?: readonly Step[] },
): NonNullable<GatewayPorts["steps"]> {
  const outside = more.filter((one) => one.isAroundKept);
  const within = more.filter((one) => !one.isAroundKept);
  return ({ key, caching }) => {
    if (key.id === HOOKS_KEY) return [];
    const { outer, inner } = key.guard === null ? guard.steps : guard.listNamed(key.guard);
    if (caching === null && outer.length + more.length === 0) return hooks.list(key);
    const others = [...inner, ...hooks.list(key), ...within];
    return [...outer, ...outside, ...(caching === null ? others : cache.around(others))];
  };
}
