// A provider's list of models proves that a credential is refused to everybody, and nothing else does.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { KeyProofs } from "../../src/app/models/key-proofs.ts";
import { upstreamFetch } from "../../src/app/world.ts";
import { Fault } from "../../src/core/faults/fault.ts";
import { namePayer } from "../../src/core/keys/payer.ts";
import type { ProviderSetup } from "../../src/core/settings.ts";
import type { LogEvent } from "../../src/core/world/world.ts";
import { RequestRefusals } from "../../src/health/credential.ts";
import { Health } from "../../src/health/health.ts";
import { readSettings } from "../harness/settings.ts";
import { makeCard } from "../selectors/planning.ts";

const CARD = makeCard("House#small");
const ANN = { id: "key", accountId: "acc_ann", memberId: null };
const BEN = { id: "key", accountId: "acc_ben", memberId: null };
const MINUTE_MS = 60_000;
const SECRET = "the-secret-of-the-house";

/** The statuses of the list with and without a credential, which a test changes. */
let answers: { with: number; without: number };
let asked: string[];
let server: Bun.Server<undefined>;

beforeEach(() => {
  answers = { with: 200, without: 401 };
  asked = [];
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const key = request.headers.get("authorization");
      asked.push(`${request.method} ${new URL(request.url).pathname} ${key ?? "no key"}`);
      const headers = { location: "/elsewhere" };
      return new Response("{}", { status: key === null ? answers.without : answers.with, headers });
    },
  });
});
afterEach(() => server.stop(true));

/** A gateway's health with proofs, at a time that the test sets. */
class World {
  nowMs = 0;
  readonly events: LogEvent[] = [];
  readonly health = new Health((event) => void this.events.push(event));
  readonly setup: ProviderSetup;
  #proof: Promise<void> | null = null;
  readonly proofs = new KeyProofs({
    fetch: upstreamFetch,
    nowMs: () => this.nowMs,
    onRefused: (provider, credential, status) =>
      this.health.recordProof(provider, credential, this.nowMs, status),
  });

  constructor(more = "checks_keys: true") {
    const text = `providers: { House: { base_url: "${server.url.origin}/v1", keys: ["${SECRET}"], ${more} } }`;
    const [setup] = readSettings(text).providers;
    if (setup === undefined) throw new Error("no provider");
    this.setup = setup;
    this.health.prover = {
      suspect: (provider, credential) => {
        this.#proof = this.proofs.suspect(provider, credential);
      },
    };
    this.follow();
  }

  follow(): void {
    this.proofs.follow([this.setup]);
    this.health.configured([this.setup]);
  }

  get attempt() {
    const [credential] = this.setup.credentials;
    if (credential === undefined) throw new Error("no credential");
    return { card: CARD, credential };
  }

  serve(key: typeof ANN): void {
    this.health.begin(this.attempt, this.nowMs, new RequestRefusals(key))?.finish(this.nowMs, 10);
  }

  /** A request of the payer is refused in this way. Resolves once the proof has answered. */
  async refuse(key: typeof ANN, upstreamStatus = 401, message = ""): Promise<void> {
    const refusals = new RequestRefusals(key);
    const fault = new Fault("upstream_auth", "no", { upstreamStatus, upstream: { message } });
    this.health.begin(this.attempt, this.nowMs, refusals)?.fail(this.nowMs, fault);
    refusals.settle();
    await this.#proof;
  }

  get reason(): string | null {
    return this.health.key(this.attempt)?.retired?.reason ?? null;
  }
}

const WITH_KEY = `GET /v1/models Bearer ${SECRET}`;
const WITHOUT = "GET /v1/models no key";
const REASON = "its list of models is refused, too (401)";

/** One of several payers, for whom the list has been shown. */
async function startWell(more?: string): Promise<World> {
  const world = new World(more);
  await world.proofs.refresh();
  world.serve(BEN);
  world.serve(ANN);
  world.nowMs = MINUTE_MS;
  return world;
}

