// Wrong admin tokens and session cookies, counted over all processes of a store: beyond a bound they are answered with 429.
import { Fault } from "../core/fault.ts";
import type { Store } from "../core/store.ts";
import type { Clock, Log } from "../core/world.ts";

/** Room for a person's typing mistakes and a script that polls with an old token once a second. */
const PER_MINUTE = 60;
const MINUTE_MS = 60_000;
const SETTING = "wrong_admin_tokens";
const KEPT = /^(\d{1,15}) (\d{1,15})$/;

interface WrongTokenPorts {
  readonly store: Pick<Store, "changeSetting">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly log: Log;
}

/**
 * A right token is checked first and always passes, so a bound on wrong ones can't stop guessing by itself: the token's
 * length does that. The bound tells a guesser and a misconfigured script to stop, and the operator that there is one.
 *
 * A guess writes nothing. Each process counts its own and adds them to the store's count at most once a second, and not
 * at all beyond the bound: until it has, it answers up to a minute's worth of wrong ones with 401.
 */
export class WrongTokens {
  readonly #ports: WrongTokenPorts;
  /** Minutes since 1970. */
  #minute = 0;
  /** Counts of this minute: those shown to this process, those of them added to the store, and the store's sum. */
  #shown = 0;
  #shared = 0;
  #everywhere = 0;
  #unlogged = 0;
  #loggedAtMs = Number.NEGATIVE_INFINITY;
  #lastAddress = "";

  constructor(ports: WrongTokenPorts) {
    this.#ports = ports;
  }

  /** Counts a wrong one; gives the Fault that answers it, `invalid_api_key` with the message or `rate_limit_exceeded`. */
  refuse(message: string, address: string): Fault {
    const nowMs = this.#ports.clock.nowMs();
    this.#turnTo(toMinute(nowMs));
    this.#shown++;
    this.#unlogged++;
    this.#lastAddress = address;
    if (this.#everywhere + this.#shown - this.#shared <= PER_MINUTE)
      return new Fault("invalid_api_key", message);
    const resetAtMs = (this.#minute + 1) * MINUTE_MS;
    const tooMany = "Too many wrong admin tokens were sent. A right one is still taken.";
    return new Fault("rate_limit_exceeded", tooMany, { retryAfterMs: resetAtMs - nowMs, resetAtMs });
  }

  /** Tells the log and the other processes what was counted here; called about once a second. */
  async share(): Promise<void> {
    const { store, clock } = this.#ports;
    const nowMs = clock.nowMs();
    this.#tell(nowMs);
    this.#turnTo(toMinute(nowMs));
    const [minute, more] = [this.#minute, this.#shown - this.#shared];
    if (more === 0 || this.#everywhere >= PER_MINUTE) return;
    const kept = await store.changeSetting(
      SETTING,
      (value) => `${minute} ${readCount(value, minute) + more}`,
    );
    if (minute !== this.#minute) return;
    this.#shared += more;
    this.#everywhere = readCount(kept, minute);
  }

  /** One line at first and one a minute, however many there are. */
  #tell(nowMs: number): void {
    if (this.#unlogged === 0 || nowMs - this.#loggedAtMs < MINUTE_MS) return;
    const told = { tokens: this.#unlogged, last_address: this.#lastAddress };
    this.#ports.log({ event: "wrong_admin_tokens", level: "warn", ...told });
    this.#loggedAtMs = nowMs;
    this.#unlogged = 0;
  }

  #turnTo(minute: number): void {
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

/** The count of this minute; one of another minute, or of a clock that goes otherwise, is none. */
function readCount(kept: string | null, minute: number): number {
  const [, at, count] = KEPT.exec(kept ?? "") ?? [];
  return Number(at) === minute ? Number(count) : 0;
}
