// Sentences on a request's mends after refusals, its cache marks, its conversation's move, and on the thinking of its history that the model wasn't shown.
import type { RequestDetailView } from "../../admin/log/request-schema.ts";

/** Returns a sentence on what a model's server refused before it answered. */
export function describeMends(mends: RequestDetailView["mends"]): string {
  const refused = mends.map(({ meaning }) => meaning.replaceAll("`", ""));
  return `Asked once more after its server had refused ${refused.join("; ")}.`;
}

/** Returns a sentence on the marks that the gateway set. */
export function describeMarks(marked: NonNullable<RequestDetailView["cache_marked"]>): string {
  const time = marked === "1h" ? "an hour" : "five minutes";
  return `Marked by the gateway: the provider keeps the prompt for ${time}.`;
}

type MovedCause = NonNullable<RequestDetailView["moved"]>;

/** The ends of the sentence "Not served where …, as …". */
const CAUSES: Readonly<Record<MovedCause, string>> = {
  limit: "its credential had reached a limit",
  rest: "the provider had limited requests",
  breaker: "calls there had failed too often",
  retired: "the provider had refused its credential",
  gone: "the provider doesn't have the model any more",
  needs: "the model couldn't take the request",
  load: "calls there were many, slow or failing",
  failover: "the call there failed",
};

/** Returns a sentence on a turn that was served elsewhere. */
export function describeMove(cause: MovedCause): string {
  return `Not served where the conversation belongs, as ${CAUSES[cause]}.`;
}

type Reason = RequestDetailView["reasoning_removed"][number]["reason"];

/** The ends of the sentence "Left out …". */
const REASONS: Readonly<Record<Reason, (count: string) => string>> = {
  prefix: (count) => `${count}, as what stood before had changed`,
  model: (count) => `${count} of another model`,
  organization: (count) => `${count} of another organization`,
  end_user: (count) => `${count} of another end user`,
  turn_boundary: (count) => `${count} of an earlier turn`,
  other: (count) => `${count} for another reason of the provider's`,
  family: (count) => `that of ${count}, made by another family's model`,
  refused: (count) => `that of ${count}, which the provider had refused`,
};

/** Returns a sentence on the thinking that the model wasn't shown. The provider counts blocks, the gateway answers. */
export function describeRemoved(removed: RequestDetailView["reasoning_removed"]): string {
  const parts = removed.map(({ reason, count }) => REASONS[reason](nameCount(reason, count)));
  return `Left out ${parts.join("; ")}.`;
}

function nameCount(reason: Reason, count: number): string {
  const thing = reason === "family" || reason === "refused" ? "answer" : "block";
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}
