// The accounts and keys that an import made can be exported as a state file, and applied to the same store and an empty one.
import { expect, test } from "bun:test";
import { mayUse } from "../../src/core/keys/key.ts";
import { makeKey, openMemoryStore } from "../harness/samples.ts";
import { loadText } from "../harness/settings.ts";
import { digestForeign } from "./litellm-rows.ts";
import { type Place, usePlaces } from "./places.ts";
import { applyText, exportText, makeWorld, planText } from "./state/applying.ts";

const makePlace = usePlaces();

const LITELLM = {
  "litellm.yaml":
    'model_list: [{ model_name: a, litellm_params: { model: gpt-5.4, api_key: k } }, { model_name: "openai/*", litellm_params: { model: "openai/*", api_key: k } }]\n',
  "keys.csv": [
    "token,key_alias,team_id,models,max_budget,soft_budget,budget_duration,rpm_limit,tpm_limit,max_parallel_requests,expires",
    `${digestForeign("1")},none at all,team-x,{no-default-models},,,,,,,`,
    `${digestForeign("2")},of an unknown model,team-x,{gone},0,,,0,0,0,`,
    `${digestForeign("3")},limited,,"{a,openai/*}",3,2,1d,5,100000000000,7,2099-01-01 00:00:00`,
    `${digestForeign("4")},limited,,{},,1,30d,,,,`,
  ].join("\n"),
};
const TOKENS = [
  "id,user_id,key,status,name,expired_time,remain_quota,unlimited_quota,used_quota,model_limits_enabled,model_limits,allow_ips",
  `1,7,${"a".repeat(48)},1,none at all,-1,500000,0,0,1,,`,
  `2,7,${"b".repeat(48)},2,"two, of ""one""",4102444800,-5,0,9,0,,host`,
].join("\n");

/** Exports the state, and applies it to the same store and to an empty one. Returns the keys that may use no model. */
async function prove({ open }: Place): Promise<readonly string[]> {
  const { store } = await open();
  const other = await openMemoryStore();
  try {
    const text = await exportText(makeWorld(store));
    expect((await planText(makeWorld(store), text)).changes).toEqual([]);
    await applyText(makeWorld(other), text);
    const keys = await other.keys({ limit: 100, after: null });
    return keys.filter((key) => !mayUse(key, "OpenAI#gpt-5.4")).map(({ name }) => name);
  } finally {
    await store.close();
    await other.close();
  }
}

test("LiteLLM's keys and teams", async () => {
  const place = makePlace(LITELLM);
  await place.run("litellm", place.path("litellm.yaml"), "--keys", place.path("keys.csv"));
  expect((await prove(place)).toSorted()).toEqual(["none at all", "of an unknown model"]);
});

test("new-api's tokens and users", async () => {
  const place = makePlace({ "tokens.csv": TOKENS });
  await place.run("new-api", place.path("tokens.csv"));
  expect(await prove(place)).toEqual(["none at all"]);
});

test("keys of earlier imports, whose lists of no models no state file took", async () => {
  const former = makeKey("key_former", { allowedModels: ["no-models"] });
  const store = await openMemoryStore(former, makeKey("key_other", { allowedModels: ["no-default-models"] }));
  const text = await exportText(makeWorld(store));
  await applyText(makeWorld(store), text);
  const keys = await store.keys({ limit: 100, after: null });
  expect(keys.map(({ allowedModels }) => allowedModels)).toEqual([["None#*"], ["None#*"]]);
  expect((await planText(makeWorld(store), text)).changes).toEqual([]);
  await store.close();
});

test("no provider can be called as those lists are", () => {
  const loaded = loadText(
    "providers: { none: { base_url: https://llm.example/v1, unlisted_models: true } }\n",
  );
  expect(loaded.ok ? [] : loaded.errors.map(({ message }) => message)).toEqual([
    expect.stringContaining("none is a reserved name"),
  ]);
});
