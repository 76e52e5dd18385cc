// Where the calls to a card go, and with which credential: made once, and again if one of these changes.

import type { ModelCard } from "../../core/models/card.ts";
import type { Mending, Target } from "../../core/models/dialect.ts";
import type { Refusal } from "../../core/models/refusals.ts";
import type { MarkTime } from "../../core/models/words/cache-marks.ts";
import type { Credential } from "../../core/settings.ts";
import type { Upstream } from "../plan/upstream.ts";

interface TargetParts {
  readonly card: ModelCard;
  readonly credential: Credential;
  readonly upstream: Upstream;
  readonly refuses?: ReadonlySet<Refusal>;
  readonly mends?: Mending | undefined;
  readonly marks?: MarkTime | undefined;
}

interface KnownTarget {
  readonly upstream: Upstream;
  readonly credential: Credential;
  readonly target: Target;
}

/** The latest of each card. Cards go with their configuration. */
const known = new WeakMap<ModelCard, KnownTarget>();

export function findTarget({ card, credential, upstream, refuses, mends, marks }: TargetParts): Target {
  const found = known.get(card);
  if (found?.upstream === upstream && found.credential === credential) {
    const { target } = found;
    if (target.refuses === refuses && target.mends === mends && target.marks === marks) return target;
  }
  const { baseUrl, headers, apiVersion, guardrail, extraFields, outputTokensDefault, sendsTier } =
    upstream.setup;
  const { secret } = credential;
  const target = {
    baseUrl,
    headers,
    apiVersion,
    extraFields,
    outputTokensDefault,
    guardrail,
    refuses,
    mends,
    marks,
    sendsTier,
    secret,
  };
  known.set(card, { upstream, credential, target });
  return target;
}
