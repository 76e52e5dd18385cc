// An import from LiteLLM never widens: what has no equal here is narrower, or its key is paused, and a row says so.
import { expect, test } from "bun:test";
import { budget, key, type Row, readStore, useTables } from "./tables.ts";

const importTables = useTables();

test("keys of teams, budgets, users and organizations whose tables aren't given are paused, with the file's name", async () => {
  const { place, code, rows, counts } = await importTables({
    keys: [
      key("free"),
      key("of a team", { team_id: "t-1" }),
      key("of a budget", { budget_id: "b-1" }),
      key("of a user", { user_id: "bob" }),
      key("of the admin", { user_id: "default_user_id" }),
      key("of an organization", { organization_id: "o-1" }),
    ],
  });
  const paused = rows.filter(({ outcome }) => outcome === "paused");
  expect(
    Object.fromEntries(paused.map(({ item, words }) => [item, words.replace(/^.*paused: /, "")])),
  ).toEqual({
    "key of a team": "its team t-1 may limit it: give --teams, a CSV of LiteLLM_TeamTable",
    "key of a budget": "its budget b-1 may limit it: give --budgets, a CSV of LiteLLM_BudgetTable",
    "key of a user": "its user bob may limit it: give --users, a CSV of LiteLLM_UserTable",
    "key of an organization":
      "its organization o-1 may limit it: give --organizations, a CSV of LiteLLM_OrganizationTable",
  });
  expect([code, counts.paused, rows.findIndex(({ outcome }) => outcome === "taken")]).toEqual([
    3,
    4,
    (counts.not_taken ?? 0) + 4 + (counts.narrowed ?? 0),
  ]);
  const { keys } = await readStore(place);
  expect([...keys.values()].filter(({ isPaused }) => !isPaused).map(({ name }) => name)).toEqual(
    expect.arrayContaining(["free", "of the admin"]),
  );
  expect([...keys.values()].filter(({ isPaused }) => isPaused)).toHaveLength(4);
});

test("with those tables they have what limited them, and nobody is paused", async () => {
  const { place, counts } = await importTables({
    keys: [
      key("of a team", { team_id: "t-1", models: "{mini,chat}" }),
      key("blocked", { team_id: "t-2" }),
      key("of a budget", { budget_id: "b-1" }),
    ],
    teams: [
      { team_id: "t-1", team_alias: "Search", models: "{mini}", max_budget: 20, budget_duration: "30d" },
      { team_id: "t-2", team_alias: "Blocked", blocked: "t" },
    ],
    budgets: [{ budget_id: "b-1", max_budget: 2, budget_duration: "7d", rpm_limit: 100 }],
  });
  expect([counts.paused, counts.narrowed]).toEqual([0, 0]);
  const { keys, accounts } = await readStore(place);
  expect(keys.get("of a team")?.allowedModels).toEqual(["OpenAI#gpt-5.4-mini"]);
  expect(keys.get("of a budget")).toMatchObject({ requestsPerMinute: 100, budgets: [budget(2, "week")] });
  expect(accounts.find(({ name }) => name === "Search")?.budgets).toEqual([budget(20, "month")]);
  expect(accounts.find(({ name }) => name === "Blocked")?.isPaused).toBe(true);
});

test("windows of budgets become those here, and others the next longer one", async () => {
  const { place, find } = await importTables({
    keys: [
      key("windows", {
        spend: 0.02,
        budget_limits: [
          { max_budget: 0.03, budget_duration: "1d" },
          { max_budget: 1, budget_duration: "30d" },
        ],
      }),
      key("5h", { max_budget: 3, budget_duration: "5h" }),
      key("90d", { max_budget: 3, budget_duration: "90d" }),
      key("odd", { max_budget: 3, budget_duration: "fortnight" }),
      key("text", { rpm_limit: "many" }),
    ],
  });
  const { keys } = await readStore(place);
  expect(keys.get("windows")?.budgets).toEqual([budget(0.03, "day"), budget(1, "month")]);
  expect(find("key windows: budget_limits, 1d")).toMatchObject({ outcome: "narrowed" });
  expect([keys.get("5h")?.budgets, keys.get("90d")?.budgets]).toEqual([
    [budget(3, "day")],
    [budget(3, "total")],
  ]);
  expect(find("key 5h: max_budget")).toMatchObject({
    outcome: "narrowed",
    words: "the amount of '5h' is per: day here",
  });
  expect([find("key odd")?.outcome, find("key text")?.outcome]).toEqual(["paused", "paused"]);
});

