// The gateways that `poundkey import` knows, each with the function that reads its files and tables.
import { resolve } from "node:path";
import type { StoreSettings } from "../../config/store/store-settings.ts";
import { YamlText } from "../../config/yaml.ts";
import type { ForeignRow } from "../../moving/columns.ts";
import { priceFreeModels } from "../../moving/free-models.ts";
import { readConfig, type SourceFile } from "../../moving/litellm/config.ts";
import { readOwners } from "../../moving/litellm/owners.ts";
import type { CsvTableName } from "../../moving/litellm/tables.ts";
import { readNewApi } from "../../moving/new-api/read.ts";
import { reportTables } from "../../moving/new-api/schema.ts";
import { readOpenRouter } from "../../moving/openrouter.ts";
import type { PlannedConfig, PlannedOwners } from "../../moving/plan.ts";
import { readPortkey } from "../../moving/portkey.ts";
import type { Report } from "../../moving/report.ts";
import { redactAddress } from "../../store/engine/address.ts";
import { isSqliteFile, openForeignFile } from "../../store/keys/foreign-tables.ts";
import { readBytes, readCsv } from "./import-files.ts";
import { readLitellmTables } from "./litellm-tables.ts";

interface SourceInput {
  readonly file: string;
  readonly database: string | undefined;
  readonly keys: string | undefined;
  /** LiteLLM's other tables as CSV files. */
  readonly tables: Readonly<Partial<Record<CsvTableName, string>>>;
  readonly report: Report;
  readonly settings: StoreSettings;
  /** True if there is no configuration yet. */
  readonly isNew: boolean;
  readonly isFree: boolean;
  readonly nowMs: number;
  readonly foreignUntilMs: number;
}

interface ImportPlan {
  readonly config: PlannedConfig;
  readonly owners: PlannedOwners;
}

const NO_OWNERS: PlannedOwners = { wholeOf: null, accounts: [], keys: [] };

export const GATEWAYS = {
  litellm: { read: readLitellm },
  "new-api": { read: readNewApiFile },
  portkey: {
    read: async ({ file, report }: SourceInput) => withoutOwners(readPortkey(readSource(file), report)),
  },
  openrouter: {
    read: async ({ file, report }: SourceInput) =>
      withoutOwners(readOpenRouter(readBytes(file).toString("utf8"), report)),
  },
} as const satisfies Record<string, { read: (input: SourceInput) => Promise<ImportPlan> }>;
export type GatewayName = keyof typeof GATEWAYS;

function withoutOwners(config: PlannedConfig): ImportPlan {
  return { config, owners: NO_OWNERS };
}

/** Reads YAML, or JSON, which is YAML too. Throws an Error with the line of the first mistake. */
function readSource(path: string): SourceFile {
  const yaml = new YamlText(readBytes(path).toString("utf8"));
  const [problem] = yaml.problems();
  if (problem) throw new Error(`${path}:${problem.line}: ${problem.message}`);
  return { value: yaml.value(), findLine: (at) => yaml.findPosition(at, "key").line };
}

async function readLitellm(input: SourceInput): Promise<ImportPlan> {
  const { file, report, nowMs, foreignUntilMs } = input;
  const source = readSource(file);
  const tables = await readLitellmTables(input);
  const { config, names, toolNames, budget } = readConfig(source, report, tables);
  const owners = readOwners(tables, { names, toolNames, budget, report, nowMs, foreignUntilMs });
  const { database } = input;
  const wholeOf = database === undefined ? null : `litellm ${redactAddress(database)}`;
  return { config: priceFreeModels(config, owners, report), owners: { ...owners, wholeOf } };
}

async function readNewApiFile(input: SourceInput): Promise<ImportPlan> {
  const { file, keys, report, settings, isNew, isFree, nowMs } = input;
  if (!isNew && settings.billing.charge !== "always" && !isFree) {
    throw new Error(
      "The configuration has a daily free allowance, which new-api's users didn't have. Set billing.charge: always in it, or add --free.",
    );
  }
  const bytes = readBytes(file);
  if (!isSqliteFile(bytes)) {
    const tables = [readNewApiCsv(file), ...(keys === undefined ? [] : [readNewApiCsv(keys)])];
    const tokens = tables.flatMap((one) => one.tokens);
    const channels = tables.flatMap((one) => one.channels);
    return readNewApi({ tokens, users: [], options: [], channels }, { report, nowMs, isFree });
  }
  if (keys !== undefined) throw new Error(`${file} is a database, which has the keys: leave out --keys`);
  const tables = openForeignFile(file);
  try {
    reportTables(await tables.listFilled(), report);
    const read = (table: string, key: string): Promise<readonly ForeignRow[]> => tables.read(table, key);
    const { config, owners } = readNewApi(
      {
        tokens: await tables.read("tokens", "id", true),
        users: await read("users", "id"),
        options: await read("options", "key"),
        channels: await read("channels", "id"),
      },
      { report, nowMs, isFree },
    );
    return { config, owners: { ...owners, wholeOf: `new-api ${resolve(file)}` } };
  } finally {
    await tables.close();
  }
}

interface NewApiCsv {
  readonly tokens: readonly ForeignRow[];
  readonly channels: readonly ForeignRow[];
}

/** Several tables have a column `key`. A provider's secret, read as a token, would be a client's key here. */
function readNewApiCsv(path: string): NewApiCsv {
  const { columns, rows } = readCsv(path);
  const have = (...names: readonly string[]) => names.every((name) => columns.includes(name));
  if (have("key", "type", "models")) return { tokens: [], channels: rows };
  if (have("key", "user_id")) return { tokens: rows, channels: [] };
  throw new Error(
    `${path}: the first line names neither the columns of tokens (key, user_id, …) nor those of channels (key, type, models, …)`,
  );
}
