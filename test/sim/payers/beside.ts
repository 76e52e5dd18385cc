// A payer's requests at gateways that another payer may use at the same time: seeded, on virtual time.
import { toFault } from "../../../src/core/fault.ts";
import type { GatewayKey } from "../../../src/core/keys/key.ts";
import { UNKNOWN_ORIGIN } from "../../../src/core/log/record.ts";
import { Ending } from "../../../src/core/world/ending.ts";
import { makeOpenaiDialect } from "../../../src/dialects/openai/dialect.ts";
import { OPENAI } from "../../../src/dialects/openai/models.ts";
import type { RequestContext } from "../../../src/gateway/context.ts";
import type { Gateway } from "../../../src/gateway/gateway.ts";
import type { Selection } from "../../../src/gateway/plan/plan.ts";
import { Routes } from "../../../src/gateway/plan/routes.ts";
import { makeUpstream } from "../../../src/gateway/plan/upstream.ts";
import type { ChatForm } from "../../../src/operations/chat/decoder.ts";
import { CHAT } from "../../../src/operations/chat/operation.ts";
import { makeConversation, plainCall } from "../../harness/conversation.ts";
import { makeAccount, NOON, openMemoryStore } from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { Dice } from "../dice.ts";
import { EventClock } from "../event-clock.ts";
import { makeGateway } from "../lone-gateway.ts";
import { CALL_MS, Provider } from "./provider.ts";
import { type Ask, type BesideScenario, PROVIDERS, SECOND_ACCOUNT, TARGETS } from "./scenario.ts";

/** The end of one of the first payer's requests. */
export interface Fate {
  readonly ask: Ask;
  /** `ok`, or the code of the fault. */
  readonly end: string;
  readonly model: string | null;
  readonly costNanoUsd: number | null;
}

const ROUTER = { fairQuality: 0.85, deny: [], pin: {}, rules: [], explore: 0 };
const DIALECT = makeOpenaiDialect(OPENAI);
/** Turns of the event loop in which a request goes on by itself, before it counts as waiting for the clock. */
const TURNS_MAX = 25;

/** Runs the first payer's requests, with the second's beside them or without. */
export function runBeside(
  seed: number,
  scenario: BesideScenario,
  isBeside: boolean,
): Promise<readonly Fate[]> {
  return new Beside(seed, scenario).run(isBeside);
}

class Beside {
  readonly #seed: number;
  readonly #scenario: BesideScenario;
  readonly #clock = new EventClock(NOON);
  readonly #fates: Fate[] = [];
  readonly #provider: Provider;
  /** Requests that haven't ended, and those of them that didn't wait for the provider at the last look. */
  #open = 0;
  #running = 0;
  #turns = 0;

  constructor(seed: number, scenario: BesideScenario) {
    this.#seed = seed;
    this.#scenario = scenario;
    this.#provider = new Provider(this.#clock, scenario);
  }

  async run(isBeside: boolean): Promise<readonly Fate[]> {
    const { first, second, keys, nodes } = this.#scenario;
    const store = await openMemoryStore();
    await unrecorded(store).addAccount(makeAccount(SECOND_ACCOUNT));
    for (const key of [keys.first, keys.second]) await unrecorded(store).addKey(key, `digest of ${key.id}`);
    await store.beat();
    const gateways = Array.from({ length: nodes }, (_, at) =>
      makeGateway({
        store,
        clock: this.#clock,
        dice: new Dice(this.#seed + at),
        fetch: (url, init) => this.#provider.fetch(url, init),
        providers: PROVIDERS,
      }),
    );
    const upstreams = new Map(PROVIDERS.map((setup) => [setup.name, makeUpstream(setup, [DIALECT])]));
    const routes = new Routes(CHAT, "openai", upstreams);
    const asked: Promise<void>[] = [];
    const schedule = (asks: readonly Ask[], key: GatewayKey) => {
      for (const ask of asks) {
        const gateway = gateways[ask.node];
        if (gateway === undefined) continue;
        this.#clock.after(ask.atMs, () => void asked.push(this.#ask(gateway, routes, ask, key)));
      }
    };
    schedule(first, keys.first);
    if (isBeside) schedule(second, keys.second);
    await this.#clock.run({
      isBusy: () => gateways.some(({ open }) => open > 0),
      isWorking: () => this.#isRunning(),
    });
    await Promise.all(asked);
    await store.close();
    return this.#fates.toSorted((a, b) => a.ask.atMs - b.ask.atMs || a.ask.name.localeCompare(b.ask.name));
  }

  /** True while a request neither waits for its provider nor, for all that is known, for the clock. */
  #isRunning(): boolean {
    const running = this.#open - this.#provider.waiting;
    this.#turns = running === this.#running ? this.#turns + 1 : 0;
    this.#running = running;
    return running > 0 && this.#turns < TURNS_MAX;
  }

  async #ask(gateway: Gateway, routes: Routes<ChatForm>, ask: Ask, key: GatewayKey): Promise<void> {
    const { name, way, isStreamed, target } = ask;
    const selection: Selection = TARGETS[target];
    const model = selection.kind === "card" ? selection.card.id : "Router#best";
    const messages = [{ role: "user" as const, content: `${name}, way: ${way}` }];
    const request = { model, messages, ...(isStreamed ? { stream: true } : {}) };
    const ending = new Ending();
    const context = gateway.begin({
      operation: CHAT,
      surface: "openai-chat",
      id: `chatcmpl-${name}`,
      created: 1,
      requestId: `req-${name}`,
      origin: UNKNOWN_ORIGIN,
      key,
      ask: request,
      ...plainCall(),
      conversation: makeConversation(key.id, request),
      selection,
      routes,
      rules: ROUTER,
      markup: 1,
      ending,
    });
    this.#open++;
    const end = await this.#read(gateway, context, ask, ending);
    this.#open--;
    if (key === this.#scenario.keys.first)
      this.#fates.push({ ask, end, model: context.model, costNanoUsd: context.costs?.cost ?? null });
  }

  async #read(
    gateway: Gateway,
    context: RequestContext<ChatForm>,
    { way, isStreamed }: Ask,
    ending: Ending,
  ): Promise<string> {
    try {
      if (!isStreamed) {
        if (way === "left") this.#clock.after(CALL_MS / 2, () => ending.end());
        await gateway.complete(context);
        return "ok";
      }
      const answer = gateway.stream(context);
      if (way === "left") this.#clock.after(CALL_MS / 2, () => answer.leave());
      await answer.begin();
      await answer.pour(() => null);
      return "ok";
    } catch (thrown) {
      return toFault(thrown).code;
    }
  }
}
