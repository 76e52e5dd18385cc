// Mutants of the ledger and its store: rules about money and places, broken one at a time.
import type { Mutant } from "./mutant.ts";

export const BOOKS: readonly Mutant[] = [
  {
    name: "skip the commit",
    file: "src/store/sqlite/connection.ts",
    find: "    sql.commit.run();",
    replace: "    sql.rollback.run();",
  },
  {
    name: "answer without writing",
    file: "src/store/sqlite/batches.ts",
    find: "      writeDecision(sql, decided);",
    replace: "      if (demands.length > 1) writeDecision(sql, decided);",
  },
  {
    name: "rows remembered though another process wrote",
    file: "src/store/sqlite/row-cache.ts",
    find: "if (dataVersion !== this.#dataVersion || entries",
    replace: "if (entries",
  },
  {
    name: "reap a living node's holds",
    file: "src/store/sqlite/books.ts",
    find: "if (node === own || (file !== null && !hasEnded(file, node))) continue;",
    replace: "if (node === own) continue;",
  },
  {
    name: "settle twice",
    file: "src/ledger/settle.ts",
    find: "  books.holds.remove(hold);",
    replace: "  if (hold.nanoUsd === 0) books.holds.remove(hold);",
  },
  {
    name: "late settlement charges",
    file: "src/ledger/settle.ts",
    find: "  if (hold === null) return settledBefore(",
    replace: `  const lost = hold === null && counted && books.requests.get(record.id)?.ended === "lost";
  if (lost) {
    const due = Math.min(record.costNanoUsd, books.account(demand.accountId).balanceNanoUsd);
    const legs = { balanceNanoUsd: -due, revenueNanoUsd: due };
    if (due > 0) books.move(demand.accountId, legs, { kind: "post", atMs, requestId: record.id });
  }
  if (hold === null) return settledBefore(`,
  },
  {
    name: "give back to the wrong day",
    file: "src/ledger/settle.ts",
    find: "  if (!produced) putBack(books, hold.place);",
    replace: `  const day = new Date(atMs).toISOString().slice(0, 10);
  if (!produced) putBack(books, hold.place.kind === "allowance" ? { ...hold.place, day } : hold.place);`,
  },
  {
    name: "give nothing back",
    file: "src/ledger/settle.ts",
    find: "  if (!produced) putBack(books, hold.place);",
    replace: "",
  },
  {
    name: "throttle slot not restored",
    file: "src/ledger/settle.ts",
    find: "books.slots.put(place.owner, { ...slot, taken: place.previous });",
    replace: "return;",
  },
  {
    name: "another's throttle slot restored",
    file: "src/ledger/settle.ts",
    find: "if (slot?.taken?.by === place.taken.by)",
    replace: "if (slot)",
  },
  {
    name: "lose the overrun",
    file: "src/ledger/settle.ts",
    find: "  if (due > held) {",
    replace: "  if (due > held && held < 0) {",
  },
  {
    name: "the overrun takes no free balance",
    file: "src/ledger/settle.ts",
    find: "const extra = Math.min(due - posted, books.account(accountId).balanceNanoUsd);",
    replace: "const extra = 0;",
  },
  {
    name: "what a key held stays held",
    file: "src/ledger/settle.ts",
    find: "heldNanoUsd: spend.heldNanoUsd - held }",
    replace: "heldNanoUsd: spend.heldNanoUsd }",
  },
  {
    name: "reply not freed where nothing was produced",
    file: "src/ledger/settle.ts",
    find: "    else freeReply(books, hold);",
    replace: "    else fillReply(books, hold, null, atMs);",
  },
  {
    name: "allowance off by one",
    file: "src/ledger/admit.ts",
    find: "if (standing.meter.used < limit)",
    replace: "if (standing.meter.used <= limit)",
  },
  {
    name: "ignore the spend limit",
    file: "src/ledger/admit.ts",
    find: "Math.min(balanceNanoUsd, Math.max(0, spendable))",
    replace: "balanceNanoUsd",
  },
  {
    name: "charge a replay",
    file: "src/ledger/admit.ts",
    find: "  if (earlier !== null) return earlier;",
    replace: `  if (earlier?.kind === "replayed") letIn(books, demand, key);
  if (earlier !== null) return earlier;`,
  },
  {
    name: "a replay is made anew",
    file: "src/ledger/admit.ts",
    find: "  if (earlier !== null) return earlier;",
    replace: '  if (earlier !== null && earlier.kind !== "replayed") return earlier;',
  },
  {
    name: "an admission repeated holds twice",
    file: "src/ledger/admit.ts",
    find: "  undo(books, demand);",
    replace: "",
  },
  {
    name: "an admission repeated after it was given up",
    file: "src/ledger/admit.ts",
    find: "if (books.requests.get(demand.id) !== null) return refused(resolvedMeanwhile());",
    replace: "",
  },
  {
    name: "a revoked key is let in",
    file: "src/ledger/admit.ts",
    find: "!isLive(key, demand.nowMs)",
    replace: "!isLive({ ...key, revokedAtMs: null }, demand.nowMs)",
  },
  {
    name: "a clock set back hands out a second day",
    file: "src/ledger/allowance.ts",
    find: "const begun = counts.meters.get(meterIdOf(owner, tomorrow.name));",
    replace: "const begun = null;",
  },
  {
    name: "each twin makes a call of its own",
    file: "src/ledger/replies.ts",
    find: 'if (reply.state === "pending") return { kind: "pending", id: reply.requestId };',
    replace: 'if (reply.state === "pending") return null;',
  },
  {
    name: "another body is the same request",
    file: "src/ledger/replies.ts",
    find: "if (reply.bodyDigest !== idempotency.bodyDigest) {",
    replace: "if (reply.bodyDigest === null) {",
  },
  {
    name: "a top-up repeated pays twice",
    file: "src/ledger/decide.ts",
    find: "  if (made) {",
    replace: "  if (made && made.nanoUsd !== nanoUsd) {",
  },
];
