// The questions of an operator to a filled store: every list with each filter, every kind of search, and the console's pages.
import { RARE, type Raw } from "./million-fill.ts";

type Ask = readonly [name: string, path: string];

const DAY_MS = 86_400_000;

/** Names one row of the middle of the log, its key and account, and the key that made the fewest requests. */
async function pickSample(raw: Raw) {
  const [[middle] = []] = await raw.list("SELECT (min(at_ms) + max(at_ms)) / 2 FROM request");
  const [[id, requestId, session, traceId, keyId, accountId, address, member, atMs] = []] = (
    await raw.list(
      `SELECT id, request_id, session, trace_id, key_id, account_id, address, member_id, at_ms FROM request
        WHERE at_ms >= ${middle} AND session IS NOT NULL AND trace_id IS NOT NULL ORDER BY at_ms LIMIT 1`,
    )
  ).map((row) => row.map(String));
  const [[rareKey] = []] = await raw.list(
    "SELECT key_id FROM hourly_usage GROUP BY key_id ORDER BY sum(requests) LIMIT 1",
  );
  const [[busyKey] = []] = await raw.list(
    "SELECT key_id FROM hourly_usage GROUP BY key_id ORDER BY sum(requests) DESC LIMIT 1",
  );
  const [[journal] = []] = await raw.list(
    "SELECT account_id FROM entry GROUP BY account_id ORDER BY count(*) DESC LIMIT 1",
  );
  const [[last4] = []] = await raw.list(`SELECT last4 FROM gateway_key WHERE id = '${keyId}'`);
  return {
    id,
    requestId,
    session,
    traceId,
    keyId,
    accountId,
    address,
    member,
    atMs: Number(atMs),
    rareKey: String(rareKey),
    busyKey: String(busyKey),
    journal: String(journal),
    last4: String(last4),
  };
}

const at = (ms: number) => new Date(ms).toISOString();
const query = (fields: Readonly<Record<string, string | undefined>>) =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  ).toString();

export async function listAsks(raw: Raw): Promise<readonly Ask[]> {
  const sample = await pickSample(raw);
  return [
    ...listRequestAsks(sample),
    ...listRefusalAsks(sample),
    ...listSearches(sample),
    ...listUsageAsks(sample),
    ...listPageAsks(sample),
  ];
}

type Sample = Awaited<ReturnType<typeof pickSample>>;

function listRequestAsks(sample: Sample): readonly Ask[] {
  const { keyId, accountId, session, traceId, address, member, id, atMs, rareKey, busyKey } = sample;
  const from = at(atMs - DAY_MS);
  const to = at(atMs);
  const filters: readonly Readonly<Record<string, string | undefined>>[] = [
    {},
    { limit: "200" },
    { from, to },
    { after: `${atMs}.${id}` },
    ...[keyId, rareKey, busyKey].map((key) => ({ key })),
    { key: rareKey, outcome: "failed" },
    { key: busyKey, status: String(RARE.status) },
    { key: busyKey, address: RARE.address },
    { account: accountId },
    { account: accountId, status: "error" },
    { account: accountId, address: RARE.address },
    { member },
    { member: "member-none" },
    { provider: "OpenAI" },
    { provider: "Nobody" },
    { model: "OpenAI#gpt-5.4" },
    { model: "OpenAI#nothing" },
    { operation: "chat" },
    { operation: "images" },
    { surface: "openai-chat" },
    { surface: "gemini" },
    { selector: "fair" },
    { selector: "light" },
    ...["answered", "failed", "refused", "left"].map((outcome) => ({ outcome })),
    ...["ok", "error", "502", String(RARE.status)].map((status) => ({ status })),
    { ended: "done" },
    { session },
    { session: "no-such-session" },
    { trace_id: traceId },
    { address },
    { address: RARE.address },
    { q: "gpt-5.4" },
    { q: id },
    { q: RARE.code },
    { q: "no such thing" },
    { outcome: "failed", provider: "OpenAI", from },
    { model: "OpenAI#gpt-5.4", account: accountId, outcome: "left" },
  ];
  return [
    ...filters.map((filter): Ask => [`requests ${describe(filter, sample)}`, `/requests?${query(filter)}`]),
    ["requests/{id}", `/requests/${id}`],
  ];
}

