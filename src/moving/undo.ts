// Takes back what an import made, as its report lists it: all that nobody has changed since.
import { closeAccount } from "../admin/money/closing.ts";
import type { ActingWorld } from "../admin/world.ts";
import { digestSecret, mintSecret } from "../keys/secret.ts";
import { digestAccount, digestKey, type MadeOwner, UNDONE } from "./made.ts";
import type { Report } from "./report.ts";

const CHANGED = "changed since, so it is left";

/** Keys are revoked, and give up their secrets; accounts are closed, and their balance paid out. A later import makes new ones. */
export async function undoImport(
  world: ActingWorld,
  made: readonly MadeOwner[],
  report: Report,
): Promise<void> {
  for (const one of made.filter(({ kind }) => kind === "key")) await undoKey(world, one, report);
  for (const one of made.filter(({ kind }) => kind === "account")) await undoAccount(world, one, report);
}

async function undoKey(world: ActingWorld, { id, digest }: MadeOwner, report: Report): Promise<void> {
  const { store, changes, clock, random, pepper } = world;
  const key = await store.key(id);
  if (key === null) return report.leave(null, `key ${id}`, "it isn't here");
  const item = `key ${key.name}`;
  if (key.revokedAtMs !== null) return report.take(null, item, "it was revoked before");
  if (digestKey(key) !== digest) return report.leave(null, item, CHANGED);
  // Another import may bring the secret again. A key's row also knows the one before, so it is replaced twice.
  for (let count = 0; count < 2; count++) {
    const digest = digestSecret(mintSecret(random), pepper);
    await changes.rotateKey(id, { digest, last4: key.last4, oldSecretUntilMs: null });
  }
  await changes.changeKey(id, { notes: UNDONE });
  await changes.revokeKey(id, clock.nowMs());
  report.take(null, item, "revoked");
}

async function undoAccount(world: ActingWorld, { id, digest }: MadeOwner, report: Report): Promise<void> {
  const { store, changes, clock } = world;
  const account = await store.account(id);
  if (account === null) return report.leave(null, `account ${id}`, "it isn't here");
  const item = `account ${account.name}`;
  if (account.closingAtMs !== null) return report.take(null, item, "it was closed before");
  if (digestAccount(account) !== digest) return report.leave(null, item, CHANGED);
  const filter = { accountId: id, isRevoked: false, nowMs: clock.nowMs() };
  const keys = await store.keys({ limit: 1, after: null }, filter);
  if (keys.length > 0) return report.leave(null, item, "it has other keys, so it is left");
  await changes.changeAccount(id, { externalId: UNDONE });
  await closeAccount(world, id, { pay_out: true, reason: "an import was taken back" });
  report.take(null, item, "closed");
}