const MINI_ID = "OpenAI#gpt-5.4-mini";

test("limits of a minute on single models stay those of a key, and are one for all models elsewhere", async () => {
  const { place, find } = await importTables({
    keys: [
      key("rates", {
        metadata: { model_rpm_limit: { mini: 5, unknown: 1 }, model_tpm_limit: { mini: 900 } },
        rpm_limit: 9,
      }),
      key("of a user", { user_id: "bob", metadata: { model_rpm_limit: { mini: 5 } } }),
      key("of a team", { team_id: "t-1" }),
    ],
    teams: [{ team_id: "t-1", metadata: { model_rpm_limit: { mini: 5, chat: 4 } } }],
    users: [{ user_id: "bob", metadata: { model_rpm_limit: { mini: 7 } } }],
  });
  const { keys, accounts } = await readStore(place);
  const mini = { models: [MINI_ID], requestsPerMinute: 5, tokensPerMinute: null };
  expect(keys.get("rates")).toMatchObject({
    requestsPerMinute: 9,
    tokensPerMinute: null,
    modelLimits: [{ ...mini, tokensPerMinute: 900 }],
  });
  expect(find("key rates: model_rpm_limit")).toMatchObject({ outcome: "taken" });
  expect(find("key rates: model_rpm_limit of unknown")?.outcome).toBe("not_taken");
  expect(keys.get("of a user")).toMatchObject({ requestsPerMinute: 7, modelLimits: [mini] });
  expect(accounts.find(({ name }) => name === "t-1")?.requestsPerMinute).toBe(4);
  expect(find("team t-1: model_rpm_limit")?.outcome).toBe("narrowed");
});

test("limits on models of other names count those, too; above eight, and with fallbacks, they are one for all models", async () => {
  const many = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`openai/gpt-${at}`, 9 - at]));
  const { place, find } = await importTables(
    {
      keys: [
        key("shared", { metadata: { model_rpm_limit: { mini: 5 } } }),
        key("too many", { metadata: { model_rpm_limit: many }, rpm_limit: 9 }),
        key("followed", { metadata: { model_rpm_limit: { mini: 5, chat: 3 } } }),
      ],
    },
    [
      "  - { model_name: openai/*, litellm_params: { model: openai/*, api_key: os.environ/K } }",
      "router_settings: { fallbacks: [{ chat: [mini] }] }",
    ].join("\n"),
  );
  const { keys } = await readStore(place);
  expect(keys.get("shared")?.modelLimits).toMatchObject([{ models: [MINI_ID], requestsPerMinute: 5 }]);
  expect(find("key shared: model_rpm_limit")).toMatchObject({
    outcome: "narrowed",
    words: "limits on some models: mini 5; what other names ask of the models of mini counts, too",
  });
  expect(keys.get("too many")).toMatchObject({ requestsPerMinute: 1, modelLimits: "default" });
  expect(find("key too many: model_rpm_limit")?.outcome).toBe("narrowed");
  expect(keys.get("followed")).toMatchObject({
    requestsPerMinute: 3,
    modelLimits: [{ models: [MINI_ID], requestsPerMinute: 5 }],
  });
  expect(find("key followed: model_rpm_limit of chat")?.words).toBe("3 in a minute for all models together");
});

