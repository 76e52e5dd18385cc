// LiteLLM's tables, as a database or CSV files give them, and the look-ups in them.
import { type ForeignRow, readText } from "../columns.ts";
import { HOOKS } from "../report.ts";

/** A key that was used with a tag, or for a customer. */
interface TaggedKeyUse {
  readonly name: string;
  readonly digest: string;
}

/** A table of limits. Null if it isn't given: what a key's reference to it means isn't known then. */
type ForeignRows = readonly ForeignRow[] | null;

/** Only the keys are needed. */
export interface Tables {
  readonly keys: readonly ForeignRow[];
  /** Secrets that were replaced and still work for a while. */
  readonly replaced: readonly ForeignRow[];
  readonly teams: ForeignRows;
  readonly budgets: ForeignRows;
  readonly users: ForeignRows;
  /** Users in teams, each pair with its budget. */
  readonly members: ForeignRows;
  readonly organizations: ForeignRows;
  /** Names that some teams have for models. */
  readonly teamAliases: ForeignRows;
  /** Groups of models that keys and teams may use beside their own list. */
  readonly accessGroups: ForeignRows;
  /** Permissions of keys and teams for tools, and for models. */
  readonly permissions: ForeignRows;
  /** Settings that were changed in LiteLLM's own interface. */
  readonly settings: readonly ForeignRow[];
  /** Budgets of groups of models. */
  readonly groupBudgets: readonly ForeignRow[];
  readonly tags: readonly ForeignRow[];
  readonly customers: readonly ForeignRow[];
  /** Null if LiteLLM has kept no record of that. */
  readonly tagUses: readonly TaggedKeyUse[] | null;
  readonly customerUses: readonly TaggedKeyUse[] | null;
  /** Tables that nobody here knows, by the ids of keys, teams, users and organizations that they name. */
  readonly mentions: ReadonlyMap<string, string>;
}

export const NO_TABLES: Tables = {
  keys: [],
  replaced: [],
  settings: [],
  accessGroups: null,
  permissions: null,
  groupBudgets: [],
  tags: [],
  customers: [],
  tagUses: null,
  customerUses: null,
  mentions: new Map(),
  teams: null,
  budgets: null,
  users: null,
  members: null,
  organizations: null,
  teamAliases: null,
};

/** The tables that a flag gives as a CSV beside that of the keys, each with the column of its id. */
export const CSV_TABLES = {
  teams: ["LiteLLM_TeamTable", "team_id"],
  budgets: ["LiteLLM_BudgetTable", "budget_id"],
  users: ["LiteLLM_UserTable", "user_id"],
  members: ["LiteLLM_TeamMembership", "team_id"],
  organizations: ["LiteLLM_OrganizationTable", "organization_id"],
} as const;
/** Tables of things that have no place here, each with the column of its id and the words of the report. */
export const LOST_TABLES: Readonly<Record<string, readonly [key: string, item: string, words: string]>> = {
  LiteLLM_AgentsTable: ["agent_id", "agents", "keys of agents are paused"],
  LiteLLM_ProjectTable: ["project_id", "projects", "keys of projects are paused"],
  LiteLLM_OrganizationMembership: [
    "user_id",
    "members of organizations",
    "people get their roles by signing in",
  ],
  LiteLLM_PolicyTable: ["policy_id", "policies", HOOKS],
  LiteLLM_PolicyAttachmentTable: ["attachment_id", "attachments of policies", HOOKS],
  LiteLLM_GuardrailsTable: ["guardrail_id", "guardrails", HOOKS],
  LiteLLM_CredentialsTable: ["credential_id", "credentials", "they are encrypted: add them to the file"],
  LiteLLM_MCPServerTable: [
    "server_id",
    "MCP servers",
    "name them in mcp.servers: their credentials are encrypted",
  ],
  LiteLLM_PromptTable: ["id", "prompts", "there are no templates of prompts"],
  LiteLLM_JWTKeyMapping: ["id", "keys by tokens", "clients need a key of their own"],
  LiteLLM_ManagedVectorStoresTable: ["vector_store_id", "vector stores", "there are none"],
  LiteLLM_SearchToolsTable: ["search_tool_id", "search tools", "searches are the providers' own"],
};

export type CsvTableName = keyof typeof CSV_TABLES;

/** Rows by their ids. */
export class Lookup {
  readonly #flag: CsvTableName;
  readonly #rows: ReadonlyMap<string, ForeignRow> | null;

  constructor(
    flag: CsvTableName,
    rows: ForeignRows,
    nameRow = (row: ForeignRow) => readText(row, CSV_TABLES[flag][1]),
  ) {
    this.#flag = flag;
    this.#rows = rows && new Map(rows.map((row) => [nameRow(row) ?? "", row]));
  }

  get isGiven(): boolean {
    return this.#rows !== null;
  }

  /** Undefined also if the table isn't given. */
  find(id: string): ForeignRow | undefined {
    return this.#rows?.get(id);
  }

  /** Returns why there is no row of this id. */
  explainMissing(word: string, id: string): string {
    const [table] = CSV_TABLES[this.#flag];
    return this.isGiven
      ? `its ${word} ${id} isn't in ${table}`
      : `its ${word} ${id} may limit it: give --${this.#flag}, a CSV of ${table}`;
  }
}