function listRefusalAsks(sample: Sample): readonly Ask[] {
  const { keyId, accountId, address, atMs, rareKey, busyKey } = sample;
  const filters: readonly Readonly<Record<string, string | undefined>>[] = [
    {},
    { limit: "200" },
    { from: at(atMs - DAY_MS), to: at(atMs) },
    ...[keyId, rareKey, busyKey].map((key) => ({ key })),
    { key: busyKey, code: RARE.code },
    { account: accountId },
    { account: accountId, code: RARE.code },
    { model: "OpenAI#gpt-5.4" },
    { model: "OpenAI#rare" },
    { model: "OpenAI#nothing" },
    { code: "budget_exceeded" },
    { code: RARE.code },
    { address },
    { address: RARE.address },
  ];
  return filters.map((filter): Ask => [`refusals ${describe(filter, sample)}`, `/refusals?${query(filter)}`]);
}

function listSearches(sample: Sample): readonly Ask[] {
  const { id, requestId, keyId, accountId, traceId, session, last4 } = sample;
  const searched: Readonly<Record<string, string | undefined>> = {
    "a completion id": id,
    "a request id": requestId,
    "a key id": keyId,
    "an account id": accountId,
    "a trace id": traceId,
    "a session": session,
    "last four": last4,
    "part of a key's name": "key-49",
    "part of an account's name": "team",
    "part of a model": "gpt",
    "a provider": "openai",
    nothing: "zzzz",
  };
  return Object.entries(searched).map(([what, q]): Ask => [`search ${what}`, `/search?${query({ q })}`]);
}

function listUsageAsks({ keyId, accountId }: Sample): readonly Ask[] {
  const groups = [
    "hour",
    "day",
    "month",
    "model",
    "key",
    "account",
    "provider",
    "operation",
    "surface",
    "outcome",
  ];
  const from = at(Date.now() - DAY_MS);
  const month = [...groups, "model,outcome", "account,model,day"].map(
    (group): Ask => [`usage of 30 days by ${group}`, `/usage?group_by=${group}`],
  );
  const narrowed = [
    { key: keyId },
    { account: accountId },
    { model: "OpenAI#gpt-5.4" },
    { provider: "OpenAI" },
  ];
  return [
    ...month,
    ["usage of a day by key", `/usage?${query({ group_by: "key", from })}`],
    ...[...narrowed, { outcome: "failed" }].map(
      (filter): Ask => [
        `usage by day, ${Object.keys(filter)}`,
        `/usage?${query({ group_by: "day", ...filter })}`,
      ],
    ),
  ];
}

function listPageAsks({ keyId, accountId, journal }: Sample): readonly Ask[] {
  const spans = [
    [1, "hour"],
    [7, "hour"],
    [30, "day"],
    [90, "day"],
  ] as const;
  const nowMs = Date.now();
  const overviews = spans.map(
    ([days, step]): Ask => [
      `overview of ${days} days`,
      `/overview?${query({ from: at(nowMs - days * DAY_MS), to: at(nowMs), step })}`,
    ],
  );
  const paths = ["/nearing", "/problems", "/models", "/providers?all=true", "/settings", "/savings"];
  return [
    ...overviews,
    ...[...paths, "/keys", "/keys?limit=200", "/keys?q=key-49", "/accounts?limit=200"].map(
      (path): Ask => [path, path],
    ),
    ["key", `/keys/${keyId}`],
    ["account", `/accounts/${accountId}`],
    ["journal of a million rows", `/accounts/${journal}/journal`],
    ["journal, its 200", `/accounts/${journal}/journal?limit=200`],
    ["journal of revenue", "/accounts/revenue/journal"],
  ];
}

/** The filters' names, and the values that say something to a reader. */
function describe(
  filter: Readonly<Record<string, string | undefined>>,
  { rareKey, busyKey }: Sample,
): string {
  const known = new Map([
    [rareKey, "rare"],
    [busyKey, "busy"],
  ]);
  const words = Object.entries(filter).map(([name, value = ""]) =>
    value.length > 24 || name === "key" ? `${name} ${known.get(value) ?? ""}`.trim() : `${name}=${value}`,
  );
  return words.join(", ") || "all";
}
