// The published JSON Schema against the program: an editor accepts what a start accepts, and refuses the same forms.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv";
import addFormats from "ajv-formats";
import { parse } from "yaml";
import { configJsonSchema } from "../../src/config/published-schema.ts";

const ajv = new Ajv({ strict: false });
addFormats(ajv);
const accepts = ajv.compile(configJsonSchema());

test.each(["example.yaml", "outside.yaml"])(
  "%s is accepted, with the values that stand elsewhere",
  (name) => {
    accepts(parse(readFileSync(join(import.meta.dir, name), "utf8")));
    expect(accepts.errors ?? []).toEqual([]);
  },
);

test.each([
  "server: { host: ::1, hosts: [a.example], cors: ['*', 'https://a.example'], trusted_proxies: [10.0.0.0/8, ::1] }",
  `server: { admin_token: '\${T}', port: '\${P}', drain: '\${D}', body_limit: 1GiB, body_memory: 2000000000 }`,
  "store: postgresql://user:secret@host/db?sslmode=verify-full",
  "store: postgres://user@a:5432,b/db",
  `providers: { A: { base_url: 'HTTP://[::1]:80/a@b/', unlisted_models: '\${U}', keys: ['\${K}', { key: '\${K}', weight: '\${W}' }] } }`,
  "models: { A#b: { hedge: { after: 1.5s, at_most: 100% } }, A#c: { hedge: { after: p9, at_most: 0.02 } } }",
  "quota: { time_zone: Europe/Berlin, throttle: 0s, requests_per_day: null, free: { budget_usd_per_day: null } }",
  "responses: { keep: 0 }",
])("%s is accepted", (text) => {
  accepts(parse(text));
  expect(accepts.errors ?? []).toEqual([]);
});

test.each([
  "server: { host: a b }",
  "server: { hosts: ['a.example:80'] }",
  "server: { cors: [a.example] }",
  "server: { trusted_proxies: [proxy] }",
  "server: { body_limit: 32mb }",
  "server: { body_limit: 32 }",
  "server: { port: '80' }",
  "store: mysql://host/db",
  "providers: { A: { base_url: 'ftp://a.example' } }",
  "providers: { A: { base_url: 'http://user:secret@a.example' } }",
  "providers: { A: { base_url: 'http://a.example?b' } }",
  "models: { A#b: { hedge: { after: p100, at_most: 2% } } }",
  "models: { A#b: { hedge: { after: p95, at_most: 200% } } }",
  "router: { fair: { quality: 1.5 } }",
  "log: { level: loud }",
])("%s is refused", (text) => {
  expect(accepts(parse(text))).toBe(false);
});
