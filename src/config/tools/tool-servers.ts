// `mcp`: the company's tool servers, which keys reach at the gateway's own address.
import { type Static, Type } from "@sinclair/typebox";
import { NANO_PER_USD, type NanoUsd } from "../../core/money/money.ts";
import { parseDuration } from "../../core/text/duration.ts";
import type { ToolLoopBounds, ToolRules } from "../../core/tools/rules.ts";
import { isProtocolHeader, type ToolAuth, type ToolServer } from "../../core/tools/tool-server.ts";
import type { Issues, Path } from "../errors.ts";
import {
  baseUrl,
  choice,
  duration,
  explainOthers,
  integer,
  number,
  options,
  record,
  section,
  text,
} from "../field-types.ts";
import { isSafeUrl } from "../providers/private-url.ts";
import { secret } from "../providers/provider-schema.ts";
import { parseBaseUrl } from "../units.ts";
import { toolPatterns } from "./tool-patterns.ts";

const SERVERS_MAX = 100;
const PRICES_MAX = 1000;
const PRICE_MAX_USD = 100;
const HEADERS_MAX = 20;
const STREAMS = 1000;
const STREAMS_MAX = 100_000;
const PARALLEL = 32;
const PARALLEL_MAX = 1000;
const TIMEOUT_MS = 60_000;
const ROUNDS = 10;
const ROUNDS_MAX = 50;
const CALLS = 20;
const CALLS_MAX = 200;
const TOTAL_MS = 300_000;

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
/** Headers in which a key of ours may come: its value would reach the tool server. */
const NOT_PASSED =
  /^(authorization|proxy-authorization|x-api-key|x-goog-api-key|api-key|apikey|x-litellm-api-key|x-portkey-api-key|cookie)$/;

const headerName = text("the name of a header", HEADER_NAME);
const headerValue = text("a value of printable characters", /^[\x21-\x7e]([\x20-\x7e]{0,4094}[\x21-\x7e])?$/);
const usd = number(0, PRICE_MAX_USD);

const oauth = section(
  {
    token_url: baseUrl,
    client_id: secret,
    client_secret: secret,
    scope: Type.Optional(text("scopes with spaces between them", /^[\x21-\x7e]+( [\x21-\x7e]+)*$/)),
    resource: Type.Optional(text("a URI", /^[\x21-\x7e]{1,2000}$/)),
  },
  "Client credentials, by which a token is fetched.",
);
const auth = Type.Union(
  [
    choice(["none"]),
    section({ bearer: secret }, "A token."),
    section(
      {
        header: record(
          HEADER_NAME,
          "the name of a header",
          headerValue,
          "Headers that are sent with every call.",
        ),
      },
      "Headers.",
    ),
    section({ oauth }, "A token that is fetched."),
    section({ pass: headerName }, "A header of the caller's."),
  ],
  { expected: "none, or one of { bearer }, { header }, { oauth } and { pass }" },
);

const NO_STDIO =
  "a server that is started by a command (stdio) isn't run here: put one that speaks streamable HTTP in front of it, and write its address as `url`";
/** Fields of clients' own files, which are refused by name. */
const OTHERS = {
  command: NO_STDIO,
  args: NO_STDIO,
  env: NO_STDIO,
  cwd: NO_STDIO,
  type: "every server speaks streamable HTTP here: leave it out",
  transport: "every server speaks streamable HTTP here: leave it out",
  httpUrl: "the server's address is `url`",
  serverUrl: "the server's address is `url`",
  headers: "headers for the server are `auth: { header: { NAME: VALUE } }`",
};
/** The word of other clients' files for the servers. */
export const MCP_SERVERS =
  "tool servers stand in `mcp: { servers: { NAME: { url: … } } }`; one that is started by a command (stdio) isn't run here: put one that speaks streamable HTTP in front of it";

const server = explainOthers(
  section(
    {
      url: baseUrl,
      ...Type.Partial(
        Type.Object({
          auth,
          tools: toolPatterns,
          timeout: duration("1s", "30m"),
          parallel: integer(1, PARALLEL_MAX),
          price_per_call: usd,
          prices: record(/^[^\s]{1,128}$/, "the name of a tool", usd, "Prices of single tools, in USD."),
          resources: Type.Boolean(),
          prompts: Type.Boolean(),
        }),
      ).properties,
    },
    "A tool server.",
  ),
  OTHERS,
);

const loop = options(
  {
    rounds: integer(2, ROUNDS_MAX),
    calls: integer(0, CALLS_MAX),
    total: duration("10s", "30m"),
  },
  "Bounds on a response in which tools are run.",
);

