// A refresh token that is replaced at each use is never lost: it is stored before anything else can fail.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { IssuerSilent, PersonGone, type Tokens } from "../../../src/people/issuer.ts";
import { openRefresh, sealRefresh } from "../../../src/people/signed-in.ts";
import { makeKey } from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { createRechecks, HOUR_MS, here } from "./rechecks.ts";
import { RULES } from "./world.ts";

const rechecks = createRechecks();
const { addMember, recheck } = rechecks;
beforeAll(() => rechecks.open());
afterAll(() => rechecks.close());

async function endSessions(id: string): Promise<void> {
  const { changeMember } = unrecorded(rechecks.opened.store);
  await changeMember(id, (before) => before, { accessEndMs: rechecks.nowMs });
}

async function readMember(id: string) {
  const member = await rechecks.opened.store.people.member(id);
  if (member === null) throw new Error("the person is gone");
  const { refreshSealed } = member;
  const token = refreshSealed === null ? null : openRefresh(rechecks.opened.credentialVault, refreshSealed);
  return {
    token,
    isIn: (await rechecks.opened.store.people.holdings(id, rechecks.nowMs)).hasSession,
    leasedUntilMs: member.leasedUntilMs,
  };
}

test("the new token is used next, and only when it is due", async () => {
  await addMember("ada");
  expect(await recheck(async () => here("ada"))).toEqual([]);
  rechecks.nowMs += HOUR_MS;
  expect(await recheck(async () => here("ada"))).toEqual(["first"]);
  rechecks.nowMs += HOUR_MS;
  expect(await recheck(async () => here("ada"))).toEqual(["second"]);
  expect(await readMember("ada")).toEqual({ token: "second", isIn: true, leasedUntilMs: 0 });
});

test("it is stored even if the issuer then falls silent", async () => {
  rechecks.nowMs += HOUR_MS;
  const confirm = async () => {
    throw new IssuerSilent("the user information didn't come", true);
  };
  await recheck(async () => ({ refreshToken: "third", confirm }));
  expect((await readMember("ada")).token).toBe("third");
  expect((await readMember("ada")).isIn).toBe(true);
});

test("a refusal after a look that was broken off ends nobody: the token may be the one that was replaced", async () => {
  rechecks.nowMs += HOUR_MS;
  await recheck(async () => {
    throw new IssuerSilent("the connection broke", true);
  });
  rechecks.nowMs += HOUR_MS;
  await recheck(async () => {
    throw new PersonGone("invalid_grant");
  });
  expect(await readMember("ada")).toMatchObject({ token: "third", isIn: true });
  expect(await rechecks.opened.store.people.member("ada")).toMatchObject({ ruleGrants: [{ role: "admin" }] });
  await endSessions("ada");
});

test("a refusal after an issuer that was never reached does end it", async () => {
  await addMember("eve");
  rechecks.nowMs += HOUR_MS;
  await recheck(async () => {
    throw new IssuerSilent("connection refused", false);
  });
  expect((await readMember("eve")).isIn).toBe(true);
  rechecks.nowMs += HOUR_MS;
  await recheck(async () => {
    throw new PersonGone("invalid_grant");
  });
  expect(await readMember("eve")).toEqual({ token: null, isIn: false, leasedUntilMs: 0 });
});

test("a refusal of a token that a new sign-in has replaced ends nobody", async () => {
  await addMember("kim");
  rechecks.nowMs += HOUR_MS;
  await recheck(async () => {
    const refreshSealed = sealRefresh(rechecks.opened.credentialVault, "of the new sign-in");
    await unrecorded(rechecks.opened.store).changeMember(
      "kim",
      (before) => before && { ...before, refreshSealed, seenAtMs: rechecks.nowMs },
    );
    throw new PersonGone("invalid_grant");
  });
  expect(await readMember("kim")).toMatchObject({ token: "of the new sign-in", isIn: true });
  await endSessions("kim");
});

test("one that can't be opened any more is forgotten, and is never sent", async () => {
  await addMember("pat");
  await unrecorded(rechecks.opened.store).changeMember(
    "pat",
    (before) => before && { ...before, refreshSealed: "unreadable" },
  );
  rechecks.nowMs += HOUR_MS;
  expect(await recheck(async () => here("pat"))).toEqual([]);
  expect(await readMember("pat")).toMatchObject({ token: null, isIn: true });
  await endSessions("pat");
});

test("a person about whom the issuer can't be asked doesn't keep it from being asked about others", async () => {
  await addMember("max", "of max");
  rechecks.nowMs += 1;
  await addMember("zoe", "of zoe");
  const rules = `${RULES}, members: { recheck: 7d, key_expires: 1h }`;
  const answer = async (token: string) => {
    if (token === "of max") throw new IssuerSilent("it answered 'server_error'", false);
    return here("zoe");
  };
  rechecks.nowMs += HOUR_MS;
  expect(await recheck(answer, { rules })).toEqual(["of max"]);
  expect(await recheck(answer, { rules })).toEqual(["of zoe"]);
  for (const id of ["max", "zoe"]) await endSessions(id);
});

