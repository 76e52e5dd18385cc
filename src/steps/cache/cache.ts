// The cache: answers that are kept for the same request. One step finds them before a request is admitted, behind all
// others; one keeps them as the client sees them, around all others.

import { Fault } from "../../core/faults/fault.ts";
import { mayUse } from "../../core/keys/key.ts";
import type { CachedAnswer, CacheStore } from "../../core/models/cached-answer.ts";
import type { CacheRules, CacheState, Caching } from "../../core/models/caching.ts";
import { logBug } from "../../core/world/bug.ts";
import { Ending, makeTwinTimeout } from "../../core/world/ending.ts";
import type { Clock, Log, Vault } from "../../core/world/world.ts";
import type { Call } from "../../gateway/call.ts";
import type { AnsweredCall, Around, Enter, OwnAnswer, Step } from "../../gateway/step.ts";
import type { Form } from "../../operations/form.ts";
import { CollectedMemory } from "./collected-memory.ts";
import { type Flight, Flights } from "./flights.ts";
import { type Identity, identifyCall, makeAskedDigest } from "./identity.ts";
import { Keeper } from "./keeper.ts";
import { type KeptAnswer, readKept, repeatAnswer, writeKept } from "./kept.ts";
import { type OpenedAnswer, parseOnce, RecentAnswers } from "./recent.ts";
import { Trimming } from "./trimming.ts";

interface CachePorts {
  readonly store: CacheStore;
  readonly vault: Vault;
  readonly clock: Pick<Clock, "nowMs" | "monotonicMs" | "after">;
  readonly log: Log;
  readonly rules: () => CacheRules;
}

/** A request whose answer may be kept. */
interface CacheKeeping {
  readonly identity: Identity;
  /** Null if others don't wait for it. */
  readonly flight: Flight | null;
}

/** A request waits for another's answer, then for one more: if neither could be kept, the rest won't be either. */
const WAITS_MAX = 2;
/** The memory of all answers that are collected at the same time. */
const COLLECTED_BYTES_MAX = 256 * 1024 * 1024;

export class Cache {
  readonly #ports: CachePorts;
  readonly #flights = new Flights();
  readonly #trimming: Trimming;
  readonly #recent = new RecentAnswers();
  readonly #memory = new CollectedMemory(COLLECTED_BYTES_MAX);
  readonly #keeping = new WeakMap<object, CacheKeeping>();

  constructor(ports: CachePorts) {
    this.#ports = ports;
    this.#trimming = new Trimming(ports);
  }

  /** Returns the steps of one request, in their order: what keeps its answer, the others, and what finds it. */
  around(others: readonly Step[]): readonly Step[] {
    let digestAsked = () => "";
    const keeper: Step = {
      isLookup: true,
      before: (call) => {
        if (others.length > 0) digestAsked = makeAskedDigest(this.#ports.vault, call);
        return null;
      },
      around: (answer) => this.#collect(answer),
      ended: (call) => {
        this.#end(call);
        const outcome = call.caching?.outcome?.state;
        if (outcome) this.#ports.log({ event: "cache", level: "debug", outcome });
      },
    };
    const finder: Step = {
      isLookup: true,
      before: (call, ending, enter) => {
        // It writes the whole request, which may be long.
        const identity = call.time(() => {
          const byOthers = others.flatMap((step) => step.identify?.(call, digestAsked) ?? []);
          return identifyCall(this.#ports.vault, call, byOthers);
        }, null);
        return this.#before(call, identity, ending, enter);
      },
      around: () => null,
    };
    return [keeper, ...others, finder];
  }

  async #before<F extends Form>(
    call: Call<F>,
    identity: Identity | null,
    ending: Ending,
    enter: Enter,
  ): Promise<OwnAnswer<F> | null> {
    const { caching } = call;
    if (caching === null) return null;
    const mayKeep = identity !== null && caching.ttlMs > 0;
    note(caching, mayKeep ? "miss" : "bypass");
    const found = identity && (await this.#find(call, caching, identity));
    if (found) return found;
    if (caching.isOnly) throw new Fault("cache_miss", "No answer to this request is kept (only-if-cached).");
    if (!mayKeep) return null;
    // It wants an answer newer than that of a request which is under way.
    if (caching.ageMaxMs === 0) this.#keeping.set(call, { identity, flight: null });
    else return this.#lead(call, caching, identity, ending, enter);
    return null;
  }

  /** Waits for an answer that is under way, else goes ahead itself. */
  async #lead<F extends Form>(
    call: Call<F>,
    caching: Caching,
    identity: Identity,
    ending: Ending,
    enter: Enter,
  ): Promise<OwnAnswer<F> | null> {
    const { id } = identity;
    for (let waits = 0; waits < WAITS_MAX; waits++) {
      const ahead = this.#flights.find(id);
      if (ahead === null) break;
      await enter();
      await this.#waitFor(ahead, call, ending);
      if (ending.reason !== null) return null;
      const found = await this.#find(call, caching, identity);
      if (found) return found;
    }
    const flight = this.#flights.find(id) === null ? this.#flights.begin(id) : null;
    if (flight) caching.whenAlone = flight.whenAlone;
    this.#keeping.set(call, { identity, flight });
    return null;
  }

  /** Throws the Fault `client_timeout` once the request's own time limit has passed. */
  async #waitFor<F extends Form>(flight: Flight, { limitAtMs }: Call<F>, ending: Ending): Promise<void> {
    if (limitAtMs === Number.POSITIVE_INFINITY) return flight.wait(ending);
    // It ends with the wait, so that the answer's own request learns that it is alone again.
    const waiting = new Ending(ending);
    const { clock } = this.#ports;
    const late = makeTwinTimeout();
    const callOff = clock.after(Math.max(0, limitAtMs - clock.monotonicMs()), () => waiting.end(late));
    await flight.wait(waiting);
    callOff();
    if (waiting.reason === late) throw late;
    waiting.end();
  }

