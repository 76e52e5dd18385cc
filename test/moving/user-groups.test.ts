// Groups of users at One API and new-api: no key may use a channel that served others alone.
import { expect, test } from "bun:test";
import { mayUse } from "../../src/core/keys/key.ts";
import { readNewApi } from "../../src/moving/new-api/read.ts";
import { Report } from "../../src/moving/report.ts";

const CHANNELS = [
  { id: 1, type: 1, name: "house", group: "default", models: "house,both", priority: 0 },
  { id: 2, type: 14, name: "vip-claude", group: "vip", models: "claude-sonnet-5", priority: 0 },
  { id: 3, type: 1, name: "vip-first", group: "vip", models: "both", priority: 9 },
  { id: 4, type: 1, name: "open", group: "vip,default", models: "open", priority: 0 },
].map((one) => ({ status: 1, key: `k-${one.id}`, weight: 0, ...one }));
const USERS = [
  { id: 1, username: "amy", group: "default", status: 1, quota: 5 },
  { id: 2, username: "ben", group: "vip", status: 1, quota: 5 },
];

interface Token {
  readonly name: string;
  readonly user_id: number;
  readonly group?: string;
  readonly model_limits?: string;
  readonly cost_ceiling?: number;
}

function read(
  tokens: readonly Token[],
  channels: readonly object[] = CHANNELS,
  options: readonly object[] = [],
) {
  const report = new Report();
  const rows = tokens.map((one, at) => ({
    id: at,
    key: String(at).repeat(48),
    status: 1,
    unlimited_quota: 1,
    model_limits_enabled: one.model_limits === undefined ? 0 : 1,
    ...one,
  }));
  const tables = {
    users: USERS,
    tokens: rows,
    options: options.map((one) => ({ ...one })),
    channels: channels.map((one) => ({ ...one })),
  };
  const { config, owners } = readNewApi(tables, { report, nowMs: 0, isFree: false });
  /** The models behind each name that the key may use. */
  const list = (name: string) => {
    const key = owners.keys.find((one) => one.key.name === name)?.key;
    const names = Object.entries(config.aliases).map(([alias, members]) => {
      const ids = Array.isArray(members) ? members.map(({ model }: { model: string }) => model) : [];
      return [alias, key === undefined ? [] : ids.filter((id) => mayUse(key, id))] as const;
    });
    return Object.fromEntries(names.filter(([, ids]) => ids.length > 0));
  };
  return {
    config,
    list,
    report,
    keys: owners.keys,
    accounts: owners.accounts,
    find: (item: string) => report.rows.find((row) => row.item === item),
  };
}

test("a user's keys may use the channels of the user's group, each with its own provider's key", () => {
  const { list, config, find } = read([
    { name: "amy's", user_id: 1 },
    { name: "ben's", user_id: 2 },
  ]);
  expect(Object.keys(list("amy's"))).toEqual(["house", "both", "open"]);
  expect(Object.keys(list("ben's"))).toEqual(["both", "claude-sonnet-5", "open"]);
  const [amys, bens] = [list("amy's").both, list("ben's").both];
  expect([amys?.length, bens?.length, amys?.[0] === bens?.[0]]).toEqual([1, 1, false]);
  const keys = Object.values(config.providers).map((one) => JSON.stringify(one).match(/\$\{\w+\}/g)?.length);
  expect(keys).toEqual([1, 1, 1, 1]);
  expect(find("channel vip-claude")?.words).toEndWith("for the group vip");
  expect(find("key amy's: channels of default")).toMatchObject({ outcome: "taken" });
});

test("a token's own group counts instead, and one that isn't known pauses it", () => {
  const { list, keys } = read(
    [
      { name: "of vip", user_id: 1, group: "vip" },
      { name: "of auto", user_id: 1, group: "auto" },
      { name: "of a closed group", user_id: 1, group: "staff" },
      { name: "limited", user_id: 1, model_limits: "claude-sonnet-5,house" },
      { name: "of nothing", user_id: 1, model_limits: "claude-sonnet-5" },
    ],
    CHANNELS,
    [{ key: "UserUsableGroups", value: '{"default":"","vip":""}' }],
  );
  expect(Object.keys(list("of vip"))).toEqual(["both", "claude-sonnet-5", "open"]);
  expect(Object.keys(list("limited"))).toEqual(["house"]);
  expect(list("of nothing")).toEqual({});
  const paused = keys.filter(({ key }) => key.isPaused).map(({ key, pausedFor }) => [key.name, pausedFor]);
  expect(paused).toEqual([
    ["of auto", ["its group is chosen by new-api: auto"]],
    ["of a closed group", ["its user may not use the group staff"]],
  ]);
});

test("keys are open if every channel serves their group", () => {
  const { keys } = read([{ name: "amy's", user_id: 1 }], CHANNELS.slice(0, 1));
  expect(keys[0]?.key.allowedModels).toBeNull();
});

test("new-api's limit of requests is the account's, and what nobody here knows of a token pauses it", () => {
  const options = [
    { key: "ModelRequestRateLimitEnabled", value: "true" },
    { key: "ModelRequestRateLimitDurationMinutes", value: "2" },
    { key: "ModelRequestRateLimitCount", value: "60" },
    { key: "ModelRequestRateLimitGroup", value: '{"vip":[0,9]}' },
    { key: "SMTPServer", value: "smtp.example" },
  ];
  const tokens = [{ name: "amy's", user_id: 1, cost_ceiling: 3 }];
  const { accounts, keys, find } = read(tokens, CHANNELS, options);
  expect(accounts.map(({ account }) => [account.name, account.requestsPerMinute])).toEqual([
    ["amy", 30],
    ["ben", 4],
  ]);
  expect(find("account amy: limit of requests")?.outcome).toBe("narrowed");
  expect(keys[0]?.pausedFor).toEqual(["cost_ceiling: a column that isn't known here"]);
  expect(find("options (1)")?.words).toContain("SMTPServer");
});
