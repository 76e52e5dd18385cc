// `poundkey catalogue update` at a gateway: what the list that it watches would change there, and the acceptance.
import {
  acceptedSchema,
  type PriceReview,
  priceReviewSchema,
} from "../../admin/models/price-review-schema.ts";
import { EXIT, type Io } from "../../app/terminal.ts";
import { type Choice, findIdlePattern, selectChanges } from "../../catalogue/feeds/select-changes.ts";
import { isAccepted, isWaiting } from "../../catalogue/feeds/verdict.ts";
import { type Arguments, UsageError } from "../arguments.ts";
import { makeReader } from "../gateway/ask.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { printChanges, SHOWN_ONLY } from "./update-report.ts";

const HERE_ALONE = ["from", "format", "config", "store", "key", "unsigned"];
const here = () => Promise.reject(new Error("There is no store here."));

/** Returns 3 if some of the chosen changes wait for --yes. Throws a UsageError. */
export async function updateThere(gateway: Gateway, args: Arguments, io: Io): Promise<number> {
  const { values, lists, switches } = args;
  const odd = HERE_ALONE.find((flag) => values.has(flag) || lists.has(flag) || switches.has(flag));
  if (odd !== undefined)
    throw new UsageError(
      `--${odd} works on this machine alone: a gateway has a list of its own, catalogue.watch`,
    );
  try {
    const review = await readReview(gateway, switches.has("all"));
    if (review.compared_at === null) {
      io.err("The gateway has compared no list of prices yet: set catalogue.watch in its configuration.");
      return EXIT.failed;
    }
    const changes = choose(review, args);
    const accepting = { yes: switches.has("yes"), older: switches.has("older") };
    const isApplied = switches.has("apply");
    const hasSome = changes.some((one) => isAccepted(one, accepting) || (accepting.older && isOlder(one)));
    if (isApplied && hasSome) await accept(gateway, review, args);
    show({ ...review, changes }, isApplied, args, io);
    const waits = changes.some((one) => isWaiting(one, accepting));
    return waits && !accepting.yes ? EXIT.partial : EXIT.done;
  } catch (error) {
    if (error instanceof UsageError || !(error instanceof Error)) throw error;
    io.err(`poundkey: ${error.message}`);
    return EXIT.failed;
  }
}

function isOlder({ verdict }: Pick<PriceReview["changes"][number], "verdict">): boolean {
  return verdict === "older";
}

async function readReview(gateway: Gateway, all: boolean): Promise<PriceReview> {
  const route = { method: "GET", path: "/catalogue" };
  const query = all ? { all: "true" } : {};
  return await gateway.ask({ route, query, read: makeReader(priceReviewSchema), here });
}

function readChoice({ lists }: Arguments): Choice {
  const only = lists.get("only");
  const except = lists.get("except");
  return { ...(only && { only }), ...(except && { except }) };
}

function choose({ changes }: PriceReview, args: Arguments): PriceReview["changes"] {
  const choice = readChoice(args);
  const idle = findIdlePattern(changes, choice);
  if (idle !== null) throw new UsageError(`--${idle.field} ${idle.pattern} matches no change`);
  const selected = selectChanges(changes, choice);
  if (choice.only !== undefined && selected.length === 0 && args.switches.has("yes"))
    throw new UsageError("--yes has nothing to take: --except leaves nothing of --only");
  return selected;
}

/** The gateway refuses it if it has compared another list since. */
async function accept(gateway: Gateway, { list }: PriceReview, args: Arguments): Promise<void> {
  const { switches } = args;
  const everything = switches.has("all") ? { only: ["*"] } : {};
  const body = {
    ...(list.serial !== null && { serial: list.serial }),
    ...(list.sha256 !== null && { sha256: list.sha256 }),
    ...everything,
    ...readChoice(args),
    yes: switches.has("yes"),
    older: switches.has("older"),
  };
  const route = { method: "POST", path: "/catalogue" };
  await gateway.ask({ route, body, read: makeReader(acceptedSchema), here });
}

function show(review: PriceReview, applied: boolean, args: Arguments, io: Io): void {
  if (args.switches.has("json")) {
    io.out(JSON.stringify({ ...review, applied }, null, 2));
    return;
  }
  const { changes, elsewhere, cost_usd: cost, would_cost_usd: wouldCost } = review;
  printChanges(
    changes.map(({ new: isNew, ...change }) => ({ isNew, ...change })),
    io,
  );
  const added = changes.filter(({ field }) => field === "model").length;
  io.out(`${changes.length} changes, ${added} of them models that the catalogue doesn't have`);
  if (elsewhere > 0 && !args.switches.has("all"))
    io.out(`${elsewhere} changes are of providers that aren't enabled: --all shows them`);
  io.out(`the last 30 days cost ${cost} USD with models that change, and would have cost ${wouldCost} USD`);
  if (!applied) io.out(SHOWN_ONLY);
}
