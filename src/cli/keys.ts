// `poundkey keys`: adds, lists and revokes gateway keys, also while a gateway runs on the same store.
import { parseArgs } from "node:util";
import { readInput } from "../admin/input.ts";
import { createKey, type KeyView, listKeys, newKeySchema, revokeKey } from "../admin/keys.ts";
import type { Io } from "../app/terminal.ts";
import { type Call, formatJson, type Open, printList, requireOne, runCommand } from "./administration.ts";
import { UsageError } from "./arguments.ts";

const HELP = `usage: poundkey keys add --name NAME [options]
       poundkey keys list [--json]
       poundkey keys revoke ID [--json]

Manages gateway keys. The secret of a new key is printed only once, because it isn't stored.

  --name NAME               the key's name
  --account ID              the account that pays (default: default)
  --expires TIME            when it expires, in ISO 8601 (2027-01-31 or 2027-01-31T12:00:00Z)
  --models A,B              the only models it may use, such as OpenAI#gpt-5.4,Router#fair
  --requests-per-day N      its daily allowance: a number, "unlimited" or "default"
  --spend-limit USD         the most that it may ever be charged
  --keep-responses no       store none of its conversations, regardless of responses.keep
  --json                    print JSON
  --config FILE, --store S  as for \`poundkey serve\``;

export function runKeys(args: readonly string[], io: Io, open: Open): Promise<number> {
  return runCommand({ help: HELP, actions: { add, list, revoke }, makes: ["add"] }, args, io, open);
}

async function add({ args, io, open }: Call): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      name: { type: "string" },
      account: { type: "string" },
      expires: { type: "string" },
      models: { type: "string" },
      "requests-per-day": { type: "string" },
      "spend-limit": { type: "string" },
      "keep-responses": { type: "string" },
      json: { type: "boolean" },
    },
  });
  const body = {
    name: values.name,
    account_id: values.account,
    expires_at: values.expires,
    allowed_models: values.models?.split(",").map((id) => id.trim()),
    requests_per_day: parseRequestsPerDay(values["requests-per-day"]),
    spend_limit_usd: parseSpendLimit(values["spend-limit"]),
    keep_responses: parseYesNo(values["keep-responses"]),
  };
  const input = readInput(newKeySchema, body);
  const key = await createKey(await open(), input);
  io.out(
    values.json
      ? formatJson(key)
      : `${key.secret}\n\n${key.id} (${key.name}). The secret won't be shown again.`,
  );
}

function list(call: Call): Promise<void> {
  return printList(call, { list: listKeys, columns: COLUMNS, formatCells });
}

async function revoke({ args, io, open }: Call): Promise<void> {
  const options = { json: { type: "boolean" } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const id = requireOne(positionals, "one key's id, as shown by `poundkey keys list`");
  const key = await revokeKey(await open(), id);
  io.out(values.json ? formatJson(key) : `Revoked ${key.id} (${key.name}).`);
}

const COLUMNS = ["ID", "NAME", "ACCOUNT", "ENDS IN", "PER DAY", "EXPIRES", "REVOKED"];

function formatCells(key: KeyView): readonly string[] {
  const perDay = key.requests_per_day === null ? "unlimited" : String(key.requests_per_day);
  return [key.id, key.name, key.account_id, key.last4, perDay, key.expires_at ?? "-", key.revoked_at ?? "-"];
}

function parseRequestsPerDay(text: string | undefined): number | null | string | undefined {
  if (text === "unlimited") return null;
  if (text === undefined || text === "default") return text;
  return parseNumber(text, '--requests-per-day must be a number, "unlimited" or "default"');
}

function parseSpendLimit(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseNumber(text, "--spend-limit must be an amount in USD");
}

function parseYesNo(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (text === "yes" || text === "no") return text === "yes";
  throw new UsageError("--keep-responses must be yes or no");
}

function parseNumber(text: string, message: string): number {
  const number = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isNaN(number)) throw new UsageError(message);
  return number;
}
