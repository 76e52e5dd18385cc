// `poundkey keys`: adds, lists, pauses, rotates and revokes gateway keys, also while a gateway runs on the same store.
import { type Static, Type } from "@sinclair/typebox";
import { readInput } from "../../admin/input.ts";
import { newKeySchema, rotationSchema } from "../../admin/keys/key-fields.ts";
import {
  addWarnings,
  warnOfMissing,
  warnOfModels,
  warnOfNoBoundById,
} from "../../admin/keys/key-warnings.ts";
import {
  createdKeySchema,
  createKey,
  keySchema,
  type NewKeyView,
  revokeKey,
  rotateKey,
  updateKey,
} from "../../admin/keys/keys.ts";
import {
  type KeyInUseView,
  keyInUseSchema,
  listKeysInUse,
  makeUseParts,
} from "../../admin/keys/keys-in-use.ts";
import { sumUsage, usageSchema } from "../../admin/log/usage.ts";
import { readAliasNames } from "../../admin/models/aliases.ts";
import type { ActingWorld } from "../../admin/world.ts";
import { buildCatalogue } from "../../catalogue/catalogue.ts";
import { KEY_FIELDS } from "../../core/fields/key.ts";
import type { Settings } from "../../core/settings.ts";
import { KEY } from "../../core/things/key.ts";
import { STOP_OLDER, STOP_OLDER_HELP } from "../act.ts";
import {
  type Call,
  formatJson,
  formatUsd,
  makeCommand,
  printList,
  requireOne,
  type StoreCall,
  warnOfNamesake,
} from "../administration.ts";
import { STORE_OR_GATEWAY } from "../arguments.ts";
import { describeFlags, listFlags, readFlags } from "../field-flags.ts";
import { makePageReader, makeReader } from "../gateway/ask.ts";
import { ACCOUNT_NAMING, findId, KEY_NAMING } from "../gateway/names.ts";
import { describeSorts, readSort, SORT } from "../sorting.ts";
import { WIDE, WIDE_HELP } from "../table.ts";

const HELP = `usage: poundkey keys add --name NAME [options]
       poundkey keys list [--sort COLUMN] [--wide] [--json]
       poundkey keys pause KEY [--json]
       poundkey keys resume KEY [--json]
       poundkey keys rotate KEY [--grace DURATION] [--json]
       poundkey keys revoke KEY [--json]

Manages gateway keys. A new secret is printed only once, because it isn't stored. A key with neither a daily allowance
nor a budget, of its own or of its account, is added with a warning.

  KEY                       the key's id, or the name that only one has
  list                      all keys, with the free requests that they have left today, the requests and their cost of
                            the last 30 days, and the last use
  pause, resume             refuse the key's requests until it is resumed
  rotate                    replace the key's secret; its limits and usage stay
  revoke                    end the key for good

${describeFlags(KEY_FIELDS)}
  --grace DURATION          how long the old secret still works, such as 24h (default: 0s)
${describeSorts("keys")}
${STOP_OLDER_HELP}
${WIDE_HELP}
  --json                    print JSON
${STORE_OR_GATEWAY}

examples:
  poundkey keys add --name my-app
  poundkey keys add --name ann --account default --budget "100/month, 10/day:*opus*" --expires 2027-12-31
  poundkey keys list --sort cost
  poundkey keys rotate key_2f8c41d0 --grace 24h`;

export const runKeys = makeCommand(HELP, {
  add: { run: add, flags: { ...listFlags(KEY_FIELDS), ...STOP_OLDER }, opening: "make" },
  list: { run: list, flags: { ...SORT, ...WIDE }, needs: "store" },
  pause: { run: (call) => setPaused(call, true), words: ["KEY"], needs: "store" },
  resume: { run: (call) => setPaused(call, false), words: ["KEY"], needs: "store" },
  rotate: { run: rotate, flags: { grace: "value" }, words: ["KEY"], needs: "store" },
  revoke: { run: revoke, words: ["KEY"], needs: "store" },
});

const readMade = makeReader(
  Type.Object({ ...createdKeySchema.properties, warnings: Type.Optional(Type.Array(Type.String())) }),
);
const readKey = makeReader(keySchema);
const readPage = makePageReader(makeReader(keyInUseSchema));

async function add(call: Call): Promise<void> {
  const { isJson, io, settings, ask } = call;
  const input = readInput(newKeySchema, readFlags(KEY_FIELDS, call));
  const { account_id: account } = input;
  const fields = account ? { ...input, account_id: await findId(ask, ACCOUNT_NAMING, account) } : input;
  const key = await ask({
    route: KEY.actions.make,
    body: fields,
    read: readMade,
    here: (world) => makeHere(world, fields, settings),
  });
  for (const warning of key.warnings ?? []) io.err(`warning: ${warning}`);
  await warnOfNamesake(call, KEY_NAMING, key);
  io.out(isJson ? formatJson(key) : formatSecret(key));
}

