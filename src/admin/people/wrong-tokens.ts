// Counts wrong admin tokens, session cookies and links across all processes of a store, and answers 429 beyond a limit.
import { Fault } from "../../core/faults/fault.ts";
import type { Store } from "../../core/store.ts";
import type { Clock, Log } from "../../core/world/world.ts";
import type { RefusedSignIns } from "./refused-sign-ins.ts";

/** Enough for typing mistakes and a script that polls with an old token once a second. */
const PER_MINUTE = 60;
const MINUTE_MS = 60_000;
const SETTING = "wrong_admin_tokens";
const KEPT = /^(\d{1,15}) (\d{1,15})$/;

const REFUSED = ["token", "link"] as const;

/** Those that have no line in the log yet. */
interface UnloggedCount {
  count: number;
  loggedAtMs: number;
  lastAddress: string;
}

const makeUnlogged = (): UnloggedCount => ({
  count: 0,
  loggedAtMs: Number.NEGATIVE_INFINITY,
  lastAddress: "",
});

interface WrongTokenPorts {
  readonly store: Pick<Store, "changeSetting">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly log: Log;
  /** Puts them on record. */
  readonly refused: Pick<RefusedSignIns, "note">;
}

/** A token or a cookie, or the link of a quick start, which is refused once it was used. */
export type RefusedKind = (typeof REFUSED)[number];

/**
 * A correct token is checked first and always passes, so this limit doesn't prevent guessing: the token's length does.
 * The limit signals an attacker or a misconfigured script to stop, and alerts the operator.
 * A wrong token writes nothing. Each process counts its own, and adds them to the store's count at most once a second
 * until the limit is reached. Until then it answers up to a minute's worth of them with 401.
 */
export class WrongTokens {
  readonly #ports: WrongTokenPorts;
  /** Minutes since 1970. */
  #minute = 0;
  /** This minute's counts: received by this process, the part already added to the store, and the store's total. */
  #shown = 0;
  #shared = 0;
  #everywhere = 0;
  readonly #unlogged: Readonly<Record<RefusedKind, UnloggedCount>> = {
    token: makeUnlogged(),
    link: makeUnlogged(),
  };

  constructor(ports: WrongTokenPorts) {
    this.#ports = ports;
  }

  /** Counts a wrong token or link and returns its Fault: `invalid_api_key` with the message, or `rate_limit_exceeded` after too many. */
  refuse(message: string, address: string, what: RefusedKind = "token"): Fault {
    const nowMs = this.#ports.clock.nowMs();
    this.#startMinute(toMinute(nowMs));
    this.#shown++;
    this.#unlogged[what].count++;
    this.#unlogged[what].lastAddress = address;
    this.note("invalid_api_key", address);
    if (this.#everywhere + this.#shown - this.#shared <= PER_MINUTE)
      return new Fault("invalid_api_key", message);
    const resetAtMs = (this.#minute + 1) * MINUTE_MS;
    const tooMany = "Too many incorrect admin tokens were sent. The correct one is still accepted.";
    return new Fault("rate_limit_exceeded", tooMany, { retryAfterMs: resetAtMs - nowMs, resetAtMs });
  }

  /** Puts on record that a sender was refused, for a reason that is a fault's code. */
  note(reason: string, address: string): void {
    this.#ports.refused.note(reason, address);
  }

  /** Reports this process's count to the log and the other processes. Called about once a second. */
  async share(): Promise<void> {
    const { store, clock } = this.#ports;
    const nowMs = clock.nowMs();
    for (const what of REFUSED) this.#logCount(what, nowMs);
    this.#startMinute(toMinute(nowMs));
    const minute = this.#minute;
    const more = this.#shown - this.#shared;
    if (more === 0 || this.#everywhere >= PER_MINUTE) return;
    const kept = await store.changeSetting(
      SETTING,
      (value) => `${minute} ${readCount(value, minute) + more}`,
    );
    if (minute !== this.#minute) return;
    this.#shared += more;
    this.#everywhere = readCount(kept, minute);
  }

  /** Logs the first one at once, and then at most one line a minute. */
  #logCount(what: RefusedKind, nowMs: number): void {
    const unlogged = this.#unlogged[what];
    const { count, loggedAtMs, lastAddress: last_address } = unlogged;
    if (count === 0 || nowMs - loggedAtMs < MINUTE_MS) return;
    const told =
      what === "token"
        ? { event: "wrong_admin_tokens", tokens: count }
        : { event: "refused_console_links", links: count };
    this.#ports.log({ ...told, level: "warn", last_address });
    unlogged.loggedAtMs = nowMs;
    unlogged.count = 0;
  }

  #startMinute(minute: number): void {
    if (minute === this.#minute) return;
    this.#minute = minute;
    this.#shown = 0;
    this.#shared = 0;
    this.#everywhere = 0;
  }
}

function toMinute(nowMs: number): number {
  return Math.floor(nowMs / MINUTE_MS);
}

/** Returns the stored count if it is for this minute by this clock, else zero. */
function readCount(kept: string | null, minute: number): number {
  const [, at, count] = KEPT.exec(kept ?? "") ?? [];
  return Number(at) === minute ? Number(count) : 0;
}
