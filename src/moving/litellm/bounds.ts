// Limits of others that bind LiteLLM's keys: of their user, of the user in the team, of the organization, and of tags.
import { asArray, asString } from "../../core/json/json.ts";
import { type ForeignRow, readList, readObject, readText } from "../columns.ts";
import { addBudget } from "./budgets.ts";
import { Lookup, type Tables } from "./tables.ts";

/** The keys of one of these share its limits. */
export interface Bound {
  /** For people, and unique: `user bob`. */
  readonly name: string;
  readonly row: ForeignRow;
  /** LiteLLM's names of models. Empty for all. */
  readonly models: readonly string[];
}

interface KeyBounds {
  readonly bounds: readonly Bound[];
  /** The reasons why some can't be known. */
  readonly unknown: readonly string[];
}

const GATEWAY_BUDGET = "the gateway";
/** LiteLLM's own admin. */
const ADMIN = "default_user_id";

export class BoundFinder {
  readonly #budgets: Lookup;
  readonly #users: Lookup;
  readonly #members: Lookup;
  readonly #organizations: Lookup;
  readonly #groups: ReadonlyMap<string, ForeignRow>;
  readonly #tags: ReadonlyMap<string, ForeignRow>;
  readonly #gateway: readonly Bound[];

  /** `gateway` is the budget of all calls together, if there is one. */
  constructor(
    { budgets, users, members, organizations, groupBudgets, tags }: Tables,
    gateway: ForeignRow | null,
  ) {
    this.#budgets = new Lookup("budgets", budgets);
    this.#users = new Lookup("users", users);
    this.#members = new Lookup("members", members, (row) =>
      nameMember(readText(row, "user_id") ?? "", readText(row, "team_id") ?? ""),
    );
    this.#organizations = new Lookup("organizations", organizations);
    this.#groups = new Map(groupBudgets.map((row) => [readText(row, "access_group_name") ?? "", row]));
    this.#gateway = gateway === null ? [] : [{ name: GATEWAY_BUDGET, row: gateway, models: [] }];
    this.#tags = new Map(tags.map((row) => [readText(row, "tag_name") ?? "", row]));
  }

  /** Returns the key's own budget, which isn't shared. */
  findBudget(id: string): ForeignRow | string {
    return this.#budgets.find(id) ?? this.#budgets.explainMissing("budget", id);
  }

  findUserRow(key: ForeignRow): ForeignRow | undefined {
    return this.#users.find(readText(key, "user_id") ?? "");
  }

  find(key: ForeignRow, team: ForeignRow | null): KeyBounds {
    const found = [
      ...this.#gateway,
      ...this.#findUser(key, team),
      ...this.#findMember(key, team),
      ...this.#findOrganization(key, team),
      ...this.#findGroups(key, team),
      ...this.#findTags(listTags(key, team)),
    ];
    return {
      bounds: found.filter((one) => typeof one !== "string"),
      unknown: found.filter((one) => typeof one === "string"),
    };
  }

  /** In a team, a user's models and budget don't count, but the rates do. */
  #findUser(key: ForeignRow, team: ForeignRow | null): readonly (Bound | string)[] {
    const id = readText(key, "user_id");
    if (id === null) return [];
    const row = this.#users.find(id);
    if (row === undefined) {
      const isFree = this.#users.isGiven || id === ADMIN;
      return isFree ? [] : [this.#users.explainMissing("user", id)];
    }
    const name = `user ${id}`;
    if (team === null) return [{ name, row, models: readList(row, "models") }];
    return [{ name, row: { ...row, max_budget: null, soft_budget: null, budget_limits: null }, models: [] }];
  }

  #findMember(key: ForeignRow, team: ForeignRow | null): readonly (Bound | string)[] {
    const user = readText(key, "user_id");
    const teamId = team && readText(team, "team_id");
    if (user === null || team === null || teamId === null) return [];
    const row = this.#members.find(nameMember(user, teamId));
    if (row === undefined && !this.#members.isGiven)
      return user === ADMIN ? [] : [this.#members.explainMissing("user in the team", user)];
    const byTeam = asString(readObject(team, "metadata").team_member_budget_id) ?? null;
    const own = (row && readText(row, "budget_id")) ?? null;
    const name = `member ${user} of team ${teamId}`;
    const found = this.#addBudget(name, row ?? {}, own ?? byTeam);
    if (own === null || byTeam === null) return found;
    // The team's budget for all members completes one without an amount.
    const common = this.findBudget(byTeam);
    if (typeof common === "string") return [...found, common];
    return found.map((one) => (typeof one === "string" ? one : { ...one, row: addBudget(one.row, common) }));
  }

  #findOrganization(key: ForeignRow, team: ForeignRow | null): readonly (Bound | string)[] {
    const id = readText(key, "organization_id") ?? (team && readText(team, "organization_id"));
    if (id === null) return [];
    const row = this.#organizations.find(id);
    if (row === undefined) return [this.#organizations.explainMissing("organization", id)];
    const name = `organization ${id}`;
    const found = this.#addBudget(name, row, readText(row, "budget_id"), readList(row, "models"));
    // The metadata limits single models, and the permission may limit them too.
    const { metadata, object_permission_id } = row;
    const own = { metadata, object_permission_id };
    if (found.length === 0) return [{ name, row: own, models: [] }];
    return found.map((one) => (typeof one === "string" ? one : { ...one, row: { ...one.row, ...own } }));
  }

  /** Narrower than there, where only the models of the group count. */
  #findGroups(key: ForeignRow, team: ForeignRow | null): readonly (Bound | string)[] {
    const names = new Set([key, ...(team === null ? [] : [team])].flatMap((row) => readList(row, "models")));
    return [...names].flatMap((name) => {
      const row = this.#groups.get(name);
      return row === undefined ? [] : this.#addBudget(`group ${name}`, row, readText(row, "budget_id"));
    });
  }

  #findTags(tags: readonly string[]): readonly (Bound | string)[] {
    return tags.flatMap((tag) => {
      const row = this.#tags.get(tag);
      return row === undefined ? [] : this.#addBudget(`tag ${tag}`, row, readText(row, "budget_id"));
    });
  }

  /** The row says what was spent, and its budget what may be. */
  #addBudget(
    name: string,
    row: ForeignRow,
    budgetId: string | null,
    models: readonly string[] = [],
  ): readonly (Bound | string)[] {
    if (budgetId === null) return models.length === 0 ? [] : [{ name, row: {}, models }];
    const budget = this.findBudget(budgetId);
    if (typeof budget === "string") return [budget];
    const allowed = models.length > 0 ? models : readList(budget, "allowed_models");
    return [{ name, row: { ...budget, spend: row.spend, model_spend: row.model_spend }, models: allowed }];
  }
}

/** Returns the tags that each of its requests has there: its own, and those of its team. */
export function listTags(key: ForeignRow, team: ForeignRow | null): readonly string[] {
  const rows = team === null ? [key] : [key, team];
  return [...new Set(rows.flatMap((row) => asArray(readObject(row, "metadata").tags).map(String)))];
}

function nameMember(user: string, team: string): string {
  return `${user} ${team}`;
}
