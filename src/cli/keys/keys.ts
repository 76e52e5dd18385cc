// `poundkey keys`: adds, lists, pauses, rotates and revokes gateway keys, also while a gateway runs on the same store.
import { readInput } from "../../admin/input.ts";
import { newKeySchema, rotationSchema } from "../../admin/keys/key-fields.ts";
import { addWarnings, warnOfHooks, warnOfModels, warnOfNoBound } from "../../admin/keys/key-warnings.ts";
import { createKey, type NewKeyView, revokeKey, rotateKey, updateKey } from "../../admin/keys/keys.ts";
import { type KeyInUseView, listKeysInUse, makeUseParts } from "../../admin/keys/keys-in-use.ts";
import { sumUsage } from "../../admin/log/usage.ts";
import { readAliasNames } from "../../admin/models/aliases.ts";
import { buildCatalogue } from "../../catalogue/catalogue.ts";
import { KEY_FIELDS } from "../../core/fields/key.ts";
import {
  type Call,
  formatJson,
  formatUsd,
  makeCommand,
  printList,
  requireOne,
  type StoreCall,
} from "../administration.ts";
import { describeFlags, listFlags, readFlags } from "../field-flags.ts";

const HELP = `usage: poundkey keys add --name NAME [options]
       poundkey keys list [--json]
       poundkey keys pause ID [--json]
       poundkey keys resume ID [--json]
       poundkey keys rotate ID [--grace DURATION] [--json]
       poundkey keys revoke ID [--json]

Manages gateway keys. A new secret is printed only once, because it isn't stored. A key with neither a daily allowance
nor a budget, of its own or of its account, is added with a warning.

  list                      all keys, with the free requests that they used today, the requests and their cost of the
                            last 30 days, and the last use
  pause, resume             refuse the key's requests until it is resumed
  rotate                    replace the key's secret; its limits and usage stay
  revoke                    end the key for good

${describeFlags(KEY_FIELDS)}
  --grace DURATION          how long the old secret still works, such as 24h (default: 0s)
  --json                    print JSON
  --config FILE, --store S  as for \`poundkey serve\`

examples:
  poundkey keys add --name my-app
  poundkey keys add --name ann --account default --budget "100/month, 10/day:*opus*" --expires 2027-12-31
  poundkey keys list
  poundkey keys rotate key_2f8c41d0 --grace 24h`;

export const runKeys = makeCommand(HELP, {
  add: { run: add, flags: listFlags(KEY_FIELDS), opening: "make" },
  list: { run: list, needs: "store" },
  pause: { run: (call) => setPaused(call, true), words: ["ID"], needs: "store" },
  resume: { run: (call) => setPaused(call, false), words: ["ID"], needs: "store" },
  rotate: { run: rotate, flags: { grace: "value" }, words: ["ID"], needs: "store" },
  revoke: { run: revoke, words: ["ID"], needs: "store" },
});

async function add(call: Call): Promise<void> {
  const { isJson, io, settings, open } = call;
  const fields = readInput(newKeySchema, readFlags(KEY_FIELDS, call));
  const { keysExpireInMs } = settings.ownerLimits;
  const world = await open();
  const aliasNames = await readAliasNames(world.store, settings.aliases);
  const key = await createKey({ ...world, keysExpireInMs, aliasNames }, fields);
  // Only `serve` knows whether the simulator is on.
  const models = fields.allowed_models?.filter((model) => !/^sim#/i.test(model));
  const isNoAlias = (model: string) => aliasNames.find(model) === null;
  const unserved = models ? warnOfModels(models.filter(isNoAlias), buildCatalogue(settings)) : [];
  const unbounded = [
    ...warnOfHooks(fields.hooks, settings),
    ...(await warnOfNoBound(world, key.id, settings)),
  ];
  for (const warning of unserved) io.err(`warning: --models: ${warning}`);
  for (const warning of unbounded) io.err(`warning: ${warning}`);
  io.out(isJson ? formatJson(addWarnings(key, [...unserved, ...unbounded])) : formatSecret(key));
}

function formatSecret(key: NewKeyView): string {
  return `${key.secret}\n\n${key.id} (${key.name}). The secret won't be shown again.`;
}

async function list(call: StoreCall): Promise<void> {
  const { settings } = call;
  const world = await call.open();
  const rules = { dayRules: () => settings.quota, keepMs: () => settings.log.keepMs };
  const { data } = await sumUsage({ ...world, ...rules }, { group_by: "key" });
  const sums = new Map(data.map((sum) => [sum.key_id ?? "", sum]));
  return printList(
    { ...call, open: async () => world },
    {
      list: (_, query) => listKeysInUse(makeUseParts(world, settings), query),
      columns: COLUMNS,
      formatCells: (key) => formatCells(key, sums.get(key.id)),
    },
  );
}

async function setPaused({ words, isJson, io, open }: StoreCall, paused: boolean): Promise<void> {
  const id = requireId(words);
  const key = await updateKey(await open(), id, { paused });
  io.out(isJson ? formatJson(key) : `${paused ? "Paused" : "Resumed"} ${key.id} (${key.name}).`);
}

async function rotate({ words, values, isJson, io, open }: StoreCall): Promise<void> {
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

async function revoke({ words, isJson, io, open }: StoreCall): Promise<void> {
  const id = requireId(words);
  const key = await revokeKey(await open(), id);
  io.out(isJson ? formatJson(key) : `Revoked ${key.id} (${key.name}).`);
}

const COLUMNS = [
  "ID",
  "NAME",
  "ACCOUNT",
  "ENDS IN",
  "FREE TODAY",
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

function formatCells(key: KeyInUseView, sum: KeyUseSums = { requests: 0, cost_usd: 0 }): readonly string[] {
  const { id, name, account_id, last4, allowance, state } = key;
  const free = allowance.limit === null ? "unlimited" : `${allowance.used} of ${allowance.limit}`;
  const times = [key.last_used_at ?? "never", key.expires_at ?? "-"];
  return [id, name, account_id, last4, free, String(sum.requests), formatUsd(sum.cost_usd), ...times, state];
}
