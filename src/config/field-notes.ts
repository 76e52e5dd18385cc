// The meaning and default of the fields of the configuration: here those of the server, providers, models and aliases.
import { PLATFORM_NOTES } from "./platform-notes.ts";
import { type FieldNote, RULE_NOTES } from "./rule-notes.ts";

/** The notes by path: `<name>` is a name that the operator chooses, `<skill>` a kind of task, `[]` an entry of a list. */
export const FIELDS: Readonly<Record<string, FieldNote>> = {
  ...PLATFORM_NOTES,
  server: { meaning: "The gateway's listener. Read only at the start." },
  "server.host": {
    meaning: "The address to listen on. `0.0.0.0` takes calls from other machines.",
    default: "127.0.0.1",
  },
  "server.port": { meaning: "The port to listen on; 0 is any free one.", default: 8080 },
  "server.admin_token": {
    meaning:
      "The operator's secret, for the admin routes and the console. Without one, the first start makes a token and prints it once.",
  },
  "server.body_limit": { meaning: "The largest request body; a larger one is a 413.", default: "32MB" },
  "server.body_memory": {
    meaning:
      "The most memory that request bodies may take at once while they are read. Beyond it, requests get 503 `overloaded`; a key may take a quarter of it, or one body of any allowed size.",
    default: "256MB",
  },
  "server.drain": {
    meaning: "The time that answers under way have to finish when the gateway stops.",
    default: "25s",
  },
  "server.keep_alive": {
    meaning:
      "The longest silence of a streamed answer before a comment line is sent, and the longest wait for its first part before the headers leave.",
    default: "15s",
  },
  "server.trusted_proxies": {
    meaning:
      "Proxies whose `X-Forwarded-For`, `X-Forwarded-Proto` and `X-Forwarded-Host` are trusted at the console's sign-in.",
    default: [],
  },
  "server.hosts": {
    meaning:
      "The host names that requests may be sent to, without ports; `/healthz` and `/readyz` are answered under any. Empty: all.",
    default: [],
  },
  "server.cors": { meaning: "Origins whose pages may call the gateway from a browser.", default: [] },
  store: {
    meaning: "The address of the store, which keeps keys, balances and the request log.",
    default: "sqlite:./.poundkey/poundkey.db",
  },
  providers: {
    meaning:
      "The providers that are on: exactly these. Without the section, every known provider whose key is in the environment is on.",
  },
  "providers.<name>": {
    meaning: "One provider, by the prefix of its model ids. A known one needs no more than its keys.",
  },
  "providers.<name>.dialect": {
    meaning:
      "The wire format that the server speaks. A known provider has its own; any other is `openai` unless given.",
  },
  "providers.<name>.base_url": {
    meaning:
      "The address that stands before `/chat/completions` and the like. Known providers have one; others need it.",
  },
  "providers.<name>.keys": {
    meaning:
      "The provider's API keys. A known provider without them takes the one in its environment variable; any other is called without a key.",
  },
  "providers.<name>.keys[].key": { meaning: "The key." },
  "providers.<name>.keys[].weight": { meaning: "Its share of the load, relative to the others.", default: 1 },
  "providers.<name>.keys[].requests_per_minute": {
    meaning:
      "The requests that the provider allows it in a minute, at once or spread out. At its limit the key rests, so that others are used before the provider refuses. Each gateway process counts its own calls: give each its share. Left out: no limit.",
  },
  "providers.<name>.keys[].tokens_per_minute": {
    meaning:
      "The tokens that the provider allows it in a minute: the prompt's estimate and the output limit, at most 4,096 of it, then what the provider reports.",
  },
  "providers.<name>.headers": { meaning: "Headers that are sent with each call." },
  "providers.<name>.headers.<name>": { meaning: "The header's value." },
  "providers.<name>.timeouts": { meaning: "The time limits of calls." },
  "providers.<name>.timeouts.connect": { meaning: "To open a connection.", default: "5s" },
  "providers.<name>.timeouts.first_byte": {
    meaning:
      "Until the first part of a streamed answer. Left out, it is 60s, and 5m for models with the capability `reasoning`.",
  },
  "providers.<name>.timeouts.idle": { meaning: "Between two parts of a streamed answer.", default: "60s" },
  "providers.<name>.timeouts.total": {
    meaning: "For a whole request, over all of its attempts.",
    default: "10m",
  },
  "providers.<name>.unlisted_models": {
    meaning:
      "Lets clients use model names that the catalogue doesn't hold. Such models have no price, so a balance can't pay for them.",
    default: false,
  },
  "providers.<name>.cache_marks": {
    meaning:
      "`auto`: requests to Anthropic's API whose client sets no cache marks get them on the last tool, the last system block and the last two turns of the user, so that the next request reads the prompt from the cache. Writing to the cache costs a quarter more than input, reading a tenth of it.",
    default: "off",
  },
  "providers.<name>.models": {
    meaning: "Models that the catalogue doesn't hold, or that this server has with other limits.",
    default: [],
  },
  "providers.<name>.models[].name": { meaning: "The name as the server takes it." },
  "providers.<name>.models[].context": { meaning: "The context window, in tokens." },
  "providers.<name>.models[].output": { meaning: "The longest answer, in tokens." },
  "providers.<name>.models[].like": {
    meaning:
      "The id of a model in the catalogue: its price, limits, abilities and dialect count, as far as the fields beside this one don't say otherwise.",
  },
  "providers.<name>.models[].dialect": {
    meaning:
      "The dialect in which it is served, where the provider speaks several. Left out: that of the model in `like`, or else the provider's first.",
  },
  "providers.<name>.models[].price": {
    meaning: "Its price in USD. A model without a price can't be paid for, and selectors skip it.",
  },
  "providers.<name>.models[].price.input": { meaning: "Per million tokens of the prompt." },
  "providers.<name>.models[].price.output": { meaning: "Per million tokens of the answer." },
  "providers.<name>.models[].price.cached_input": {
    meaning: "Per million prompt tokens that the provider read from its cache. Left out: as `input`.",
  },
  "providers.<name>.models[].price.cache_write": {
    meaning: "Per million prompt tokens that the provider wrote to its cache. Left out: as `input`.",
  },
  "providers.<name>.models[].price.reasoning": {
    meaning: "Per million tokens of reasoning. Left out: as `output`.",
  },
  "providers.<name>.models[].price.cache_write_1h": {
    meaning:
      "Per million prompt tokens that were written to its cache for an hour. Left out: as `cache_write`.",
  },
  "providers.<name>.models[].price.input_audio": {
    meaning: "Per million tokens of sound in the prompt. Left out: as `input`.",
  },
  "providers.<name>.models[].price.output_audio": {
    meaning: "Per million tokens of sound in the answer. Left out: as `output`.",
  },
  "providers.<name>.models[].price.input_image": {
    meaning: "Per million tokens of images in the prompt. Left out: as `input`.",
  },
  "providers.<name>.models[].price.output_image": {
    meaning: "Per million tokens of images in the answer. Left out: as `output`.",
  },
  "providers.<name>.models[].price.per_request": { meaning: "Per request, whatever its length." },
  "providers.<name>.models[].price.per_search": { meaning: "Per web search that the provider makes." },
  "providers.<name>.models[].price.per_image": { meaning: "Per image that the model makes." },
  "providers.<name>.models[].price.per_minute": { meaning: "Per minute of sound." },
  "providers.<name>.models[].price.per_character_million": { meaning: "Per million characters of text." },
  "providers.<name>.models[].price.per_search_unit": {
    meaning: "Per search unit of a rerank model: a query with up to 100 documents.",
  },
  "providers.<name>.models[].price.per_page": { meaning: "Per page of a document." },
  "providers.<name>.models[].price.tiers": {
    meaning:
      "Other prices for long prompts, each with `above_tokens` and prices like these. The whole request is billed at the highest tier that its prompt reaches.",
  },
  "providers.<name>.models[].price.tiers[].above_tokens": {
    meaning: "The tier is for prompts of more tokens than this.",
  },
  "providers.<name>.models[].later_prices": {
    meaning:
      "Announced prices, each with `from` and fields like those of `price`, whole. The last whose day has come counts.",
  },
  "providers.<name>.models[].later_prices[].from": {
    meaning: "The day from whose beginning in UTC on it holds, as 2027-01-31.",
  },
  "providers.<name>.models[].capabilities": {
    meaning:
      "The model's abilities beside text. If they are left out, no request is refused for lack of one; `[]` means text alone.",
  },
  "providers.<name>.models[].operations": {
    meaning: "The requests that the model serves.",
    default: ["chat"],
  },
  catalogue: {
    meaning:
      "The path of a file of models, which stand beside those that the program brings or in their place. It is read again when it changes.",
  },
  models: { meaning: "Changes to models of the catalogue, by id." },
  "models.<name>": { meaning: "Changes to one model." },
  "models.<name>.price": {
    meaning: "Its price, whole: the fields are those of `price` under `providers`.",
  },
  "models.<name>.later_prices": {
    meaning:
      "Announced prices, as under `providers`. Left out: the catalogue's own hold, unless `price` is given.",
  },
  "models.<name>.disabled": { meaning: "Takes the model out of the list.", default: false },
  "models.<name>.context": { meaning: "Its context window, in tokens." },
  "models.<name>.output": { meaning: "Its longest answer, in tokens." },
  "models.<name>.capabilities": { meaning: "Its abilities beside text." },
  "models.<name>.operations": { meaning: "The requests that it serves." },
  "models.<name>.fallbacks": {
    meaning: "Ids of models that answer in its place when it fails, in this order.",
  },
  "models.<name>.skills": {
    meaning:
      "The probability that the model gives a good answer, in place of the benchmarks that selectors use.",
  },
  "models.<name>.skills.<skill>": { meaning: "The probability, 0 to 1." },
  "models.<name>.hedge": {
    meaning: "Starts a second attempt beside a slow first one, and uses the one that answers first.",
  },
  "models.<name>.hedge.after": {
    meaning:
      "The time at which the second starts: a percentile of the model's recent times, or a fixed wait.",
  },
  "models.<name>.hedge.at_most": { meaning: "The share of the model's requests that may have a second." },
  aliases: { meaning: "Names of your own for models and selectors." },
  "aliases.<name>": {
    meaning:
      'The model or selector that the name stands for; or a list of models, which share the load. `*` in a name stands for any text: `"gemini-*"`.',
  },
  "aliases.<name>[].model": { meaning: "A model of the group, by its id." },
  "aliases.<name>[].weight": { meaning: "Its share of the load, relative to the others.", default: 1 },
  ...RULE_NOTES,
};
