// The breakers of a server's tools, by payer. A tool that hasn't failed has none.
import type { Evidence, Passage } from "../../core/health/evidence.ts";
import type { ToolBreaker } from "./ports.ts";

/** A server shows no more tools than this. Beyond it, the breaker that was made first goes. */
const BREAKERS_MAX = 1000;
/** The wait of those who can't know it, as it ends with a call that tests the tool. */
const PROBE_MS = 10_000;

/** A call of a tool that its breaker has let pass. Its outcome must be recorded, or the call released. */
export interface PassedCall {
  readonly tool: string;
  readonly payer: string;
  readonly passage: Passage;
}

/** Times are on the monotonic clock. */
export class ToolBreakers {
  readonly #make: () => ToolBreaker;
  readonly #byTool = new Map<string, ToolBreaker>();

  constructor(make: () => ToolBreaker) {
    this.#make = make;
  }

  /** Returns how long the payer's calls of the tool are refused. 0 if one may pass now. */
  waitMs(tool: string, payer: string, nowMs: number): number {
    const breaker = this.#byTool.get(tool);
    return breaker === undefined ? 0 : (breaker.waitMs(nowMs, payer) ?? PROBE_MS);
  }

  /** Lets a call pass. Null if it has to wait. */
  pass(tool: string, payer: string, nowMs: number): PassedCall | null {
    const breaker = this.#byTool.get(tool);
    const passage = breaker === undefined ? "free" : breaker.pass(nowMs, payer);
    return passage === null ? null : { tool, payer, passage };
  }

  /** True if it may pass in a moment. */
  lacksPlace(tool: string, payer: string, nowMs: number): boolean {
    return this.#byTool.get(tool)?.lacksPlace(nowMs, payer) === true;
  }

  recordSuccess({ tool, payer, passage }: PassedCall, nowMs: number): void {
    this.#byTool.get(tool)?.recordSuccess(nowMs, payer, passage);
  }

  /** Returns true if the payer's next call of the tool is refused. */
  recordFailure({ tool, payer, passage }: PassedCall, evidence: Evidence, nowMs: number): boolean {
    const breaker = this.#byTool.get(tool) ?? this.#add(tool);
    breaker.recordFailure(nowMs, payer, passage, evidence);
    return breaker.isOpenFor(nowMs, payer);
  }

  /** The call says nothing about the tool: its client left before the answer. */
  release({ tool, payer, passage }: PassedCall): void {
    this.#byTool.get(tool)?.release(payer, passage);
  }

  /** The server, which had failed, has answered something else: each tool may be tried at once. */
  hasten(nowMs: number): void {
    for (const breaker of this.#byTool.values()) breaker.hasten(nowMs);
  }

  #add(tool: string): ToolBreaker {
    const [first] = this.#byTool.keys();
    if (first !== undefined && this.#byTool.size >= BREAKERS_MAX) this.#byTool.delete(first);
    const made = this.#make();
    this.#byTool.set(tool, made);
    return made;
  }
}