  /** Returns null if none is kept that the request takes. A store that fails keeps no request from its answer. */
  async #find<F extends Form>(
    call: Call<F>,
    caching: Caching,
    { shared, native }: Identity,
  ): Promise<OwnAnswer<F> | null> {
    const ids = [native, shared].filter((id) => id !== null);
    const [first] = ids;
    if (caching.ageMaxMs === 0 || first === undefined) return null;
    const recent = this.#recent.find(first, this.#ports.clock.nowMs());
    const answer = recent && this.#show(call, caching, recent);
    if (answer) return answer;
    try {
      const rows = await this.#ports.store.find(call.key.accountId, ids);
      for (const id of ids) {
        const row = rows.find((one) => one.id === id);
        const found = row && this.#show(call, caching, this.#open(row));
        if (found) return found;
      }
    } catch (thrown) {
      this.#fail(thrown);
    }
    return null;
  }

  #open({ id, atMs, untilMs, sealed }: CachedAnswer): OpenedAnswer {
    const { vault, clock } = this.#ports;
    return this.#remember({ id, atMs, untilMs }, vault.open(sealed, makeUse(id)), clock.nowMs());
  }

  #remember(about: Pick<OpenedAnswer, "id" | "atMs" | "untilMs">, text: string, nowMs: number): OpenedAnswer {
    const opened = { ...about, read: parseOnce(text), characters: text.length };
    this.#recent.put(opened, nowMs);
    return opened;
  }

  /** Returns null if the request doesn't take the answer. */
  #show<F extends Form>(
    call: Call<F>,
    caching: Caching,
    { atMs, untilMs, read }: OpenedAnswer,
  ): OwnAnswer<F> | null {
    const nowMs = this.#ports.clock.nowMs();
    const ageMs = Math.max(0, nowMs - atMs);
    if (nowMs >= untilMs || ageMs > caching.ageMaxMs) return null;
    const kept = readKept(read(), call.operation);
    if (kept === null || !mayGet(call, kept.model)) return null;
    note(caching, "hit", ageMs);
    return repeatAnswer(kept, call.operation);
  }

  #collect<F extends Form>({ call, family, shown }: AnsweredCall<F>): Around<F> | null {
    const keeping = this.#keeping.get(call);
    if (!keeping) return null;
    const { operation, raw, caching } = call;
    const id = family === null ? keeping.identity.shared : keeping.identity.native;
    if (id === null) {
      // The model's own API lacks a part of the request, so others' wait for this answer would be in vain.
      if (caching) note(caching, "bypass");
      this.#end(call);
      return null;
    }
    return new Keeper({
      operation,
      shown,
      memory: this.#memory,
      isNative: family !== null,
      texts: raw?.texts ?? null,
      keep: (answer) => this.#keep(call, id, answer && { ...answer, id: call.id }),
    });
  }

  async #keep<F extends Form>(
    { caching, key, operation }: Call<F>,
    id: string,
    kept: KeptAnswer<F> | null,
  ): Promise<void> {
    if (caching === null) return;
    const text = kept && writeKept(kept, operation);
    const most = Math.min(operation.kept.bytesMax, this.#ports.rules().bytesMaxPerAccount);
    if (text === null || Buffer.byteLength(text) > most) return note(caching, "bypass");
    try {
      const { store, vault, clock } = this.#ports;
      const sealed = vault.seal(text, makeUse(id));
      const atMs = clock.nowMs();
      const bytes = sealed.length;
      const accountId = key.accountId;
      const untilMs = atMs + caching.ttlMs;
      await store.keep({ accountId, id, atMs, untilMs, bytes, sealed });
      this.#remember({ id, atMs, untilMs }, text, atMs);
      note(caching, "stored");
      await this.#trimming.add(accountId, bytes);
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  #end(call: object): void {
    const keeping = this.#keeping.get(call);
    if (!keeping?.flight) return;
    this.#flights.end(keeping.identity.id, keeping.flight);
  }

  #fail(thrown: unknown): void {
    this.#ports.log({ event: "cache_failed", level: "warn", cause: String(thrown) });
    logBug(this.#ports, thrown);
  }
}

/** Another key of the account may have got an answer by a model that this one may not use. */
function mayGet<F extends Form>(call: Call<F>, model: string): boolean {
  const { key, selection } = call;
  if (selection.kind === "selector") return call.usable().some(({ id }) => id === model);
  if (mayUse(key, model)) return true;
  // Through an alias that its list names, a key may use models that the list doesn't.
  const cards = selection.kind === "card" ? [selection.card] : selection.members.map(({ card }) => card);
  return [...cards, ...selection.fallbacks].some(({ id }) => id === model);
}

function note(caching: Caching, state: CacheState, ageMs: number | null = null): void {
  caching.outcome = { state, ageMs };
}

const makeUse = (id: string) => `cache ${id}`;