test("a user's models and rates are those of the user's keys, which share what they shared", async () => {
  const { place, find } = await importTables({
    keys: [
      key("bob's", { user_id: "bob" }),
      key("carol's 1", { user_id: "carol" }),
      key("carol's 2", { user_id: "carol", rpm_limit: 1 }),
      key("dan's 1", { user_id: "dan" }),
      key("dan's 2", { user_id: "dan" }),
      key("viewer's", { user_id: "eve" }),
    ],
    users: [
      { user_id: "bob", models: "{mini}" },
      { user_id: "carol", rpm_limit: 5, max_budget: 10, spend: 4 },
      { user_id: "dan", rpm_limit: 1 },
      { user_id: "eve", user_role: "proxy_admin_viewer" },
      { user_id: "frank", max_budget: 1 },
    ],
  });
  const { keys } = await readStore(place);
  expect(keys.get("bob's")?.allowedModels).toEqual(["OpenAI#gpt-5.4-mini"]);
  expect(keys.get("carol's 1")).toMatchObject({ requestsPerMinute: 2, budgets: [budget(5, "total")] });
  expect(keys.get("carol's 2")?.requestsPerMinute).toBe(1);
  expect(find("key carol's 1: limits of user carol")?.outcome).toBe("narrowed");
  expect([find("key dan's 1")?.outcome, find("key viewer's")?.outcome]).toEqual(["paused", "paused"]);
  expect(find("user frank: limits")?.outcome).toBe("not_taken");
});

test("the budget of a member binds the member's keys in that team", async () => {
  const { place } = await importTables({
    keys: [
      key("own", { team_id: "t-1", user_id: "bob" }),
      key("by the team", { team_id: "t-1", user_id: "carol" }),
      key("without an amount", { team_id: "t-1", user_id: "dan" }),
      key("of nobody", { team_id: "t-1" }),
    ],
    teams: [{ team_id: "t-1", metadata: { team_member_budget_id: "all" } }],
    users: [{ user_id: "bob", models: "{mini}" }],
    members: [
      { user_id: "bob", team_id: "t-1", spend: 0.5, budget_id: "bob's" },
      { user_id: "carol", team_id: "t-1", spend: 0, budget_id: "" },
      { user_id: "dan", team_id: "t-1", spend: 0, budget_id: "rates" },
    ],
    budgets: [
      { budget_id: "all", max_budget: 0.01 },
      { budget_id: "rates", rpm_limit: 4 },
      { budget_id: "bob's", max_budget: 2, allowed_models: "{chat}" },
    ],
  });
  const { keys } = await readStore(place);
  // A user's own models don't count in a team.
  expect(keys.get("own")).toMatchObject({ budgets: [budget(2, "total")], allowedModels: ["OpenAI#gpt-5.4"] });
  expect(keys.get("by the team")?.budgets).toEqual([budget(0.01, "total")]);
  const both = { budgets: [budget(0.01, "total")], requestsPerMinute: 4 };
  expect(keys.get("without an amount")).toMatchObject(both);
  expect(keys.get("of nobody")?.budgets).toEqual([]);
});

test("a key that could call no model or only some APIs is never open, nor one with a column that nobody knows", async () => {
  const { place, find } = await importTables({
    keys: [
      key("llm", { allowed_routes: "{llm_api_routes}", key_type: "llm_api" }),
      key("management", { allowed_routes: "{management_routes}", key_type: "management" }),
      key("read_only", { allowed_routes: "{info_routes}" }),
      key("by type", { key_type: "read_only" }),
      key("embeddings", { allowed_routes: "{/v1/embeddings}" }),
      key("guarded", { metadata: { guardrails: ["pii"], team: "x" } }),
      key("renamed", { aliases: { chat: "mini" } }),
      key("of tomorrow", { cost_ceiling: "5" }),
      key("broken", { models: "mini" }),
      key("endless", { expires: "someday" }),
    ],
  });
  const { keys } = await readStore(place);
  expect(keys.get("llm")).toMatchObject({ isPaused: false, allowedModels: null });
  for (const name of ["management", "read_only", "by type"])
    expect(keys.get(name)).toMatchObject({ isPaused: true, allowedModels: ["None#*"] });
  for (const name of ["embeddings", "guarded", "renamed", "of tomorrow", "broken", "endless"])
    expect([name, keys.get(name)?.isPaused, find(`key ${name}`)?.outcome]).toEqual([name, true, "paused"]);
  expect(find("key management")?.words).toContain("it calls no models (management_routes)");
  expect(find("key of tomorrow")?.words).toContain("cost_ceiling: a column that isn't known here");
});

