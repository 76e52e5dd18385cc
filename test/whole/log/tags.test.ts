// Tags over HTTP: the header on every route, whose tags come first, and where they are shown and searched.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { formatError } from "../../../src/config/errors.ts";
import type { Fetch } from "../../../src/core/world/world.ts";
import { ATTACKED_ROUTES, type AttackedRoute } from "../../abuse/routes.ts";
import { BINARY, startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { loadText } from "../../harness/settings.ts";
import { createOperator, type Operator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { asking } from "../world/world.ts";

const HEADER = "x-poundkey-tags";
const sent: Headers[] = [];
/** Upstream calls, with their headers noted. */
const watched: Fetch = (url, init) => {
  sent.push(new Headers(init?.headers));
  return fetch(url, init);
};

let under: UnderTest;
let operator: Operator;
beforeAll(async () => {
  under = await startUnderTest({ fetch: watched });
  operator = createOperator(under);
});
afterAll(() => under.stop());
beforeEach(() => {
  sent.length = 0;
});

const MODELS: Readonly<Record<string, string>> = { "/v1/messages": "Anthropic#sim", "/v1beta": "Google#sim" };

/** The model whose provider speaks the route's own form, if there is one: its requests take the native lane. */
function chooseModel(path: string): string {
  return Object.entries(MODELS).find(([start]) => path.startsWith(start))?.[1] ?? "Local#sim";
}

function knock({ path, body }: AttackedRoute, tags: string, model: string): Promise<Response> {
  const [provider = "", name = ""] = model.split("#");
  const given = body?.({ model, stream: false, more: {} });
  const url = path
    .replace("{model}", encodeURIComponent(model))
    .replace("{provider}", provider)
    .replace("{name}", name);
  return fetch(under.url + url, {
    method: "POST",
    headers: {
      "x-api-key": under.secret,
      [HEADER]: tags,
      ...(given instanceof FormData ? {} : { "content-type": "application/json" }),
    },
    body: given instanceof FormData ? given : JSON.stringify(given),
  });
}

const calling = ATTACKED_ROUTES.filter(({ calls }) => calls);
const lanes = calling.flatMap((route) =>
  [...new Set(["Local#sim", chooseModel(route.path)])].map((model) => [route.path, model, route] as const),
);

describe.each(lanes)("%s with %s", (_path, model, route) => {
  test("refuses tags that aren't, and calls nobody", async () => {
    const answer = await knock(route, "team", model);
    expect([answer.status, await answer.text()]).toEqual([
      400,
      expect.stringContaining(
        `Invalid header '${HEADER}': expected at most 8 tags like team=search,env=prod`,
      ),
    ]);
    expect(sent).toEqual([]);
  });

  test("keeps tags with the request, and from the provider", async () => {
    const tag = `route=${crypto.randomUUID().slice(0, 8)}`;
    await (await knock(route, tag, model)).text();
    expect(sent.length).toBeGreaterThan(0);
    for (const headers of sent) expect(headers.has(HEADER)).toBe(false);
    const rows = await operator.get(`/requests?tag=${encodeURIComponent(tag)}`);
    expect(rows.body.data).toEqual([expect.objectContaining({ tags: { route: tag.slice(6) } })]);
  });
});

async function ask(tags: string | undefined, secret = under.secret): Promise<Response> {
  return under.chat(asking("Local#sim"), {
    secret,
    ...(tags === undefined ? {} : { headers: { [HEADER]: tags } }),
  });
}

const LONG = `team=${"a".repeat(59)}`;

describe("the header", () => {
  test.each([
    ["", "an empty one"],
    [" , ", "spaces and commas"],
    ["team=", "an empty value"],
    ["=search", "an empty name"],
    ["team=a,", "a comma at the end"],
    ["team=a,team=b", "a name twice"],
    ["te am=a", "a space in a name"],
    ["__proto__=a", "a name that begins with a sign"],
    [Buffer.from("team=Müller").toString("latin1"), "a letter beyond ASCII"],
    ["team=M\u00fcller", "the same in Latin-1"],
    [`${LONG}a`, "65 characters"],
    ["a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=1", "nine tags"],
    [`team=${"a,".repeat(4000)}`, "8 KB"],
  ])("%p is refused: %s", async (tags) => {
    const answer = await ask(tags);
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: expect.objectContaining({ code: "invalid_value", param: HEADER }) },
    ]);
  });

  test("of 100 KB is refused", async () => {
    const status = await ask(`team=${"a".repeat(100_000)}`).then(
      (answer) => answer.status,
      () => "closed",
    );
    expect([400, 431, "closed"]).toContain(status);
    expect(sent).toEqual([]);
    expect((await ask("team=a")).status).toBe(200);
  });

  test.each([
    ["team=search", { team: "search" }],
    [" team = search".replaceAll(" = ", "=").concat(" , env=prod"), { env: "prod", team: "search" }],
    [LONG, { team: "a".repeat(59) }],
    ["a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1", { a: "1", b: "1", c: "1", d: "1", e: "1", f: "1", g: "1", h: "1" }],
    ['path=/a?b=c&d="e f"', { path: '/a?b=c&d="e f"' }],
    ["constructor=1", { constructor: "1" }],
  ])("%p is kept", async (tags, shown) => {
    const { id } = (await (await ask(tags)).json()) as { id: string };
    expect((await operator.get(`/requests/${id}`)).body.tags).toEqual(shown);
  });

  test("may be sent twice", async () => {
    const headers = new Headers({
      authorization: `Bearer ${under.secret}`,
      "content-type": "application/json",
    });
    headers.append(HEADER, "team=a");
    headers.append(HEADER, "env=b");
    const body = JSON.stringify(asking("Local#sim"));
    const answer = await fetch(`${under.url}/v1/chat/completions`, { method: "POST", headers, body });
    const { id } = (await answer.json()) as { id: string };
    expect((await operator.get(`/requests/${id}`)).body.tags).toEqual({ env: "b", team: "a" });
  });
});

