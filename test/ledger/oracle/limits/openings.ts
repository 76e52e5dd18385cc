// The sums that a new budget begins with: what its owner used in its window before.
import { SPEND_LIMIT } from "../../../../src/core/limits/budget.ts";
import { type ModelSum, makeOpeningId, type Opening } from "../../../../src/core/limits/opening.ts";
import type { RequestRecord } from "../../../../src/core/log/record.ts";
import type { Books } from "../books.ts";
import type { LimitOwner } from "./limit-owners.ts";

export function makeOpening({ id: owner, keyId, memberId }: LimitOwner, fromMs: number): Opening {
  return { owner, keyId, fromMs, ...(memberId === undefined ? {} : { memberId }) };
}

/**
 * Returns the sums of the owner's requests since `fromMs`, or null if they weren't read. A spend limit opens with what was
 * charged so far: until it counted costs, it counted charges.
 */
export function listSums(
  books: Books,
  owner: LimitOwner,
  name: string,
  fromMs: number,
): readonly ModelSum[] | null {
  const { accountId, id } = owner;
  if (name === SPEND_LIMIT) return [{ model: "", costNanoUsd: books.spend(accountId, id).spentNanoUsd }];
  const opening = makeOpening(owner, fromMs);
  const read = books.sums?.get(makeOpeningId(accountId, opening));
  return read === undefined ? null : [...read, ...listSettled(books, accountId, opening)];
}

/** Returns the costs of requests that this batch settled before: the sums were read ahead of it, without them. */
function listSettled(
  books: Books,
  accountId: string,
  { keyId, memberId, fromMs }: Opening,
): readonly ModelSum[] {
  const isCounted = (row: RequestRecord) =>
    row.accountId === accountId &&
    row.atMs >= fromMs &&
    (keyId === null || row.keyId === keyId) &&
    (memberId === undefined || books.keys.get(row.keyId)?.memberId === memberId);
  return books.requests.changes.flatMap(({ row, before }) =>
    isCounted(row) ? [readSum(row, 1), ...(before === null ? [] : [readSum(before, -1)])] : [],
  );
}

function readSum({ modelUsed, modelTried, costNanoUsd }: RequestRecord, times: 1 | -1): ModelSum {
  return { model: modelUsed ?? modelTried ?? "", costNanoUsd: times * costNanoUsd };
}
