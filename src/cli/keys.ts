// `poundkey keys`: adds, lists, pauses, rotates and revokes gateway keys, also while a gateway runs on the same store.
import { readInput } from "../admin/input.ts";
import { newKeySchema, rotationSchema } from "../admin/key-fields.ts";
import { addWarnings, warnOfModels } from "../admin/key-warnings.ts";
import {
  createKey,
  type KeyView,
  listKeys,
  type NewKeyView,
  revokeKey,
  rotateKey,
  updateKey,
} from "../admin/keys.ts";
import { buildCatalogue } from "../catalogue/catalogue.ts";
import { type Call, formatJson, makeCommand, printList, requireOne } from "./administration.ts";
import { UsageError } from "./arguments.ts";

const HELP = `usage: poundkey keys add --name NAME [options]
       poundkey keys list [--json]
       poundkey keys pause ID [--json]
       poundkey keys resume ID [--json]
       poundkey keys rotate ID [--grace DURATION] [--json]
       poundkey keys revoke ID [--json]

Manages gateway keys. A new secret is printed only once, because it isn't stored.

  pause, resume             refuse the key's requests until it is resumed
  rotate                    replace the key's secret; its limits and usage stay
  revoke                    end the key for good

  --name NAME               the key's name
  --account ID              the account that pays (default: default)
  --expires TIME            when it expires, in ISO 8601 (2027-01-31 or 2027-01-31T12:00:00Z)
  --models A,B              the only models it may use, such as OpenAI#gpt-*,Router#fair
  --requests-per-day N      its daily allowance: a number, "unlimited" or "default"
  --spend-limit USD         the most that it may ever be charged
  --addresses A,B           the only client addresses that may use it, such as 203.0.113.7,10.0.0.0/8
  --notes TEXT              notes for operators
  --keep-responses no       store none of its conversations, regardless of responses.keep
  --grace DURATION          how long the old secret still works, such as 24h (default: 0s)
  --json                    print JSON
  --config FILE, --store S  as for \`poundkey serve\``;

const ADD_FLAGS = {
  name: "value",
  account: "value",
  expires: "value",
  models: "value",
  "requests-per-day": "value",
  "spend-limit": "value",
  addresses: "value",
  notes: "value",
  "keep-responses": "value",
} as const;

export const runKeys = makeCommand(HELP, {
  add: { run: add, flags: ADD_FLAGS, opening: "make" },
  list: { run: list },
  pause: { run: (call) => setPaused(call, true), words: ["ID"] },
  resume: { run: (call) => setPaused(call, false), words: ["ID"] },
  rotate: { run: rotate, flags: { grace: "value" }, words: ["ID"] },
  revoke: { run: revoke, words: ["ID"] },
});

async function add({ values, isJson, io, settings, open }: Call): Promise<void> {
  const body = {
    name: values.get("name"),
    account_id: values.get("account"),
    expires_at: values.get("expires"),
    allowed_models: splitList(values.get("models")),
    allowed_addresses: splitList(values.get("addresses")),
    requests_per_day: parseRequestsPerDay(values.get("requests-per-day")),
    spend_limit_usd: parseSpendLimit(values.get("spend-limit")),
    keep_responses: parseYesNo(values.get("keep-responses")),
    notes: values.get("notes"),
  };
  const fields = readInput(newKeySchema, body);
  const key = await createKey(await open(), fields);
  // Only `serve` knows whether the simulator is on.
  const models = fields.allowed_models?.filter((model) => !/^sim#/i.test(model));
  const warnings = settings ? warnOfModels(models, buildCatalogue(settings)) : [];
  for (const warning of warnings) io.err(`warning: --models: ${warning}`);
  io.out(isJson ? formatJson(addWarnings(key, warnings)) : formatSecret(key));
}

function formatSecret(key: NewKeyView): string {
  return `${key.secret}\n\n${key.id} (${key.name}). The secret won't be shown again.`;
}

function splitList(text: string | undefined): readonly string[] | undefined {
  return text?.split(",").map((part) => part.trim());
}

function list(call: Call): Promise<void> {
  return printList(call, { list: listKeys, columns: COLUMNS, formatCells });
}

async function setPaused({ words, isJson, io, open }: Call, paused: boolean): Promise<void> {
  const id = requireId(words);
  const key = await updateKey(await open(), id, { paused });
  io.out(isJson ? formatJson(key) : `${paused ? "Paused" : "Resumed"} ${key.id} (${key.name}).`);
}

async function rotate({ words, values, isJson, io, open }: Call): Promise<void> {
  const id = requireId(words);
  const fields = readInput(rotationSchema, { grace: values.get("grace") });
  const key = await rotateKey(await open(), id, fields);
  const until = key.old_secret_expires_at;
  const old = until === null ? "no longer works" : `works until ${until}`;
  io.out(isJson ? formatJson(key) : `${formatSecret(key)} The old one ${old}.`);
}

function requireId(words: Call["words"]): string {
  return requireOne(words, "one key's id, as shown by `poundkey keys list`");
}

async function revoke({ words, isJson, io, open }: Call): Promise<void> {
  const id = requireId(words);
  const key = await revokeKey(await open(), id);
  io.out(isJson ? formatJson(key) : `Revoked ${key.id} (${key.name}).`);
}

const COLUMNS = ["ID", "NAME", "ACCOUNT", "ENDS IN", "PER DAY", "EXPIRES", "REVOKED", "STATE"];

function formatCells(key: KeyView): readonly string[] {
  const perDay = key.requests_per_day === null ? "unlimited" : String(key.requests_per_day);
  const [expires, revoked] = [key.expires_at ?? "-", key.revoked_at ?? "-"];
  return [key.id, key.name, key.account_id, key.last4, perDay, expires, revoked, key.state];
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
