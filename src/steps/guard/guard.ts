// The guard's step for the rules in force. A change of the configuration leaves running requests as they began.
import type { GatewayKey } from "../../core/keys/key.ts";
import type { GuardSettings } from "../../core/models/guard.ts";
import type { Random } from "../../core/world/world.ts";
import type { Step } from "../../gateway/step.ts";
import { makeRefusal } from "../missing.ts";
import { KnownPlaces } from "./known.ts";
import { type GuardPorts, GuardStep } from "./step.ts";

const SECRET_BYTES = 32;
const NOTHING: readonly Step[] = [];

interface Ports extends GuardPorts {
  readonly random: Random;
}

export class Guard {
  readonly #ports: Ports;
  readonly #known: KnownPlaces;
  #names: ReadonlySet<string> = new Set();
  /** The steps of keys that name no rules themselves. Empty if there are none. */
  steps = NOTHING;

  constructor(ports: Ports) {
    this.#ports = ports;
    this.#known = new KnownPlaces(ports.random.bytes(SECRET_BYTES));
  }

  put(settings: GuardSettings | undefined): void {
    this.#names = new Set(settings?.rules.map(({ name }) => name));
    this.steps = settings === undefined ? NOTHING : [new GuardStep(settings, this.#known, this.#ports)];
  }

  /** Returns the steps of the requests of a key that names rules itself. */
  listNamed(names: NonNullable<GatewayKey["guard"]>): readonly Step[] {
    const missing = names.find((name) => !this.#names.has(name));
    return missing === undefined ? this.steps : [makeRefusal("rule", missing)];
  }
}
