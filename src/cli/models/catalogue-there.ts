// `poundkey catalogue update` at a gateway: what the list that it watches would change there, and the acceptance.
import { acceptedSchema, type PriceReview, priceReviewSchema } from "../../admin/models/price-review.ts";
import { EXIT, type Io } from "../../app/terminal.ts";
import { type Arguments, UsageError } from "../arguments.ts";
import { makeReader } from "../gateway/ask.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { printChanges, SHOWN_ONLY } from "./update-report.ts";

const HERE_ALONE = ["from", "format", "config", "store"];
const here = () => Promise.reject(new Error("There is no store here."));

/** Returns 3 if some changes wait for --yes. Throws a UsageError. */
export async function updateThere(gateway: Gateway, given: Arguments, io: Io): Promise<number> {
  const odd = HERE_ALONE.find((flag) => given.values.has(flag));
  if (odd !== undefined)
    throw new UsageError(
      `--${odd} works on this machine alone: a gateway has a list of its own, catalogue.watch`,
    );
  const isApplied = given.switches.has("apply");
  const yes = given.switches.has("yes");
  try {
    const read = makeReader(priceReviewSchema);
    const review = await gateway.ask({ route: { method: "GET", path: "/catalogue" }, read, here });
    if (review.compared_at === null) {
      io.err("The gateway has compared no list of prices yet: set catalogue.watch in its configuration.");
      return EXIT.failed;
    }
    const has = (verdict: string) => review.changes.some((change) => change.verdict === verdict);
    const hasSome = has("taken") || review.added > 0 || (yes && has("waits"));
    if (isApplied && hasSome) {
      const route = { method: "POST", path: "/catalogue" };
      await gateway.ask({ route, body: { yes }, read: makeReader(acceptedSchema), here });
    }
    show(review, isApplied, given, io);
    return has("waits") && !yes ? EXIT.partial : EXIT.done;
  } catch (error) {
    if (error instanceof UsageError || !(error instanceof Error)) throw error;
    io.err(`poundkey: ${error.message}`);
    return EXIT.failed;
  }
}

function show(review: PriceReview, applied: boolean, given: Arguments, io: Io): void {
  if (given.switches.has("json")) {
    io.out(JSON.stringify({ ...review, applied }, null, 2));
    return;
  }
  const { changes, added, cost_usd: cost, would_cost_usd: wouldCost } = review;
  printChanges(
    changes.map(({ model: id, ...change }) => ({ id, ...change })),
    io,
  );
  io.out(`${changes.length} changes, and ${added} models that the catalogue doesn't have`);
  io.out(`the last 30 days cost ${cost} USD with models that change, and would have cost ${wouldCost} USD`);
  if (!applied) io.out(SHOWN_ONLY);
}