test("a key's tags come before its account's, and both before the header's", async () => {
  const account = await operator.post("/accounts", { name: "Shop", tags: { team: "shop", cost: "42" } });
  expect(account.body.tags).toEqual({ cost: "42", team: "shop" });
  const key = await under.newKey({ account_id: account.body.id, tags: { team: "ads" } });
  const shown = async (tags?: string) => {
    const { id } = (await (await ask(tags, key.secret)).json()) as { id: string };
    return (await operator.get(`/requests/${id}`)).body.tags;
  };
  expect(await shown("team=mine,cost=0,env=prod")).toEqual({ cost: "42", env: "prod", team: "ads" });
  expect(await shown()).toEqual({ cost: "42", team: "ads" });
  await operator.patch(`/keys/${key.id}`, { tags: null });
  await until(
    "the change shows",
    async () => JSON.stringify(await shown("team=mine")) === '{"cost":"42","team":"shop"}',
  );
  await operator.patch(`/accounts/${account.body.id}`, { tags: {} });
  await until("the change shows", async () => JSON.stringify(await shown("team=mine")) === '{"team":"mine"}');
  expect((await operator.get(`/accounts/${account.body.id}`)).body.tags).toBe(null);
});

test.each([
  [{ "team=a": "b" }],
  [{ team: "" }],
  [{ team: "a,b" }],
  [Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`t${at}`, "1"]))],
])("%p is refused as a key's tags", async (tags) => {
  const answer = await operator.post("/keys", { name: "bad", tags });
  expect([answer.status, answer.error?.param, answer.error?.message]).toEqual([
    400,
    "tags",
    expect.stringContaining("expected at most 8 tags like team=search,env=prod"),
  ]);
});

test("sums and exports know tags", async () => {
  const account = await operator.post("/accounts", { name: "Sums" });
  const { secret } = await under.newKey({ account_id: account.body.id });
  for (const tags of ["team=a,env=prod", "team=a", undefined]) await (await ask(tags, secret)).text();
  const of = `account=${account.body.id}`;
  const list = async (query: string) => {
    const { data } = (await operator.get(`/usage?${of}&${query}`)).body as {
      data: readonly { tag?: string; requests: number }[];
    };
    return data.map(({ tag, requests }) => `${tag ?? "all"} ${requests}`).sort();
  };
  expect(await list("group_by=tag")).toEqual(["env=prod 1", "team=a 2", "untagged 1"]);
  expect(await list("group_by=tag,model,key,day")).toEqual(["env=prod 1", "team=a 2", "untagged 1"]);
  expect(await list("group_by=model")).toEqual(["all 3"]);
  expect(await list("group_by=model&tag=team%3Da")).toEqual(["all 2"]);
  const wrong = await operator.get("/usage?tag=team");
  expect([wrong.status, wrong.error?.param]).toEqual([400, "tag"]);
  const csv = await fetch(`${under.url}/admin/v1/export/requests.csv?${of}&tag=env%3Dprod`, {
    headers: { authorization: `Bearer ${under.adminToken}` },
  }).then((answer) => answer.text());
  expect(csv.trim().split("\r\n").length).toBe(2);
  expect(csv.split("\r\n")[0]).toContain("saved_usd,tags");
  expect(csv).toContain('"{""env"":""prod"",""team"":""a""}"');
});

