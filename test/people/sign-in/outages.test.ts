// Seeded outages of the provider: nobody who was removed gets in later than the bound, nobody else loses a key for good.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Session } from "../../../src/core/people/people.ts";
import { createAuthenticator } from "../../../src/keys/authenticate.ts";
import { digestSecret, mintSecret } from "../../../src/keys/secret.ts";
import { IssuerSilent, PersonGone, type Tokens } from "../../../src/people/issuer.ts";
import { findPerson, mayUseKeys } from "../../../src/people/member.ts";
import { IS_LONG } from "../../harness/long.ts";
import { makeKey } from "../../harness/samples.ts";
import { readSettings } from "../../harness/settings.ts";
import { catchThrown } from "../../harness/thrown.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { type Databases, useDatabases } from "../../store/postgres/databases.ts";
import { createRechecks, HOUR_MS } from "./rechecks.ts";
import { oidcYaml, RULES } from "./world.ts";

const MINUTE_MS = 60_000;
const STEP_MS = 20 * MINUTE_MS;
const PEOPLE = 6;
const DOUBT_MS = 6 * HOUR_MS;
const MEMBERS = "members: { recheck: 1h, key_expires: 30d, doubt: 6h }";
const SEEDS = IS_LONG ? 200 : 1;
/** Each step is a round trip there, so that fewer are played. */
const POSTGRES_SEEDS = IS_LONG ? 10 : 0;
const DAYS = IS_LONG ? 30 : 2;
/** The next look after a removal, and the steps of this test. */
const SLACK_MS = HOUR_MS + 2 * STEP_MS;

function makeDice(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

type Trouble = "none" | "refused connections" | "hangs" | "garbled" | "loses answers";
const TROUBLES: readonly Trouble[] = ["refused connections", "hangs", "garbled", "loses answers"];

/** A provider that rotates its tokens, and refuses one that was used before. */
class Provider {
  trouble: Trouble = "none";
  readonly removed = new Map<string, number>();
  readonly #current = new Map<string, string>();
  #tokens = 0;

  issue(id: string): string {
    const token = `${id} ${this.#tokens++}`;
    this.#current.set(id, token);
    return token;
  }

  answer = async (token: string): Promise<Tokens> => {
    const [id = ""] = token.split(" ");
    if (this.trouble === "refused connections") throw new IssuerSilent("refused", false);
    if (this.trouble === "hangs") throw new IssuerSilent("the deadline passed", true);
    if (this.trouble === "garbled") throw new IssuerSilent("not as an issuer does", true);
    if (this.removed.has(id) || this.#current.get(id) !== token) throw new PersonGone("invalid_grant");
    const refreshToken = this.issue(id);
    // It has acted, and the token before is used up.
    if (this.trouble === "loses answers") throw new IssuerSilent("the connection broke", true);
    const claims = { groups: ["platform"] };
    return { refreshToken, confirm: async () => ({ subject: id, claims, hasIdToken: true }) };
  };
}

const countTo = (most: number) => Array.from({ length: most }, (_, at) => at + 1);
const LONG_MS = 600_000;

test.each(countTo(SEEDS))(
  "an outage of the issuer keeps no removed person in beyond the bound, and costs nobody else a key: seed %i",
  (seed) => play(seed),
);

describe.if(POSTGRES_SEEDS > 0)("on PostgreSQL", () => {
  let server: Databases;
  beforeAll(async () => {
    server = await useDatabases();
  });
  afterAll(() => server.remove());
  test.each(countTo(POSTGRES_SEEDS))(
    "an outage of the issuer keeps no removed person in beyond the bound, and costs nobody else a key: seed %i",
    async (seed) => play(seed, await server.newStore()),
    LONG_MS,
  );
});

function makeSession(memberId: string): Session {
  const owner = { digest: memberId, tokenDigest: "", tokenId: null, memberId };
  return { ...owner, issuerSession: null, address: null, agent: null, expiresAtMs: 0 };
}

/** Sets the trouble of a step of time, if it changes. */
function stir(provider: Provider, dice: () => number): void {
  if (dice() < 0.05) provider.trouble = TROUBLES[Math.floor(dice() * TROUBLES.length)] ?? "none";
  else if (dice() < 0.1) provider.trouble = "none";
}

async function play(seed: number, address?: string): Promise<void> {
  const dice = makeDice(seed);
  const rechecks = createRechecks();
  await rechecks.open(address);
  const { store, world } = rechecks.opened;
  const provider = new Provider();
  const clock = { nowMs: () => rechecks.nowMs };
  const { signIn } = readSettings(
    `server: { public_url: "https://a.example" }\n${oidcYaml("https://login.example.com", `${RULES}, ${MEMBERS}`)}`,
  );
  const secrets = new Map<string, string>();
  const startMs = rechecks.nowMs;
  const endMs = startMs + DAYS * 24 * HOUR_MS;
  for (let at = 0; at < PEOPLE; at++) {
    const id = `mem${at}`;
    await rechecks.addMember(id, provider.issue(id));
    const secret = mintSecret(world.random);
    secrets.set(id, secret);
    const key = makeKey(`key_${id}`, { memberId: id });
    await unrecorded(store).addKey(key, digestSecret(secret, world.pepper));
    if (at % 2 === 0) provider.removed.set(id, startMs + dice() * DAYS * 24 * HOUR_MS);
  }
  const removals = new Map(provider.removed);
  const seesSession = async (id: string) =>
    (await findPerson({ store, clock }, makeSession(id), signIn)) !== null;
  const usesKey = async (id: string) => {
    // A new one each time remembers nothing.
    const authenticate = createAuthenticator({ ...world, clock, mayUseKeys });
    return (await catchThrown((async () => authenticate(secrets.get(id) ?? ""))())) === undefined;
  };
  const late: string[] = [];
  while (rechecks.nowMs < endMs) {
    stir(provider, dice);
    provider.removed.clear();
    for (const [id, atMs] of removals) if (atMs <= rechecks.nowMs) provider.removed.set(id, atMs);
    await rechecks.recheck(provider.answer, { rules: `${RULES}, ${MEMBERS}` });
    for (const [id, atMs] of provider.removed) {
      const sinceMs = rechecks.nowMs - atMs;
      if (sinceMs > HOUR_MS + SLACK_MS && (await seesSession(id))) late.push(`${id}: session`);
      if (sinceMs > DOUBT_MS + SLACK_MS && (await usesKey(id))) late.push(`${id}: key`);
    }
    rechecks.nowMs += STEP_MS;
  }
  expect(late).toEqual([]);
  provider.trouble = "none";
  for (const [id] of secrets) {
    if (removals.has(id)) continue;
    // A token that an outage has used up takes a sign-in; keys are the same afterwards.
    await rechecks.addMember(id, provider.issue(id));
    expect([id, (await store.key(`key_${id}`))?.revokedAtMs, await usesKey(id)]).toEqual([id, null, true]);
  }
  await rechecks.close();
}