describe("a list that was shown to the credential", () => {
  test("retires it for everybody after one payer's refusal without words, if it is refused, too", async () => {
    const world = await startWell();
    expect(asked).toEqual([WITHOUT, WITH_KEY]);
    answers.with = 401;
    await world.refuse(ANN);
    expect(world.reason).toBe(REASON);
    expect(world.health.isRefused(world.attempt, world.nowMs, namePayer(BEN))).toBeTrue();
    expect(world.events).toMatchObject([
      { event: "credential_retired", provider: "House", credential: "ouse", upstream_status: 401 },
    ]);
    expect(JSON.stringify(world.events)).not.toContain(SECRET);
  });

  test("leaves it to others while it is shown, and is asked for once a minute", async () => {
    const world = await startWell();
    for (const afterMs of [0, 1, MINUTE_MS - 1]) {
      world.nowMs = MINUTE_MS + afterMs;
      await world.refuse(ANN, 403, "Request blocked.");
    }
    expect(asked.slice(2)).toEqual([WITH_KEY]);
    world.nowMs = 3 * MINUTE_MS;
    await world.refuse(ANN, 403, "Request blocked.");
    expect([asked.slice(2), world.reason]).toEqual([[WITH_KEY, WITH_KEY], null]);
    expect(world.health.isRefused(world.attempt, world.nowMs, namePayer(BEN))).toBeFalse();
  });

  test.each([302, 400, 404, 429, 500])(
    "says nothing with a %d, and is asked nowhere else",
    async (status) => {
      const world = await startWell();
      answers.with = status;
      await world.refuse(ANN);
      expect([asked.slice(2), world.reason]).toEqual([[WITH_KEY], null]);
    },
  );

  test("isn't asked for after words that name the credential, nor for a payer that is alone", async () => {
    const world = await startWell();
    await world.refuse(ANN, 401, "Incorrect API key provided.");
    const alone = new World();
    await alone.proofs.refresh();
    alone.nowMs = MINUTE_MS;
    await alone.refuse(ANN);
    expect([world.reason, alone.reason]).not.toContain(null);
    expect(asked).toEqual([WITHOUT, WITH_KEY, WITHOUT, WITH_KEY]);
  });

  test("doesn't retire a credential that has served since", async () => {
    const world = await startWell();
    answers.with = 401;
    const refused = world.refuse(ANN);
    world.serve(BEN);
    await refused;
    expect([asked.slice(2), world.reason]).toEqual([[WITH_KEY], null]);
  });

  test("lets a test bring the credential back, as after any other refusal", async () => {
    const world = await startWell();
    answers.with = 403;
    await world.refuse(ANN);
    expect(world.reason).toBe("its list of models is refused, too (403)");
    world.nowMs += MINUTE_MS;
    expect(world.health.key(world.attempt)?.waitMs(world.nowMs)).toBe(0);
    world.serve(BEN);
    expect(world.reason).toBeNull();
    expect(world.health.isRefused(world.attempt, world.nowMs, namePayer(BEN))).toBeFalse();
    world.serve(ANN);
    expect(world.health.isRefused(world.attempt, world.nowMs, namePayer(ANN))).toBeFalse();
    expect(world.events.map(({ event }) => event)).toEqual(["credential_retired", "credential_back"]);
  });

  test("stays known under a new configuration, which asks for it again with new credentials alone", async () => {
    const world = await startWell();
    world.follow();
    await world.proofs.refresh();
    expect(asked).toEqual([WITHOUT, WITH_KEY]);
    answers.with = 401;
    world.serve(BEN);
    await world.refuse(ANN);
    expect(world.reason).toBe(REASON);
  });
});

describe("nothing is proven by a list", () => {
  test("that is shown without a credential, and it isn't asked for again", async () => {
    answers.without = 200;
    const world = await startWell();
    answers.with = 401;
    await world.refuse(ANN);
    expect([asked, world.reason]).toEqual([[WITHOUT], null]);
  });

  test.each([401, 403, 404, 500])("that has always answered %d", async (status) => {
    answers.with = status;
    const world = await startWell();
    answers.with = 401;
    await world.refuse(ANN);
    expect([asked, world.reason]).toEqual([[WITHOUT, WITH_KEY, WITH_KEY], null]);
  });

  test("of which it is unknown whether it is shown without a credential", async () => {
    answers.without = 500;
    const world = await startWell();
    answers.with = 401;
    await world.refuse(ANN);
    expect([asked, world.reason]).toEqual([[WITHOUT, WITH_KEY, WITH_KEY, WITHOUT], null]);
  });

  test("that isn't to be asked for", async () => {
    for (const more of ["", "checks_keys: false"]) {
      const world = await startWell(more);
      await world.refuse(ANN);
      expect([asked, world.reason]).toEqual([[], null]);
    }
  });
});

test("a known provider is asked at its own address, and an own server where the operator says so", async () => {
  const find = async (row: string): Promise<string | null> => {
    let asked: string | null = null;
    const proofs = new KeyProofs({
      fetch: async (url, { headers }) => {
        const [name] = [...new Headers(headers)].find(([, value]) => value.includes("the-key")) ?? [];
        asked = `${url} ${name}`;
        return new Response(null, { status: 401 });
      },
      nowMs: () => 0,
      onRefused: () => {},
    });
    proofs.follow(readSettings(`providers: { ${row} }`).providers);
    await proofs.refresh();
    return asked;
  };
  const OPENAI = "https://api.openai.com/v1/models authorization";
  const AT_PROXY = 'keys: [the-key], base_url: "https://proxy.test/v1"';
  expect(await find("OpenAI: { keys: [the-key] }")).toBe(OPENAI);
  expect(await find('Mine: { keys: [the-key], base_url: "https://api.openai.com/v1" }')).toBe(OPENAI);
  expect(await find("Anthropic: { keys: [the-key] }")).toBe("https://api.anthropic.com/v1/models x-api-key");
  expect(await find("Google: { keys: [the-key] }")).toBe(
    "https://generativelanguage.googleapis.com/v1beta/models x-goog-api-key",
  );
  expect(await find(`OpenAI: { ${AT_PROXY}, checks_keys: true }`)).toBe(
    "https://proxy.test/v1/models authorization",
  );
  expect(await find(`Mine: { ${AT_PROXY}, checks_keys: true, dialect: anthropic }`)).toBe(
    "https://proxy.test/v1/models x-api-key",
  );
  expect(await find(`Mine: { ${AT_PROXY}, checks_keys: true }`)).toBe(
    "https://proxy.test/v1/models authorization",
  );
  for (const row of [
    "OpenAI: { keys: [the-key], checks_keys: false }",
    `OpenAI: { ${AT_PROXY} }`,
    `Mine: { ${AT_PROXY} }`,
    "OpenRouter: { keys: [the-key] }",
    "Perplexity: { keys: [the-key] }",
  ])
    expect(await find(row)).toBeNull();
});
