// Names of models that LiteLLM keeps in its database: those that teams and keys have, access groups, and settings of its interface.
import { expect, test } from "bun:test";
import { parse } from "yaml";
import { readConfig } from "../../src/moving/litellm/config.ts";
import { addSettings } from "../../src/moving/litellm/database.ts";
import { readOwners } from "../../src/moving/litellm/owners.ts";
import { NO_TABLES, type Tables } from "../../src/moving/litellm/tables.ts";
import { Report } from "../../src/moving/report.ts";
import { key } from "./tables.ts";

const FILE = `model_list:
  - { model_name: chat, litellm_params: { model: openai/gpt-5.4, api_key: k } }
  - { model_name: mini, litellm_params: { model: openai/gpt-5.4-mini, api_key: k } }
  - { model_name: embed, litellm_params: { model: openai/text-embedding-3-small, api_key: k } }
router_settings: { fallbacks: [{ embed: [mini] }], num_retries: 2 }
`;
const ID = { chat: "OpenAI#gpt-5.4", mini: "OpenAI#gpt-5.4-mini", embed: "OpenAI#text-embedding-3-small" };

function read(tables: Partial<Tables>) {
  const report = new Report();
  const all = { ...NO_TABLES, teams: [], ...tables };
  const { config, names, budget } = readConfig({ value: parse(FILE), findLine: () => 1 }, report, all);
  const owners = readOwners(all, { names, budget, report, nowMs: 0, foreignUntilMs: 1 });
  const find = (name: string) => owners.keys.find((one) => one.key.name === name)?.key;
  return {
    config,
    find,
    rows: report.rows,
    row: (item: string) => report.rows.find((one) => one.item === item),
  };
}

test("a name that a team or key has for a model goes on working", () => {
  const { config, row, find } = read({
    teams: [{ team_id: "t", team_alias: "Search", model_id: 7, models: ["chat"] }],
    teamAliases: [{ id: 7, aliases: { "gpt-best": "chat", twice: "chat" } }],
    keys: [
      key("of the team", { team_id: "t" }),
      key("own", { aliases: { small: "mini", twice: "mini", gone: "nothing" } }),
    ],
  });
  expect(config.aliases).toMatchObject({ "gpt-best": [{ model: ID.chat }], small: [{ model: ID.mini }] });
  expect(Object.keys(config.aliases)).toEqual(["chat", "mini", "embed", "gpt-best", "small"]);
  expect(row("team Search: model_aliases")).toMatchObject({ outcome: "taken" });
  const rows = read({ keys: [key("own", { aliases: { gone: "nothing" } })] }).rows;
  expect(rows.find(({ item }) => item === "key own: aliases")).toMatchObject({ outcome: "not_taken" });
  expect([find("of the team")?.allowedModels, find("own")?.isPaused]).toEqual([[ID.chat], false]);
});

test("an access group of the database adds its models to a key's or team's list", () => {
  const groups = [{ access_group_id: "g-1", access_model_names: "{mini}" }];
  const keys = [
    key("both", { models: "{embed}", access_group_ids: "{g-1}" }),
    key("of all", { access_group_ids: "{g-1}" }),
    key("of none", { models: "{no-default-models}", access_group_ids: "{g-2}" }),
  ];
  const { find, row } = read({ keys, accessGroups: groups });
  expect(find("both")?.allowedModels).toEqual([ID.embed, ID.mini]);
  expect([find("of all")?.allowedModels, find("of none")?.allowedModels]).toEqual([null, ["None#*"]]);
  expect(row("key both: access_group_ids")).toMatchObject({ outcome: "taken" });
  const without = read({ keys });
  expect(without.find("both")?.allowedModels).toEqual([ID.embed]);
  expect(without.row("key both: access_group_ids")).toMatchObject({ outcome: "not_taken" });
});

test("a setting of the file stays, and the database's other value gets a row", () => {
  const value = { fallbacks: [{ chat: ["mini"] }], num_retries: 2, model_group_alias: { nick: "embed" } };
  const { config, row, rows } = read({
    settings: [{ param_name: "router_settings", param_value: JSON.stringify(value) }],
  });
  expect(config.models).toEqual({ [ID.embed]: { fallbacks: [ID.mini] } });
  expect(config.aliases.nick).toEqual([{ model: ID.embed }]);
  expect(row("fallbacks of embed")).toMatchObject({ outcome: "taken", line: 1 });
  expect(row("fallbacks of chat")).toBeUndefined();
  expect(row("alias nick")).toMatchObject({ outcome: "taken", line: null });
  expect(row("router_settings.fallbacks of the database")).toEqual({
    line: null,
    item: "router_settings.fallbacks of the database",
    outcome: "not_taken",
    words: "the file has this setting, and LiteLLM then ignores the database's",
  });
  // Equal values need no row.
  expect(rows.filter(({ item }) => item.endsWith("of the database"))).toHaveLength(1);
});

test.each(["router_settings", "litellm_settings", "general_settings"])(
  "in %s, each key is the file's if it has it, even as nothing, and else the database's",
  (section) => {
    const report = new Report();
    const file = { [section]: { kept: 1, cleared: null, same: { deep: [1] } } };
    const stored = { kept: 2, cleared: 3, same: { deep: [1] }, only: 4, nothing: null };
    const { root, isStored } = addSettings(
      file,
      [{ param_name: section, param_value: JSON.stringify(stored) }],
      report,
    );
    expect(root[section]).toEqual({ kept: 1, cleared: null, same: { deep: [1] }, only: 4 });
    expect(
      ["kept", "cleared", "same", "only", "nothing"].filter((field) => isStored(section, field)),
    ).toEqual(["only"]);
    expect(report.rows.map(({ item }) => item)).toEqual([
      `${section}.kept of the database`,
      `${section}.cleared of the database`,
    ]);
  },
);

test("settings that only the interface has count, each with a row", () => {
  const value = { model_group_alias: { nick: "embed" }, brand_new: 1 };
  const { config, row } = read({
    settings: [
      { param_name: "router_settings", param_value: JSON.stringify(value) },
      { param_name: "environment_variables", param_value: { A: "encrypted" } },
    ],
  });
  expect(config.aliases.nick).toEqual([{ model: ID.embed }]);
  expect(row("router_settings.num_retries")).toMatchObject({ outcome: "taken", line: 1 });
  expect(row("router_settings.brand_new")).toMatchObject({ outcome: "not_taken", line: null });
  expect(row("environment_variables of the database")).toMatchObject({ outcome: "not_taken" });
});