export const mcp = explainOthers(
  options(
    {
      allowed_tools: toolPatterns,
      streams: integer(0, STREAMS_MAX),
      loop,
      servers: record(
        /^[a-z0-9][a-z0-9-]{0,14}$/,
        "a name of 1 to 15 lower-case letters, digits and -",
        server,
        "The tool servers, by name.",
      ),
    },
    "Tool servers.",
  ),
  { mcpServers: MCP_SERVERS },
);

type ServerConfig = Static<typeof server>;
type AuthConfig = Exclude<ServerConfig["auth"], undefined>;

/** Undefined if there are no servers: then none of it is on. */
export function buildToolRules(given: Static<typeof mcp> = {}, issues: Issues): ToolRules | undefined {
  const { streams: streamsMax = STREAMS, servers = {}, loop: bounds = {} } = given;
  const named = Object.entries(servers);
  if (named.length > SERVERS_MAX) issues.atKey(["mcp", "servers"], `has more than ${SERVERS_MAX} servers`);
  if (named.length === 0) return undefined;
  return {
    streamsMax,
    loop: buildLoop(bounds),
    servers: named.map(([name, one]) => buildServer(name, one, issues)),
  };
}

function buildLoop({ rounds = ROUNDS, calls = CALLS, total }: Static<typeof loop>): ToolLoopBounds {
  const totalMs = total === undefined ? null : parseDuration(total);
  return { roundsMax: rounds, callsMax: calls, totalMs: totalMs ?? TOTAL_MS };
}

function buildServer(name: string, given: ServerConfig, issues: Issues): ToolServer {
  const path: Path = ["mcp", "servers", name];
  const { timeout, parallel = PARALLEL, tools = ["*"], prices = {}, price_per_call: price = 0 } = given;
  if (Object.keys(prices).length > PRICES_MAX)
    issues.atKey([...path, "prices"], `has more than ${PRICES_MAX} tools`);
  return {
    name,
    url: readUrl(given.url, [...path, "url"], issues),
    auth: readAuth(given.auth ?? "none", [...path, "auth"], issues),
    tools,
    timeoutMs: timeout === undefined ? TIMEOUT_MS : (parseDuration(timeout) ?? TIMEOUT_MS),
    parallel,
    pricePerCall: toNano(price),
    prices: new Map(Object.entries(prices).map(([tool, one]) => [tool, toNano(one)])),
    resources: given.resources ?? false,
    prompts: given.prompts ?? false,
  };
}

/** Amounts below a nano-dollar are rounded off. */
function toNano(usd: number): NanoUsd {
  return Math.round(usd * NANO_PER_USD);
}

function readUrl(given: string, path: Path, issues: Issues): string {
  const url = parseBaseUrl(given) ?? "";
  const parsed = URL.parse(url);
  if (parsed !== null && !isSafeUrl(parsed))
    issues.atValue(path, "must be https: http is for private addresses only");
  return url;
}

function readAuth(given: AuthConfig, path: Path, issues: Issues): ToolAuth {
  if (given === "none") return { kind: "none" };
  if ("bearer" in given) return { kind: "bearer", token: given.bearer };
  if ("header" in given) return readHeaders(given.header, [...path, "header"], issues);
  if ("pass" in given) return readPass(given.pass.toLowerCase(), [...path, "pass"], issues);
  const { token_url, client_id: clientId, client_secret: clientSecret } = given.oauth;
  const { scope = null, resource = null } = given.oauth;
  const tokenUrl = readUrl(token_url, [...path, "oauth", "token_url"], issues);
  return { kind: "oauth", tokenUrl, clientId, clientSecret, scope, resource };
}

function readHeaders(given: Readonly<Record<string, string>>, path: Path, issues: Issues): ToolAuth {
  const all = Object.entries(given).map(([name, value]): [string, string] => [name.toLowerCase(), value]);
  if (all.length === 0 || all.length > HEADERS_MAX) issues.atKey(path, `needs 1 to ${HEADERS_MAX} headers`);
  for (const name of Object.keys(given))
    if (isProtocolHeader(name))
      issues.atKey([...path, name], "this header can't be set, because the protocol sets it");
  return { kind: "header", headers: new Map(all) };
}

function readPass(header: string, path: Path, issues: Issues): ToolAuth {
  if (NOT_PASSED.test(header))
    issues.atValue(
      path,
      `must not be ${header}: the gateway's own keys come in it, and would reach the tool server`,
    );
  return { kind: "pass", header };
}
