// The operator's hooks as steps, in their order. A change of the configuration leaves running requests as they began.
import type { GatewayKey } from "../../core/keys/key.ts";
import type { HookRule, HookState } from "../../core/models/hook.ts";
import type { Random } from "../../core/world/world.ts";
import type { Step } from "../../gateway/step.ts";
import { makeRefusal } from "../missing.ts";
import { type HookBreaker, Judge, type JudgePorts } from "./judge.ts";
import { PassedTexts } from "./passed.ts";
import { HookStep, type StepPorts } from "./step.ts";
import { UnderWay } from "./under-way.ts";

const ID_BYTES = 16;

interface HookPorts extends Omit<JudgePorts, "passed" | "underWay">, Pick<StepPorts, "accountName"> {
  readonly random: Random;
  readonly makeBreaker: () => HookBreaker;
}

export class Hooks {
  readonly #ports: HookPorts;
  readonly #shared = { passed: new PassedTexts(), underWay: new UnderWay() };
  readonly #ids = new WeakMap<object, string>();
  /** By version: a hook that stays keeps its breaker. */
  #steps = new Map<string, HookStep>();
  #list: readonly HookStep[] = [];
  #names: ReadonlySet<string> = new Set();

  constructor(ports: HookPorts) {
    this.#ports = ports;
  }

  put(rules: readonly HookRule[]): void {
    const before = this.#steps;
    this.#steps = new Map(
      rules.map((rule) => [rule.version, before.get(rule.version) ?? this.#makeStep(rule)]),
    );
    this.#list = [...this.#steps.values()];
    this.#names = new Set(rules.map(({ name }) => name));
  }

  /** Returns the steps of a key's requests. Empty if there are no hooks. */
  list({ hooks }: Pick<GatewayKey, "hooks">): readonly Step[] {
    return hooks === null ? this.#list : this.#listNamed(hooks);
  }

  #listNamed(hooks: readonly string[]): readonly Step[] {
    const missing = hooks.find((name) => !this.#names.has(name));
    return missing === undefined ? this.#list : [makeRefusal("hook", missing)];
  }

  /** Returns the states of the hooks that this process has asked. */
  listStates(): readonly HookState[] {
    const nowMs = this.#ports.clock.monotonicMs();
    return this.#list.flatMap((step) => step.readState(nowMs) ?? []);
  }

  #makeStep(rule: HookRule): HookStep {
    const { clock, accountName, makeBreaker, random } = this.#ports;
    const judge = new Judge(rule, makeBreaker(), { ...this.#ports, ...this.#shared });
    const callId = (call: object) =>
      this.#ids.getOrInsertComputed(call, () => random.bytes(ID_BYTES).toHex());
    return new HookStep(judge, { accountName, callId, nowMs: () => clock.monotonicMs() });
  }
}
