// Scenario rows: request and response headers, fields that a provider doesn't accept, failover, and retry times.
import { expect } from "bun:test";
import { asking } from "../../whole/world/world.ts";
import type { Row } from "./row.ts";

const LONG_ID = "x".repeat(129);

const idRows: readonly Row[] = [
  ...["my-request.7:b_C", "x".repeat(128)].map(
    (id): Row => ({
      name: `the client's request id of ${id.length} characters is kept`,
      path: "/v1/models",
      headers: { "x-request-id": id },
      status: 200,
      told: { "x-request-id": id },
    }),
  ),
  ...["has space", "né", LONG_ID, '{"$gt":""}', "a/b"].map(
    (id): Row => ({
      name: `a strange request id is replaced: ${id.slice(0, 12)}`,
      path: "/v1/models",
      headers: { "x-request-id": Buffer.from(id).toString("latin1") },
      status: 200,
      told: { "x-request-id": /: req_[0-9a-f]{32}$/ },
    }),
  ),
  {
    name: "a request id stands on a failure too",
    headers: { "x-request-id": "mine-1" },
    body: asking("Local#sim~trouble=500"),
    status: 502,
    told: { "x-request-id": "mine-1" },
  },
  {
    name: "a request id stands on a stream too",
    headers: { "x-request-id": "mine-2" },
    body: asking("Local#sim", undefined, { stream: true }),
    status: 200,
    told: { "x-request-id": "mine-2" },
  },
  {
    name: "… and on a page that is not there",
    path: "/nowhere",
    status: 404,
    told: { "x-request-id": /req_/ },
  },
];

const RESET = /: (\d+h\d+m\d+s|\d+m\d+s|\d+s|\d+ms)$/;
const limited = { "x-ratelimit-limit-requests": "200", "x-ratelimit-reset-requests": RESET };
const limitRows: readonly Row[] = [
  {
    name: "a key with an allowance is told of it",
    who: "limited",
    body: asking("Local#sim"),
    status: 200,
    told: { ...limited, "x-ratelimit-remaining-requests": /: 1\d\d$/ },
  },
  {
    name: "… on a stream",
    who: "limited",
    body: asking("Local#sim", undefined, { stream: true }),
    status: 200,
    told: { ...limited, "x-ratelimit-remaining-requests": /: 1\d\d$/ },
  },
  {
    name: "… and when the provider failed",
    who: "limited",
    body: asking("Local#sim~trouble=500"),
    status: 502,
    told: limited,
  },
];

const droppedRows: readonly Row[] = [
  {
    name: "a field that the provider doesn't take is left out and named",
    body: asking("Anthropic#sim", undefined, {
      seed: 7,
      frequency_penalty: 1,
      logit_bias: { "50256": -100 },
    }),
    status: 200,
    told: { "x-poundkey-dropped": /\bseed\b/ },
    check: ({ headers }) => {
      expect(headers.get("x-poundkey-dropped")).toMatch(/\bfrequency_penalty\b/);
      expect(headers.get("x-poundkey-dropped")).toMatch(/\blogit_bias\b/);
    },
  },
  {
    name: "… on a stream too",
    body: asking("Cohere#sim", undefined, { logit_bias: { "1": 1 }, stream: true }),
    status: 200,
    told: { "x-poundkey-dropped": /\blogit_bias\b/ },
  },
  {
    name: "where every field is taken, none is named",
    body: asking("Local#sim", undefined, { seed: 7, temperature: 1, user: "u" }),
    status: 200,
    told: { "x-poundkey-dropped": null },
  },
];

function refuseValue(header: string, value: string, model: string): Row {
  return {
    name: `${header}: ${value} is refused`,
    headers: { [header]: value },
    body: asking(model),
    status: 400,
    code: "invalid_value",
    param: header,
    calls: 0,
  };
}

const headerRows: readonly Row[] = [
  ...["abc", "-1", "0", "1e9", "NaN", "Infinity"].map((value) =>
    refuseValue("x-poundkey-timeout", value, "Local#sim"),
  ),
  ...["1.01", "-0.1", "high"].map((value) => refuseValue("x-poundkey-quality", value, "Router#fair")),
  ...["0", "0.5", "1"].map(
    (value): Row => ({
      name: `x-poundkey-quality: ${value} is taken`,
      headers: { "x-poundkey-quality": value },
      body: asking("Router#fair"),
      status: 200,
      told: { "x-poundkey-selector": "Router#fair" },
    }),
  ),
];

const failoverRows: readonly Row[] = [
  {
    name: "when every credential is refused it is the gateway's fault, not the client's",
    body: asking("Refused#sim"),
    status: 502,
    code: "upstream_auth",
    calls: 3,
    told: { "www-authenticate": null },
  },
  {
    name: "a provider that is not there",
    body: asking("Gone#sim"),
    status: 502,
    code: "upstream_error",
    calls: 0,
  },
  {
    name: "a provider that is not there, streamed",
    body: asking("Gone#sim", undefined, { stream: true }),
    status: 502,
    code: "upstream_error",
  },
  ...[false, true].flatMap((stream): readonly Row[] => [
    {
      name: `the operator's fallback answers, streamed: ${stream}`,
      body: asking("Acme#dear~trouble=500", undefined, { stream }),
      status: 200,
      told: { "x-poundkey-model": "Acme#dear", "x-poundkey-attempts": "2" },
      contains: ['"model":"Acme#dear"'],
      lacks: ["trouble"],
      calls: 2,
    },
  ]),
  {
    name: "what is wrong with the request is asked of no fallback",
    body: asking("Acme#picky~trouble=400"),
    status: 400,
    told: { "x-poundkey-model": "Acme#picky~trouble=400", "x-poundkey-attempts": "1" },
    calls: 1,
  },
  ...["best", "fair", "light"].flatMap((selector) =>
    [false, true].map(
      (stream): Row => ({
        name: `Router#${selector} goes on until a model answers, streamed: ${stream}`,
        who: "unlucky",
        body: asking(`Router#${selector}`, undefined, { stream }),
        status: 200,
        told: {
          "x-poundkey-model": "Acme#maker/model-1",
          "x-poundkey-attempts": /: [1-3]$/,
          "x-poundkey-selector": `Router#${selector}`,
        },
        contains: ['"model":"Acme#maker/model-1"'],
      }),
    ),
  ),
];

const waitRows: readonly Row[] = [
  ...[
    ["7", "7"],
    ["60", "60"],
    ["3600", "60"],
    ["0", "1"],
  ].map(
    ([given, told]): Row => ({
      name: `a provider that asks for ${given} s`,
      body: asking(`Local#sim~trouble=429~retry=${given}`),
      status: 429,
      code: "provider_busy",
      told: { "retry-after": new RegExp(`: ${told}$`), "x-should-retry": null },
    }),
  ),
  {
    name: "what may succeed later may be tried again",
    body: asking("Local#sim~trouble=500"),
    status: 502,
    told: { "x-should-retry": null },
  },
];

export const HEADER_ROWS: readonly Row[] = [
  ...idRows,
  ...limitRows,
  ...droppedRows,
  ...headerRows,
  ...failoverRows,
  ...waitRows,
];