async function makeHere(world: ActingWorld, fields: Static<typeof newKeySchema>, settings: Settings) {
  const { keysExpireInMs } = settings.ownerLimits;
  const aliasNames = await readAliasNames(world.store, settings.aliases);
  const key = await createKey({ ...world, keysExpireInMs, aliasNames }, fields);
  // Only `serve` knows whether the simulator is on.
  const models = fields.allowed_models?.filter((model) => !/^sim#/i.test(model));
  const isNoAlias = (model: string) => aliasNames.find(model) === null;
  const unserved = models ? warnOfModels(models.filter(isNoAlias), buildCatalogue(settings)) : [];
  const missing = warnOfMissing(fields, settings);
  return addWarnings(key, [...unserved, ...missing, ...(await warnOfNoBoundById(world, key.id, settings))]);
}

function formatSecret(key: NewKeyView): string {
  const end = key.expires_at === null ? "" : ` It expires at ${key.expires_at}.`;
  return `${key.secret}\n\n${key.id} (${key.name}).${end} The secret won't be shown again.`;
}

async function list(call: StoreCall): Promise<void> {
  const { settings, ask } = call;
  const order = readSort("keys", call);
  const rules = { dayRules: () => settings.quota, keepMs: () => settings.log.keepMs };
  const { data } = await ask({
    route: { method: "GET", path: "/usage" },
    query: { group_by: "key" },
    read: makeReader(usageSchema),
    here: (world) => sumUsage({ ...world, ...rules }, { group_by: "key" }),
  });
  const sums = new Map(data.map((sum) => [sum.key_id ?? "", sum]));
  return printList(call, {
    askPage: (after) => ({
      route: KEY.actions.list,
      query: { ...order, after },
      read: readPage,
      here: (world) =>
        listKeysInUse(makeUseParts(world, settings), { ...order, ...(after ? { after } : {}) }),
    }),
    columns: COLUMNS,
    giveWay: ["ENDS IN", "EXPIRES", "REQUESTS", "FREE LEFT", "ACCOUNT", "LAST USED", "COST USD", "ID"],
    nothing: "There are no keys. Add one with poundkey keys add --name NAME.",
    named: ["account_id"],
    formatCells: (key, showName) =>
      formatCells({ ...key, account: showName(key.account_id) }, sums.get(key.id)),
  });
}

async function setPaused({ words, isJson, io, ask }: StoreCall, paused: boolean): Promise<void> {
  const id = await findKey(ask, words);
  const key = await ask({
    route: KEY.actions.change,
    parts: { id },
    body: { paused },
    read: readKey,
    here: (world) => updateKey(world, id, { paused }),
  });
  io.out(isJson ? formatJson(key) : `${paused ? "Paused" : "Resumed"} ${key.id} (${key.name}).`);
}

async function rotate({ words, values, isJson, io, ask }: StoreCall): Promise<void> {
  const id = await findKey(ask, words);
  const fields = readInput(rotationSchema, { grace: values.get("grace") });
  const key = await ask({
    route: KEY.actions.rotate,
    parts: { id },
    body: fields,
    read: readMade,
    here: (world) => rotateKey(world, id, fields),
  });
  const until = key.old_secret_expires_at;
  const old = until === null ? "no longer works" : `works until ${until}`;
  io.out(isJson ? formatJson(key) : `${formatSecret(key)} The old one ${old}.`);
}

function findKey(ask: StoreCall["ask"], words: Call["words"]): Promise<string> {
  return findId(ask, KEY_NAMING, requireOne(words, "one key's id or name, as shown by `poundkey keys list`"));
}

async function revoke({ words, isJson, io, ask }: StoreCall): Promise<void> {
  const id = await findKey(ask, words);
  const key = await ask({
    route: KEY.actions.end,
    parts: { id },
    read: readKey,
    here: (world) => revokeKey(world, id),
  });
  io.out(isJson ? formatJson(key) : `Revoked ${key.id} (${key.name}).`);
}

const COLUMNS = [
  "NAME",
  "ID",
  "ACCOUNT",
  "ENDS IN",
  "FREE LEFT",
  "REQUESTS",
  "COST USD",
  "LAST USED",
  "EXPIRES",
  "STATE",
];

interface KeyUseSums {
  readonly requests: number;
  readonly cost_usd: number;
}

function formatCells(
  key: KeyInUseView & { readonly account: string },
  sum: KeyUseSums = { requests: 0, cost_usd: 0 },
): readonly string[] {
  const { id, name, account, last4, allowance, state } = key;
  const { limit, used } = allowance;
  const free = limit === null ? "unlimited" : `${Math.max(0, limit - used)} of ${limit}`;
  const times = [key.last_used_at ?? "never", key.expires_at ?? "-"];
  return [name, id, account, last4, free, String(sum.requests), formatUsd(sum.cost_usd), ...times, state];
}
