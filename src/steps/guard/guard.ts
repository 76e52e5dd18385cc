// The guard's step for the rules in force. A change of the configuration leaves running requests as they began.
import type { GatewayKey } from "../../core/keys/key.ts";
import type { GuardSettings } from "../../core/models/guard.ts";
import type { Random } from "../../core/world/world.ts";
import type { Step } from "../../gateway/step.ts";
import { makeRefusal } from "../missing.ts";
import { GuardAnswerStep } from "./answer-step.ts";
import { KnownPlaces } from "./known.ts";
import { NameHider } from "./names.ts";
import { GuardSearch } from "./search.ts";
import { type GuardPorts, GuardStep } from "./step.ts";
import { isActing, type KnownTerms } from "./terms.ts";

const SECRET_BYTES = 32;

/** Those around a cache, and those within it. */
interface GuardSteps {
  readonly outer: readonly Step[];
  readonly inner: readonly Step[];
}

const NOTHING: GuardSteps = { outer: [], inner: [] };

interface GuardWorldPorts extends GuardPorts {
  readonly random: Random;
}

export class Guard {
  readonly #ports: GuardWorldPorts;
  readonly #known: KnownPlaces;
  #names: ReadonlySet<string> = new Set();
  /** The steps of keys that name no rules themselves. Empty if there are none. */
  steps = NOTHING;
  /** Null without rules. */
  #hider: NameHider | null = null;

  constructor(ports: GuardWorldPorts) {
    this.#ports = ports;
    this.#known = new KnownPlaces(ports.random.bytes(SECRET_BYTES));
  }

  put(settings: GuardSettings | undefined): void {
    this.#names = new Set(settings?.rules.map(({ name }) => name));
    this.#hider = null;
    this.steps = settings === undefined ? NOTHING : this.#make(settings);
  }

  #make(settings: GuardSettings): GuardSteps {
    const ports = this.#ports;
    const search = new GuardSearch(settings, { known: this.#known, nowMs: ports.nowMs });
    const terms: KnownTerms = new WeakMap();
    const { version, rules } = settings;
    this.#hider = rules.some(isActing) ? new NameHider(search, ports.accountKey, rules) : null;
    const isAtAnswers = rules.some(({ at }) => at.includes("answer"));
    return {
      outer: [new GuardStep({ ...ports, settings, search, terms })],
      inner: isAtAnswers ? [new GuardAnswerStep({ ...ports, version, search, terms })] : [],
    };
  }

  /** Returns what hides in names that clients give, such as a session's, what may not be kept. Null if no rule hides anything. */
  readonly nameHider = (): NameHider | null => this.#hider;

  /** Returns the steps of the requests of a key that names rules itself. */
  listNamed(names: NonNullable<GatewayKey["guard"]>): GuardSteps {
    const missing = names.find((name) => !this.#names.has(name));
    return missing === undefined ? this.steps : { outer: [makeRefusal("rule", missing)], inner: [] };
  }
}
