// Refused sign-ins on record: each with its reason and address, and beyond a bound a minute as one row with their number.
import type { AuditEntry } from "../../core/audit/audit-log.ts";
import type { Act } from "../../core/people/people.ts";
import { makeEntry } from "../audit/audit-trail.ts";
import type { AdminWorld } from "../world.ts";

/** Strangers cause these rows, so their number is bounded, on each node. */
const PER_MINUTE = 20;
const MINUTE_MS = 60_000;

type RefusedSignInParts = Pick<AdminWorld, "store" | "clock" | "random">;

/** Strangers have no id and no name here, whatever they sent. */
function makeStranger(address: string): Act {
  return { actor: { kind: "system", id: "", name: "" }, address, agent: "", route: "", requestId: "" };
}

export class RefusedSignIns {
  readonly #parts: RefusedSignInParts;
  #minute = 0;
  #shown = 0;
  #beyond = 0;
  #waiting: AuditEntry[] = [];

  constructor(parts: RefusedSignInParts) {
    this.#parts = parts;
  }

  /** Notes a refusal with its reason, a fault's code. Writes nothing yet. */
  note(reason: string, address: string): void {
    this.#startMinute();
    this.#shown++;
    if (this.#shown > PER_MINUTE) this.#beyond++;
    else this.#add(reason, makeStranger(address), null);
  }

  /** Writes what was noted. Called about once a second. */
  async flush(): Promise<void> {
    this.#startMinute();
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    try {
      await this.#parts.store.auditLog.add(waiting);
    } catch (error) {
      // At most a few minutes' worth is kept for a store that is away.
      this.#waiting = [...waiting, ...this.#waiting].slice(0, 10 * PER_MINUTE);
      throw error;
    }
  }

  #add(reason: string, act: Act, after: AuditEntry["after"]): void {
    const target = { type: "session", id: "", name: "" } as const;
    const about = { action: "session.refused", target, outcome: "refused", reason, after } as const;
    this.#waiting.push(makeEntry(this.#parts, act, about));
  }

  #startMinute(): void {
    const minute = Math.floor(this.#parts.clock.nowMs() / MINUTE_MS);
    if (minute === this.#minute) return;
    if (this.#beyond > 0) this.#add("rate_limit_exceeded", makeStranger(""), { count: this.#beyond });
    this.#minute = minute;
    this.#shown = 0;
    this.#beyond = 0;
  }
}