test("keys of somebody who has left are revoked `key_expires` after the issuer last confirmed them", async () => {
  const { store } = rechecks.opened;
  await addMember("lee");
  await unrecorded(store).addKey(makeKey("key_lee", { memberId: "lee" }), "digest of key_lee");
  const gone = () =>
    recheck(
      async () => {
        throw new PersonGone("invalid_grant");
      },
      { rules: `${RULES}, members: { key_expires: 2h }` },
    );
  rechecks.nowMs += HOUR_MS;
  await gone();
  expect((await readMember("lee")).isIn).toBe(false);
  expect((await store.key("key_lee"))?.revokedAtMs).toBeNull();
  rechecks.nowMs += HOUR_MS;
  await gone();
  expect((await store.key("key_lee"))?.revokedAtMs).toBe(rechecks.nowMs);
});

test.each([
  ["rules name no account that exists", { groups: ["nowhere"] }],
  ["list of groups was cut off", { hasgroups: true }],
])("somebody whose %s has no role until that is mended, and keeps the keys", async (why, claims) => {
  const { store } = rechecks.opened;
  await addMember(why);
  await unrecorded(store).addKey(makeKey(`key of ${why}`, { memberId: why }), `digest of ${why}`);
  rechecks.nowMs += HOUR_MS;
  await recheck(async () => ({
    ...here(why),
    confirm: async () => ({ subject: why, claims, hasIdToken: true }),
  }));
  expect((await store.people.member(why))?.ruleGrants).toEqual([]);
  rechecks.nowMs += HOUR_MS;
  await recheck(async () => here(why));
  expect((await store.people.member(why))?.ruleGrants).toEqual([{ role: "admin", accountId: null }]);
  expect((await store.key(`key of ${why}`))?.revokedAtMs).toBeNull();
  await unrecorded(store).revokeKey(`key of ${why}`, rechecks.nowMs);
  await endSessions(why);
});

test("while one node asks, no other does", async () => {
  await addMember("ida");
  rechecks.nowMs += HOUR_MS;
  const asking = Promise.withResolvers<Tokens>();
  const asked = Promise.withResolvers<void>();
  const first = recheck(() => {
    asked.resolve();
    return asking.promise;
  });
  await asked.promise;
  expect(await recheck(async () => here("ida"))).toEqual([]);
  asking.resolve(here("ida"));
  expect(await first).toEqual(["first"]);
  expect((await readMember("ida")).token).toBe("second");
});

/** Begins a recheck, and resolves once the issuer has answered it with a new token, which was kept. */
async function beginRecheck(id: string) {
  const confirming = Promise.withResolvers<void>();
  const claims = Promise.withResolvers<Awaited<ReturnType<Tokens["confirm"]>>>();
  const confirm = () => {
    confirming.resolve();
    return claims.promise;
  };
  const done = recheck(async () => ({ ...here(id), confirm }));
  await confirming.promise;
  return { done, confirm: async () => claims.resolve(await here(id).confirm()), refuse: claims.reject };
}

describe("of two nodes on a store of their own", () => {
  beforeEach(async () => {
    await rechecks.close();
    await rechecks.open();
  });

  test("a node that read who was due before another kept the new token doesn't send the old one", async () => {
    await addMember("joe");
    rechecks.nowMs += HOUR_MS;
    const read = Promise.withResolvers<void>();
    const late = Promise.withResolvers<void>();
    const onDue = () => {
      read.resolve();
      return late.promise;
    };
    const second = recheck(async () => here("joe"), { onDue });
    await read.promise;
    const first = await beginRecheck("joe");
    late.resolve();
    expect(await second).toEqual([]);
    await first.confirm();
    expect(await first.done).toEqual(["first"]);
    expect(await readMember("joe")).toEqual({ token: "second", isIn: true, leasedUntilMs: 0 });
  });

  test("while one node waits for the claims, another whose clock is two minutes ahead doesn't ask", async () => {
    await addMember("max");
    rechecks.nowMs += HOUR_MS;
    const first = await beginRecheck("max");
    expect(await recheck(async () => here("max"), { aheadMs: 120_000 })).toEqual([]);
    await first.confirm();
    expect(await first.done).toEqual(["first"]);
  });

  test("a node that took too long ends nobody once another asks", async () => {
    await addMember("zoe");
    rechecks.nowMs += HOUR_MS;
    const first = await beginRecheck("zoe");
    rechecks.nowMs += 61_000;
    const second = await beginRecheck("zoe");
    first.refuse(new PersonGone("invalid_grant"));
    await first.done;
    expect((await readMember("zoe")).isIn).toBe(true);
    await second.confirm();
    expect(await second.done).toEqual(["second"]);
    expect((await readMember("zoe")).isIn).toBe(true);
  });
});
