// Made databases of new-api and One API: every column set or not, hostile texts, groups, channels and keys that stand there
// twice.
import type { Dice } from "../../sim/dice.ts";
import type { Cells, MadeNewApi } from "./new-api-rules.ts";

export const NAMES = ["gpt-5.4", "gpt-5.4-mini", "claude-sonnet-5", "house", "gone"];
const GROUPS = ["default", "vip", "svip", "staff"];
const HOSTILE = [
  "__proto__",
  "constructor",
  "'; DROP TABLE users; --",
  "line\nbreak",
  "\u202Eevil",
  "",
  "Search",
];
const ADDRESSES = ["203.0.113.7", "10.0.0.0/8", "nowhere"];
const DAY_S = 86_400;
const USD = 500_000;

export class NewApiMaker {
  readonly #dice: Dice;
  readonly #nowMs: number;

  constructor(dice: Dice, nowMs: number) {
    this.#dice = dice;
    this.#nowMs = nowMs;
  }

  #some<Item>(items: readonly Item[]): readonly Item[] {
    return items.filter(() => this.#dice.chance(0.5));
  }

  #group(): string {
    return this.#dice.pick(GROUPS);
  }

  make(): MadeNewApi {
    const isOne = this.#dice.chance(0.3);
    const users = Array.from({ length: 4 }, (_, at) => this.#user(at + 1));
    const channels = Array.from({ length: 5 }, (_, at) => this.#channel(at + 1, isOne));
    const tokens = Array.from({ length: 10 }, (_, at) => this.#token(at + 1, isOne));
    return { isOne, users, channels, tokens, options: this.#options(isOne) };
  }

  #user(id: number): Cells {
    return {
      id,
      username: this.#dice.pick([`user-${id}`, ...HOSTILE]),
      group: this.#group(),
      quota: this.#dice.pick([
        this.#dice.int(1, 20 * USD),
        this.#dice.int(1, 20 * USD),
        0,
        -5,
        10_000_000 * USD,
      ]),
      used_quota: this.#dice.int(0, USD),
      status: this.#dice.chance(0.85) ? 1 : 2,
      deleted_at: this.#dice.chance(0.08) ? "2026-01-01 00:00:00" : null,
    };
  }

  #channel(id: number, isOne: boolean): Cells {
    const type = this.#dice.pick([1, 1, 14, isOne ? 50 : 8, 77]);
    const keys = Array.from(
      { length: this.#dice.int(1, 2) },
      (_, at) => `key-${this.#dice.pick([id, 1])}-${at}`,
    );
    const off = !isOne && this.#dice.chance(0.2);
    return {
      id,
      type,
      name: this.#dice.pick([`channel-${id}`, ...HOSTILE]),
      status: this.#dice.chance(0.85) ? 1 : 2,
      key: keys.join("\n"),
      weight: this.#dice.int(0, 3),
      priority: this.#dice.int(0, 2),
      base_url: this.#dice.pick(["", "http://127.0.0.1:1", "http://127.0.0.1:2"]),
      models: this.#some(NAMES.slice(0, 4)).join(","),
      group: this.#some(GROUPS).join(",") || "default",
      model_mapping: this.#dice.chance(0.3)
        ? JSON.stringify({ house: "gpt-5.4", "gpt-5.4": "gpt-5.4-mini" })
        : "",
      ...(isOne
        ? { config: "" }
        : { channel_info: off ? JSON.stringify({ multi_key_status_list: { 0: 2 } }) : "" }),
      ...(isOne ? {} : { setting: "" }),
    };
  }

  #token(id: number, isOne: boolean): Cells {
    const nowS = Math.floor(this.#nowMs / 1000);
    const models = this.#some(NAMES).join(",");
    const separator = isOne ? "," : this.#dice.pick(["\n", ",", ",\n"]);
    const addresses = this.#dice.chance(0.3) ? this.#some(ADDRESSES).join(separator) : "";
    return {
      id,
      user_id: this.#dice.int(1, 5),
      key: `${id}-${Math.floor(this.#dice.next() * 1e9)}`.padEnd(48, "k").replaceAll("-", "x"),
      name: this.#dice.pick([`token-${id}`, ...HOSTILE]),
      status: this.#dice.chance(0.85) ? 1 : this.#dice.int(2, 4),
      created_time: nowS - DAY_S,
      expired_time: this.#dice.pick([-1, -1, -1, null, 0, nowS - DAY_S, nowS + DAY_S]),
      unlimited_quota: this.#dice.chance(0.5) ? 1 : 0,
      remain_quota: this.#dice.pick([0, -3, this.#dice.int(1, 9 * USD), this.#dice.int(1, 9 * USD)]),
      used_quota: this.#dice.int(0, USD),
      deleted_at: this.#dice.chance(0.05) ? "2026-01-01 00:00:00" : null,
      ...(isOne
        ? { models: this.#dice.chance(0.5) ? models : "", subnet: addresses }
        : {
            model_limits_enabled: this.#dice.chance(0.4) ? 1 : 0,
            model_limits: models,
            allow_ips: addresses,
            group: this.#dice.pick(["", "", "", this.#group(), "auto"]),
          }),
    };
  }

  #options(isOne: boolean): readonly Cells[] {
    const options: Record<string, string> = {};
    if (this.#dice.chance(0.3)) options.QuotaPerUnit = String(this.#dice.pick([500_000, 1000]));
    if (!isOne && this.#dice.chance(0.5))
      options.UserUsableGroups = JSON.stringify(
        Object.fromEntries(this.#some(GROUPS).map((one) => [one, ""])),
      );
    if (!isOne && this.#dice.chance(0.5))
      options.GroupRatio = JSON.stringify(Object.fromEntries(this.#some(GROUPS).map((one) => [one, 1])));
    if (!isOne && this.#dice.chance(0.5)) {
      options.ModelRequestRateLimitEnabled = this.#dice.pick(["true", "true", "false"]);
      options.ModelRequestRateLimitDurationMinutes = String(this.#dice.int(1, 3));
      options.ModelRequestRateLimitCount = String(this.#dice.int(0, 60));
      options.ModelRequestRateLimitSuccessCount = String(this.#dice.int(1, 60));
      const own = this.#some(GROUPS).map((one) => [one, [this.#dice.int(0, 30), this.#dice.int(1, 30)]]);
      options.ModelRequestRateLimitGroup = JSON.stringify(Object.fromEntries(own));
    }
    return Object.entries(options).map(([key, value]) => ({ key, value }));
  }
}