test.skipIf(BINARY !== undefined)("the log's line of a request has its tags, kept or not", async () => {
  const account = await operator.post("/accounts", { name: "Lines", tags: { cost: "42" } });
  const { secret } = await under.newKey({ account_id: account.body.id, cache: { ttl: 60 } });
  for (const tags of ["team=a", "team=b", undefined]) await (await ask(tags, secret)).text();
  const lines = under.events.flatMap(({ record }) => record ?? []);
  const own = lines.filter(({ accountId }) => accountId === account.body.id);
  expect(own.map(({ tags, cachedFrom }) => [tags, cachedFrom !== null])).toEqual([
    ["cost=42,team=a", false],
    ["cost=42,team=b", true],
    ["cost=42", true],
  ]);
});

test("answers from the cache have the tags of the key and the account", async () => {
  const account = await operator.post("/accounts", { name: "Kept", tags: { cost: "42" } });
  const key = { account_id: account.body.id, tags: { team: "ads" }, cache: { ttl: 60 } };
  const { secret } = await under.newKey(key);
  const first = await ask("env=a", secret);
  const second = await ask("env=b", secret);
  expect([first, second].map(({ headers }) => headers.get("x-poundkey-cache"))).toEqual(["stored", "hit"]);
  const { id } = (await second.json()) as { id: string };
  const row = await operator.get(`/requests/${id}`);
  expect(row.body.tags).toEqual({ cost: "42", env: "b", team: "ads" });
  const sums = await operator.get(`/usage?account=${account.body.id}&group_by=tag&tag=team%3Dads`);
  expect(sums.body.data).toEqual([expect.objectContaining({ tag: "team=ads", requests: 2 })]);
});

describe("headers that become tags", () => {
  let own: UnderTest;
  let by: Operator;
  beforeAll(async () => {
    own = await startUnderTest({ more: "tags_from: { user: X-OpenWebUI-User-Email, team: x-team }" });
    by = createOperator(own);
  });
  afterAll(() => own.stop());

  /** Returns the tags of a request with these headers. */
  async function tag(headers: Record<string, string>, secret = own.secret): Promise<unknown> {
    const session = crypto.randomUUID();
    const answer = await own.chat(asking("Local#sim"), {
      secret,
      headers: { ...headers, "x-session-id": session },
    });
    expect(answer.status).toBe(200);
    const { body } = await by.get(`/requests?session=${session}`);
    const [row] = body.data as readonly { readonly tags?: unknown }[];
    return row?.tags ?? null;
  }

  test("are kept, summed, and come after what the request and its key say", async () => {
    const email = "x-openwebui-user-email";
    expect(await tag({})).toBeNull();
    expect(await tag({ [email]: "ann@example.com" })).toEqual({ user: "ann@example.com" });
    expect(await tag({ [email]: "ann@example.com", [HEADER]: "user=bob,env=prod" })).toEqual({
      user: "bob",
      env: "prod",
    });
    const { secret } = await own.newKey({ requests_per_day: null, tags: { user: "robot" } });
    expect(await tag({ [email]: "ann@example.com", "x-team": "search" }, secret)).toEqual({
      user: "robot",
      team: "search",
    });
    const { body } = await by.get("/usage?group_by=tag");
    expect(JSON.stringify(body.data)).toContain("user=ann@example.com");
  });

  test("never refuse a request: what no tag can hold is replaced, and what is too long is cut", async () => {
    expect(await tag({ "x-team": "a, b\u00fc" })).toEqual({ team: "a_ b_" });
    expect(await tag({ "x-team": "a".repeat(500) })).toEqual({ team: "a".repeat(59) });
    expect(await tag({ "x-team": " , " })).toEqual({ team: "_" });
    const eight = "a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1";
    expect(Object.keys((await tag({ "x-team": "x", [HEADER]: eight })) as object)).toHaveLength(8);
  });

  test.each([
    ["{ user: Authorization }", "tags_from.user: can't become a tag"],
    ["{ a: a, b: b, c: c, d: d, e: e }", "tags_from: has more than 4 headers"],
    ["{ user: 'two words' }", "tags_from.user"],
  ])("%s is refused by its field", (yaml, message) => {
    const loaded = loadText(`tags_from: ${yaml}`);
    expect(loaded.ok ? [] : loaded.errors.map(formatError).join("\n")).toContain(message);
  });
});
