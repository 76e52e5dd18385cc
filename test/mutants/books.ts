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
    file: "src/store/sqlite/requests.ts",
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
    replace: `  const lost = hold === null && demand.produced && books.requests.get(demand.record.id)?.ended === "lost";
  if (lost) {
    const { id, costNanoUsd } = demand.record;
    const due = Math.min(costNanoUsd, books.account(demand.accountId).balanceNanoUsd);
    const legs = { balanceNanoUsd: -due, revenueNanoUsd: due };
    if (due > 0) books.move(demand.accountId, legs, { kind: "post", atMs, requestId: id });
  }
  if (hold === null) return settledBefore(`,
  },
  {
    name: "give back to the wrong day",
    file: "src/ledger/places.ts",
    find: "  const id = makeMeterId(owner, day);\n  const meter = books.meters.get(id) ??",
    replace: `  const id = makeMeterId(owner, new Date(atMs).toISOString().slice(0, 10));
  const meter = books.meters.get(id) ??`,
  },
  {
    name: "give nothing back",
    file: "src/ledger/places.ts",
    find: "const used = Math.max(0, meter.used - places);",
    replace: "const { used } = meter;",
  },
  {
    name: "throttle slot not restored",
    file: "src/ledger/places.ts",
    find: "books.slots.put(owner, { ...slot, taken: left });",
    replace: "void left;",
  },
  {
    name: "another's throttle slot restored",
    file: "src/ledger/places.ts",
    find: "slot?.taken?.by !== taken.by",
    replace: "!slot",
  },
  {
    name: "lose the overrun",
    file: "src/ledger/settle.ts",
    find: "  if (extra + writtenOff > 0) {",
    replace: "  if (extra + writtenOff < 0) {",
  },
  {
    name: "the overrun takes no free balance",
    file: "src/ledger/settle.ts",
    find: "const extra = Math.min(dueNanoUsd - posted, books.account(accountId).balanceNanoUsd);",
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
    find: "  else freeReply(books, hold);",
    replace: "  else fillReply(books, hold, null, hold.atMs);",
  },
  {
    name: "allowance off by one",
    file: "src/ledger/admit.ts",
    find: "const hasPlace = standing.meter.used < limit;",
    replace: "const hasPlace = standing.meter.used <= limit;",
  },
  {
    name: "give back without end",
    file: "src/ledger/places.ts",
    find: "isCounted ? Math.min(answers, Math.max(0, place.giveBackMax - meter.givenBack)) : answers",
    replace: "answers",
  },
  {
    name: "refusals cost nothing for ever",
    file: "src/ledger/settle.ts",
    find: "const isBeyond = !returnPlaces(books, hold, giveBack) && giveBack.beyond !== null;",
    replace: "const isBeyond = !returnPlaces(books, hold, giveBack) && giveBack.answers < 0;",
  },
  {
    name: "the budget for free requests holds nothing",
    file: "src/ledger/places.ts",
    find: "meter.freeHeldNanoUsd + (freeNanoUsd ?? 0)",
    replace: "meter.freeHeldNanoUsd",
  },
  {
    name: "what free requests cost is not counted",
    file: "src/ledger/places.ts",
    find: "meter.freeSpentNanoUsd + costNanoUsd",
    replace: "meter.freeSpentNanoUsd",
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
    replace: `  if (earlier?.kind === "replayed") grant(books, demand, key);
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
    find: "  if (known) undoHold(books, known, demand.nowMs);",
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
    find: "refuseCaller({ key, proof: demand.proof }, demand.nowMs)",
    replace: "refuseCaller({ key: { ...key, revokedAtMs: null }, proof: demand.proof }, demand.nowMs)",
  },
  {
    name: "a key paused meanwhile is let in",
    file: "src/core/key.ts",
    find: "return (proof && refuseAddress(key, proof.address)) ?? refusePaused(key);",
    replace: "return proof && refuseAddress(key, proof.address);",
    tests: ["test/store-sqlite.test.ts"],
  },
  {
    name: "a key limited to other addresses meanwhile is let in",
    file: "src/core/key.ts",
    find: "return (proof && refuseAddress(key, proof.address)) ?? refusePaused(key);",
    replace: "return refusePaused(key);",
    tests: ["test/store-sqlite.test.ts"],
  },
  {
    name: "an old secret outlives its grace",
    file: "src/core/key.ts",
    find: "oldSecretUntilMs !== null && nowMs < oldSecretUntilMs;",
    replace: "oldSecretUntilMs !== null;",
    tests: ["test/store-sqlite.test.ts"],
  },
  {
    name: "all earlier secrets share the grace",
    file: "src/core/key.ts",
    find: "rotation === rotations - 1 &&",
    replace: "rotation < rotations &&",
    tests: ["test/store-sqlite.test.ts"],
  },
  {
    name: "a rotation that is repeated loses the old secret",
    file: "src/store/keys.ts",
    find: ` AND digest <> \${mark(2)}`,
    replace: "",
    tests: ["test/store-sqlite.test.ts"],
  },
  {
    name: "anybody's word for the client's address",
    file: "src/http/client-address.ts",
    find: "if (!isWithin(blocks, peer)) return",
    replace: 'if (peer === "") return',
    tests: ["test/http-keys.test.ts"],
  },
  {
    name: "a paused key is served without an admission",
    file: "src/http/auth.ts",
    find: "(allowsPaused ? null : refusePaused(key))",
    replace: "(allowsPaused ? null : null)",
    tests: ["test/http-keys.test.ts"],
  },
  {
    name: "a clock set back hands out a second day",
    file: "src/ledger/allowance.ts",
    find: "const begun = counts.meters.get(makeMeterId(owner, tomorrow.name));",
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