test("what a team has and an account can't have pauses the account", async () => {
  const { place, find } = await importTables({
    keys: [key("a", { team_id: "t-1" }), key("b", { team_id: "t-2" })],
    teams: [
      { team_id: "t-1", team_alias: "Windows", budget_limits: [{ max_budget: 1, budget_duration: "1d" }] },
      { team_id: "t-2", team_alias: "Tokens", tpd_limit: 5000 },
    ],
  });
  const { accounts } = await readStore(place);
  expect(accounts.find(({ name }) => name === "Windows")).toMatchObject({
    isPaused: false,
    budgets: [budget(1, "day")],
  });
  expect(accounts.find(({ name }) => name === "Tokens")?.isPaused).toBe(true);
  expect(find("account Tokens")).toMatchObject({
    outcome: "paused",
    words: expect.stringContaining("tokens aren't limited by the day here"),
  });
});

test("teams of one name are two accounts, at every import", async () => {
  const { place, rows, again } = await importTables({
    keys: [key("one", { team_id: "t-1" }), key("two", { team_id: "t-2" })],
    teams: [
      { team_id: "t-1", team_alias: "Twin", max_budget: 3 },
      { team_id: "t-2", team_alias: "Twin", max_budget: 4 },
    ],
  });
  const named = (some: readonly Row[]) => some.filter(({ item }) => item.startsWith("account Twin"));
  expect(named(rows).map(({ item, words }) => [item, words.slice(0, 8)])).toEqual([
    ["account Twin (t-1)", "added as"],
    ["account Twin (t-2)", "added as"],
  ]);
  expect(named(await again()).every(({ words }) => words.startsWith("already here as"))).toBe(true);
  const { accounts, keys } = await readStore(place);
  const [first, second] = ["t-1", "t-2"].map((id) => accounts.find(({ name }) => name === `Twin (${id})`));
  expect([first?.budgets, second?.budgets]).toEqual([[budget(3, "total")], [budget(4, "total")]]);
  expect([keys.get("one")?.accountId, keys.get("two")?.accountId]).toEqual([first?.id, second?.id]);
  expect(accounts.filter(({ name }) => name.startsWith("Twin"))).toHaveLength(2);
});

test("what was spent in a window that has ended there opens none", async () => {
  const cells = { max_budget: 0.2, budget_duration: "30d", spend: 0.19 };
  const { place } = await importTables({
    keys: [
      key("ended", { ...cells, budget_reset_at: "2026-01-01 00:00:00" }),
      key("running", { ...cells, budget_reset_at: "2099-01-01 00:00:00" }),
    ],
  });
  const { keys } = await readStore(place);
  const { store } = await place.open();
  const owners = ["ended", "running"].map((name) => keys.get(name)?.id ?? "");
  const nothing = { keyId: null, days: [], openings: [], requestId: null, replyId: null, movementId: null };
  const state = await store.read({ ...nothing, accountId: "default", owners });
  await store.close();
  const spent = owners.map((owner) => state.page("default", owner).state.row?.budgets?.[0]?.spentNanoUsd);
  expect(spent).toEqual([0, 0.19e9]);
});

test("the budget of the whole gateway is divided among its keys, with what was spent of it", async () => {
  const settings = "litellm_settings: { max_budget: 10, budget_duration: 30d }\n";
  const keys = [key("one"), key("two", { max_budget: 1, budget_duration: "1d" })];
  const users = [{ user_id: "litellm-proxy-budget", spend: 4, max_budget: 10, budget_duration: "30d" }];
  const { place, find, counts } = await importTables({ keys, users }, settings);
  const store = await readStore(place);
  expect(store.keys.get("one")?.budgets).toEqual([budget(5, "month")]);
  expect(store.keys.get("two")?.budgets).toEqual([budget(1, "day"), budget(5, "month")]);
  expect(find("litellm_settings.max_budget")?.outcome).toBe("narrowed");
  expect([find("user litellm-proxy-budget: limits"), counts.paused]).toEqual([undefined, 0]);
  const odd = await importTables({ keys }, "litellm_settings: { max_budget: os.environ/MOST }\n");
  expect(odd.counts.paused).toBe(2);
  const none = await importTables({ keys }, "litellm_settings: { max_budget: 0 }\n");
  expect((await readStore(none.place)).keys.get("one")?.budgets).toEqual([]);
});
