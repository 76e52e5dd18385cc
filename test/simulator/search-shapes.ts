// The tools with which Anthropic and OpenAI search the web ("Web search tool", "Web search").
import { asObject } from "../../src/core/json/json.ts";
import { reject } from "../../src/simulator/problem.ts";
import type { Check, Fields } from "./validator.ts";
import * as is from "./validator.ts";

const of = (fields: Fields, required: readonly string[] = []) => is.shape(fields, { required });

const address = { city: is.text, region: is.text, country: is.text, timezone: is.text };
const place = of({ type: is.checkChoice("approximate"), ...address }, ["type"]);

export const OPENAI_SEARCH = of({
  type: is.anything,
  filters: of({ allowed_domains: is.list(is.text, 1, 20) }),
  search_context_size: is.checkChoice("low", "medium", "high"),
  external_web_access: is.flag,
  user_location: place,
});

const hosts = is.list(is.matching(/^(?!https?:)\S+$/), 1);
const shared = {
  type: is.anything,
  max_uses: is.integer(1),
  cache_control: is.anything,
  allowed_domains: hosts,
  blocked_domains: hosts,
};
const search = of({ ...shared, name: is.checkChoice("web_search"), user_location: place }, ["name"]);
const fetched = {
  name: is.checkChoice("web_fetch"),
  max_content_tokens: is.integer(1),
  citations: is.record,
};
const fetching = of({ ...shared, ...fetched }, ["name"]);

/** Matches the types of the tools that Anthropic runs. */
export const RUN_BY_ANTHROPIC = /^web_(search|fetch)_\d{8}$/;

export const ANTHROPIC_SEARCH: Check = (value, path) => {
  const { type, allowed_domains: allowed, blocked_domains: blocked } = asObject(value);
  (String(type).startsWith("web_fetch") ? fetching : search)(value, path);
  if (allowed && blocked) reject("value", "only one of allowed_domains and blocked_domains can be set", path);
};
