// Made databases of LiteLLM's: every column set or not, hostile texts, ids and names that stand there twice.
import type { Dice } from "../../sim/dice.ts";
import { digestForeign } from "../litellm-rows.ts";
import { type Cells, DAY_MS, type MadeTables, STRICT } from "./litellm-rules.ts";

export const NAMES = ["chat", "mini", "claude", "local"];
const HOSTILE = [
  "__proto__",
  "constructor",
  "'; DROP TABLE account; --",
  'a"b\\c',
  "line\nbreak\u0000",
  "\u202Eevil 🦊",
  "x".repeat(300),
  "",
  "Search",
  "Search",
];
const DURATIONS = ["1d", "7d", "30d", "5h", "90d", "1mo", "45s"];

export class Maker {
  readonly #dice: Dice;
  readonly #nowMs: number;

  constructor(dice: Dice, nowMs: number) {
    this.#dice = dice;
    this.#nowMs = nowMs;
  }

  #isSo(share: number): boolean {
    return this.#dice.next() < share;
  }

  #pick<Item>(items: readonly Item[]): Item {
    const found = items[Math.floor(this.#dice.next() * items.length)];
    if (found === undefined) throw new Error("there is nothing to choose from");
    return found;
  }

  #maybe<Item>(share: number, make: () => Item): Item | null {
    return this.#isSo(share) ? make() : null;
  }

  #models(): readonly string[] {
    if (this.#isSo(0.5)) return [];
    if (this.#isSo(0.15)) return [this.#pick(["all-proxy-models", "no-default-models", "gone", "*"])];
    return NAMES.filter(() => this.#isSo(0.5));
  }

  #limits(): Cells {
    const usd = () => Number((this.#dice.next() * 10).toFixed(3));
    const windowed = this.#maybe(0.5, () => this.#pick(DURATIONS));
    return {
      max_budget: this.#maybe(0.4, () => (this.#isSo(0.1) ? 0 : usd())),
      soft_budget: this.#maybe(0.1, usd),
      budget_duration: windowed,
      budget_reset_at: windowed && this.#time(),
      spend: usd(),
      rpm_limit: this.#maybe(0.3, () => Math.floor(this.#dice.next() * 20)),
      tpm_limit: this.#maybe(0.2, () => 1000),
      max_parallel_requests: this.#maybe(0.2, () => 3),
    };
  }

  #time(): string {
    return new Date(this.#nowMs + (this.#dice.next() - 0.4) * 30 * DAY_MS).toISOString();
  }

  make(): MadeTables {
    const ids = (word: string, count: number) => Array.from({ length: count }, (_, at) => `${word}-${at}`);
    const budgetIds = ids("b", 3);
    const [teams, users, organizations] = [ids("t", 3), ids("u", 3), ids("o", 2)];
    const budgets = budgetIds.map((budget_id) => ({ budget_id, ...this.#limits(), spend: undefined }));
    return {
      budgets,
      organizations: organizations.map((organization_id) => ({
        organization_id,
        organization_alias: this.#pick(HOSTILE),
        budget_id: this.#pick(budgetIds),
        models: this.#models(),
        spend: this.#dice.next() * 5,
      })),
      users: users.map((user_id) => ({
        user_id,
        ...this.#limits(),
        models: this.#models(),
        user_role: this.#maybe(0.1, () => "proxy_admin_viewer"),
      })),
      teams: teams.map((team_id) => ({
        team_id,
        team_alias: this.#pick(HOSTILE),
        ...this.#limits(),
        models: this.#models(),
        blocked: this.#isSo(0.15),
        organization_id: this.#maybe(0.2, () => this.#pick(organizations)),
      })),
      members: users.flatMap((user_id) =>
        teams.map((team_id) => ({
          user_id,
          team_id,
          spend: this.#dice.next(),
          budget_id: this.#maybe(0.4, () => this.#pick(budgetIds)),
        })),
      ),
      keys: ids("k", 8).map((id) => this.#key(id, { budgetIds, teams, users, organizations })),
    };
  }

  #key(
    id: string,
    of: Readonly<Record<"budgetIds" | "teams" | "users" | "organizations", readonly string[]>>,
  ): Cells {
    const strict = STRICT.map((column) => [
      column,
      this.#maybe(0.04, () => (column === "policies" ? ["p"] : "x")),
    ]);
    return {
      token: digestForeign(`${id} ${this.#dice.next()}`),
      key_alias: this.#pick(HOSTILE),
      ...this.#limits(),
      models: this.#isSo(0.1) ? ["all-team-models"] : this.#models(),
      blocked: this.#maybe(0.2, () => this.#isSo(0.5)),
      expires: this.#maybe(0.2, () => this.#time()),
      team_id: this.#maybe(0.5, () => this.#pick(of.teams)),
      user_id: this.#maybe(0.5, () => this.#pick(of.users)),
      organization_id: this.#maybe(0.1, () => this.#pick(of.organizations)),
      budget_id: this.#maybe(0.2, () => this.#pick(of.budgetIds)),
      key_type: this.#maybe(0.2, () => this.#pick(["default", "llm_api", "management", "read_only"])),
      allowed_routes: this.#maybe(0.15, () => [
        this.#pick(["llm_api_routes", "/v1/embeddings", "info_routes"]),
      ]),
      budget_limits: this.#maybe(0.1, () => [
        { max_budget: 0.5, budget_duration: "1d" },
        { max_budget: 4, budget_duration: "30d" },
      ]),
      metadata: this.#maybe(0.2, () => ({ note: this.#pick(HOSTILE) })),
      ...Object.fromEntries(strict),
    };
  }
}
