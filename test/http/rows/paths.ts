// Rows of request targets whose spelling differs from the path they resolve to.
import { head } from "./raw.ts";
import { AUTH, CLOSE, get, HOST, JSON_TYPE, type RawRow } from "./raw-bytes.ts";

/** Bun's URL resolves all of these to `/admin/v1/keys`, but a proxy in front that denies `/admin` would pass them. */
const FENCE_ROWS: readonly RawRow[] = [
  ..."/x\\..\\admin/v1/keys /v1\\..\\admin/v1/keys /x/../admin/v1/keys /./admin/v1/keys".split(" "),
  ..."/%2e%2e/admin/v1/keys /v1/%2E%2e/admin/v1/keys //admin/v1/keys /v1/models/../../admin/v1/keys".split(
    " ",
  ),
  ..."\\admin\\v1\\keys /v1/chat/completions/../../../admin/v1/keys /x\\..\\metrics /v1/../metrics".split(
    " ",
  ),
].map((target) => ({
  name: `a way around a fence before the operator's paths: ${target}`,
  bytes: get(target, HOST, "{admin}", CLOSE),
  status: [400, 404],
  // Bun itself refuses a target without a leading slash.
  ...(target.startsWith("/") ? {} : ({ bare: true } as const)),
  lacks: "key_",
}));

const SPELLING_ROWS: readonly RawRow[] = [
  {
    name: "one trailing slash on a key holder's path",
    bytes: get("/v1/models/"),
    status: [200],
    contains: "Router#best",
  },
  {
    name: "a trailing slash on the operator's path",
    bytes: get("/admin/v1/keys/", HOST, "{admin}", CLOSE),
    status: [404],
    code: "unknown_url",
  },
  ...[
    ["//v1/models", "/v1/models"],
    ["/v1//models", "/v1/models"],
    ["/v1/v1/models", "/v1/models"],
    ["/x/v1/messages", "/v1/messages"],
    ["/x/../v1/models", "/v1/models"],
    ["/v1\\models", "/v1/models"],
    ["/key", "/v1/key"],
    ["/v1/chat/completion", "/v1/chat/completions"],
    ["/v1/v1/chat/completion", "/v1/chat/completions"],
    ["/V1/Embeddings", "/v1/embeddings"],
    ["/admin/v1/export/requests.cvs", "/admin/v1/export/requests.csv"],
    ["/admin/v1/key", "/admin/v1/keys"],
  ].map(([target = "", meant = ""]) => ({
    name: `${target} names the right address`,
    bytes: get(target),
    status: [404],
    code: "unknown_url",
    contains: `Did you mean ${meant}?`,
  })),
  ...[
    "/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21",
    "/v1/deployments/gpt-4o/chat/completions?api-version=2024-10-21",
    "/openai/chat/completions",
    "/openai/responses?api-version=2025-04-01-preview",
  ].map((target) => ({
    name: `${target}, as SDKs call Azure, names the class and the address to use`,
    bytes: get(target),
    status: [404],
    code: "unknown_url",
    contains: "OpenAI class instead of AzureOpenAI, with this gateway's /v1 as the base URL",
  })),
  ...[
    "/v1/models/x/../Router%23best",
    "/v1/models/x\\..\\Router%23best",
    "/v1/models/./Router%23best",
    "/v1/models/%2e%2e/models/Router%23best",
    "/v1/models/x/..",
    "/docs/x/../start",
  ].map((target) => ({
    name: `${target} is not what it is resolved to`,
    bytes: get(target),
    status: [404],
    code: "unknown_url",
  })),
  ...[
    "/admin/v1/accounts/..\\keys",
    "/admin/v1/accounts/x\\y",
    "/admin/v1/accounts/.",
    "/console/x/../y",
  ].map((target) => ({
    name: `${target} leads nowhere, whoever asks`,
    bytes: get(target, HOST, CLOSE),
    status: [404],
    code: "unknown_url",
  })),
  {
    name: "a post to a doubled version names the right address",
    bytes: head("POST /v1/v1/chat/completions HTTP/1.1", HOST, AUTH, JSON_TYPE, "content-length: 0", CLOSE),
    status: [404],
    code: "unknown_url",
    contains: "Did you mean /v1/chat/completions?",
  },
  {
    name: "another method than the path takes, with a slash behind it",
    bytes: get("/v1/chat/completions/"),
    status: [405],
    code: "method_not_supported",
  },
  {
    name: "a key in the URL",
    bytes: get("/v1/models?api_key=secret-one-two"),
    status: [400],
    code: "unknown_parameter",
    contains: "not in the URL",
    lacks: "secret-one-two",
  },
  ...["x-api-key", "x-goog-api-key"].map((name) => ({
    name: `a key in the URL as ${name}`,
    bytes: get(`/v1/models?beta=true&${name}=secret-one-two`),
    status: [400],
    code: "unknown_parameter",
    contains: "not in the URL",
    lacks: "secret-one-two",
  })),
];

export const PATH_SPELLING_ROWS: readonly RawRow[] = [...FENCE_ROWS, ...SPELLING_ROWS];
