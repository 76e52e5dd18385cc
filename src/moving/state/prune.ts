// The rows that a state file made before and no longer has: they are removed if that is asked for, and listed otherwise.

import { revokeKey } from "../../admin/keys/keys.ts";
import { deleteAlias } from "../../admin/models/aliases.ts";
import { closeAccount } from "../../admin/money/closing.ts";
import { revokeToken } from "../../admin/people/named-tokens.ts";
import type { Account } from "../../core/keys/key.ts";
import { makeAliasParts } from "./aliases.ts";
import type { Change, Draft } from "./draft.ts";
import type { Row } from "./known.ts";
import { planEnd } from "./plain.ts";

/** In the order in which they are removed, after plain things: an account is closed once it has no keys. */
const ORDER: readonly string[] = ["token", "key", "alias", "account"];
const DEFAULT_ACCOUNT = "default";

/** Without pruning, they are only listed. */
export function planPruning(draft: Draft, isPruning: boolean): readonly Change[] {
  const { memory, entries, kept } = draft;
  const current = new Set(entries.map(({ kind, id }) => `${kind} ${id}`));
  const left = memory.entries.filter(({ kind, id, isMade }) => isMade && !current.has(`${kind} ${id}`));
  const removals: Change[] = [];
  const keys = new Set<string>();
  for (const one of sortLeft(left)) {
    const removal = planRemoval(draft, one, keys);
    if (removal === null) continue;
    if (one.kind === "key") keys.add(one.id);
    if (isPruning && "run" in removal) removals.push(removal);
    else {
      // It stays on the list, to be pruned later.
      entries.push(one);
      const { kind, id, name, account } = removal;
      kept.push({ kind, id, name, account, reason: "reason" in removal ? removal.reason : UNPRUNED });
    }
  }
  return removals;
}

function sortLeft(left: Draft["entries"]): Draft["entries"] {
  const position = ({ kind }: Draft["entries"][number]) => ORDER.indexOf(kind);
  return left.toSorted((one, other) => position(one) - position(other));
}

const UNPRUNED = "made by this file, which no longer has it; --prune removes it";

type Removal = Change | Draft["kept"][number];

/** Returns null for what has ended by itself, and a reason for what can't be removed. */
function planRemoval(
  { known, changes }: Draft,
  { kind, id, place }: Draft["entries"][number],
  pruned: ReadonlySet<string>,
): Removal | null {
  const about = { id, account: null, isDrift: false, before: null, after: null };
  switch (kind) {
    case "token": {
      const token = known.tokens.find((one) => one.id === id && one.state === "live");
      if (token === undefined) return null;
      return { ...about, kind, name: token.place, action: "token.revoked", run: (at) => revokeToken(at, id) };
    }
    case "key": {
      const row = known.keys.find((one) => one.id === id && one.state !== "ended");
      if (row === undefined) return null;
      const { name, accountId } = row.of;
      const account = known.accounts.find((one) => one.id === accountId)?.place ?? accountId;
      return { ...about, kind, name, account, action: "key.revoked", run: (at) => revokeKey(at, id) };
    }
    case "alias": {
      if (!known.aliases.has(id)) return null;
      const run: Change["run"] = (at) => deleteAlias(makeAliasParts(at), id);
      return { ...about, kind, name: place, action: "alias.deleted", run };
    }
    case "account": {
      const row = known.accounts.find((one) => one.id === id && one.state === "live");
      if (row === undefined || id === DEFAULT_ACCOUNT) return null;
      const reason = refuseClosing({ known, changes }, row, pruned);
      if (reason !== null) return { kind, id, name: row.place, account: null, reason };
      const run: Change["run"] = (at) => closeAccount(at, id, {});
      return { ...about, kind, name: row.place, action: "account.closed", run };
    }
    default:
      return planEnd({ known }, kind, id);
  }
}

/** Closing an account ends its keys and pays out its balance, so it is left to people as long as it has either. */
function refuseClosing(
  { known, changes }: Pick<Draft, "known" | "changes">,
  { id, of }: Row<Account>,
  pruned: ReadonlySet<string>,
): string | null {
  const { balanceNanoUsd, heldNanoUsd, receivableNanoUsd } = of;
  if (balanceNanoUsd !== 0 || heldNanoUsd !== 0 || receivableNanoUsd !== 0)
    return "no longer in the file, but it has a balance; close it by hand";
  const moved = new Map(changes.map(({ id: keyId, after }) => [keyId, after?.account_id]));
  const isHere = (key: { readonly id: string; readonly accountId: string }) =>
    (moved.get(key.id) ?? key.accountId) === id && !pruned.has(key.id);
  const own = known.keys.filter(({ state }) => state !== "ended").map((row) => row.of);
  const personal = known.personalKeys.filter(({ revokedAtMs }) => revokedAtMs === null);
  const isAwaited = changes.some(({ kind, after }) => kind === "key" && after?.account_id === id);
  if (!isAwaited && ![...own, ...personal].some(isHere)) return null;
  return "no longer in the file, but it has keys that this file doesn't remove; close it by hand";
}
