// Secrets that other gateways made: when they are looked up at all, and in which order.
import { expect, test } from "bun:test";
import type { Store } from "../../src/core/store.ts";
import { identifyCaller } from "../../src/http/serve/auth.ts";
import { createAuthenticator } from "../../src/keys/authenticate.ts";
import { ForeignSecrets } from "../../src/keys/foreign.ts";
import { digestSecret, mintSecret } from "../../src/keys/secret.ts";
import { SecretShapes } from "../../src/keys/secret-shape.ts";
import { mayUseKeys } from "../../src/people/member.ts";
import { makeKey, NOON } from "../harness/samples.ts";
import { catchThrown, readCode } from "../harness/thrown.ts";

const pepper = new Uint8Array(32);
const random = { bytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)) };
const GOOD = "sk-of-another-gateway";

interface GatewayOptions {
  readonly untilMs?: number | null;
  /** Our digest that another process writes while the foreign one is looked up. */
  readonly adopted?: string;
}

/** A gateway that knows one foreign secret, and counts its look-ups. */
function makeGateway({ untilMs = NOON + 1, adopted = "" }: GatewayOptions = {}) {
  const counts = { own: 0, foreign: 0, addresses: 0 };
  const clock = { atMs: NOON, nowMs: () => clock.atMs };
  const adopt: Store["foreign"]["adopt"] = async () => {
    counts.foreign++;
    known.add(adopted);
  };
  const known = new Set([digestSecret(GOOD, pepper)]);
  const store = {
    keyByDigest: async (digest: string) => {
      counts.own++;
      return known.has(digest) ? { key: makeKey("key_a"), rotation: 0 } : null;
    },
    account: async () => null,
    people: { memberTerms: async () => null },
    foreign: { adopt, end: async () => 0 },
  };
  const secretShapes = new SecretShapes([]);
  const foreign = new ForeignSecrets({ store, clock, untilMs: () => untilMs });
  const authenticate = createAuthenticator({ store, clock, pepper, mayUseKeys, foreign });
  const ask = async (headers: Record<string, string>, address = "192.0.2.1") => {
    const readAddress = () => {
      counts.addresses++;
      return address;
    };
    const request = new Request("http://gateway.example/v1/models", { headers });
    const thrown = await catchThrown(
      (async () => identifyCaller({ authenticate, readAddress, secretShapes }, { request, server: null }))(),
    );
    return thrown === undefined ? "ok" : (readCode(thrown) ?? String(thrown));
  };
  const bearer = (secret: string, address?: string) => ask({ authorization: `Bearer ${secret}` }, address);
  return { counts, clock, ask, bearer };
}

test("without keys of other gateways, nothing is looked up for them", async () => {
  const { counts, bearer } = makeGateway({ untilMs: null });
  expect(await bearer(GOOD)).toBe("invalid_api_key");
  expect(counts).toEqual({ own: 0, foreign: 0, addresses: 0 });
});

test("our digest is looked up first, and the foreign one only until it ends", async () => {
  const { counts, clock, bearer } = makeGateway();
  expect(await bearer(GOOD)).toBe("ok");
  expect(counts).toMatchObject({ own: 1, foreign: 0 });
  expect(await bearer("sk-wrong")).toBe("invalid_api_key");
  expect(counts).toMatchObject({ own: 3, foreign: 1 });
  clock.atMs = NOON + 60_000;
  expect([await bearer("sk-wrong-too"), await bearer(GOOD)]).toEqual(["invalid_api_key", "ok"]);
  expect(counts).toMatchObject({ own: 5, foreign: 1 });
});

test("a secret that another process has just seen for the first time is found", async () => {
  const { bearer } = makeGateway({ adopted: digestSecret("sk-raced", pepper) });
  expect(await bearer("sk-raced")).toBe("ok");
});

test("a secret of our own form never costs another look-up", async () => {
  const { counts, bearer } = makeGateway();
  expect(await bearer(mintSecret(random))).toBe("invalid_api_key");
  expect(counts).toMatchObject({ own: 1, foreign: 0 });
});

test("the headers are tried in their order, ours first", async () => {
  const { counts, ask } = makeGateway();
  const google = { "x-goog-api-key": GOOD };
  expect(await ask({ authorization: "Bearer sk-proj-somebody", "x-api-key": "no-key", ...google })).toBe(
    "ok",
  );
  expect(counts).toMatchObject({ own: 3, foreign: 1 });
  expect(await ask({ authorization: `Bearer ${mintSecret(random)}`, "x-api-key": GOOD })).toBe("ok");
  expect(await ask({ authorization: "Bearer sk-none", "x-api-key": "sk-neither" })).toBe("invalid_api_key");
});

test("secrets from the documentation of other gateways are refused without a look-up", async () => {
  const { counts, bearer } = makeGateway();
  expect([await bearer("sk-1234"), await bearer("no prefix"), await bearer("sk-ü")]).toEqual(
    Array.from({ length: 3 }, () => "invalid_api_key"),
  );
  expect(counts).toMatchObject({ own: 0, foreign: 0 });
});

test("wrong secrets are bounded by address and minute, right ones are not", async () => {
  const { counts, clock, bearer } = makeGateway();
  for (let at = 0; at < 150; at++) await bearer(`sk-wrong-${at}`, `2001:db8::${at.toString(16)}`);
  expect(counts.own).toBe(200);
  expect(await bearer(GOOD, "192.0.2.9")).toBe("ok");
  clock.atMs += 600;
  await bearer("sk-wrong-1", "2001:db8::1");
  expect(counts.own).toBe(202);
  clock.atMs = NOON + 60_000;
  expect(await bearer("sk-wrong-149", "2001:db8::1")).toBe("invalid_api_key");
  expect(counts.own).toBe(203);
});
