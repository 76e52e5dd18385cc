// The parts of a request that all routes of batches read: its sender, and the headers that each line gets.
import { Fault } from "../../core/faults/fault.ts";
import { parseTags, TAGS_EXPECTED } from "../../core/fields/tags-text.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import { MAX_COST_USD } from "../../core/models/alias.ts";
import { NANO_PER_USD, type NanoUsd } from "../../core/money/money.ts";
import type { BatchOwner, KeptBatches } from "../../jobs/kept-batches.ts";
import { readSteering } from "../door/selection.ts";
import type { HttpPorts } from "../ports.ts";
import { identifyCaller, type RouteRequest } from "../serve/auth.ts";
import { headerNumber } from "../serve/headers.ts";

export interface BatchPorts extends HttpPorts {
  readonly batches: KeptBatches;
}

export interface Sender {
  readonly key: GatewayKey;
  readonly owner: BatchOwner;
}

/** Throws the Faults of a key that isn't let in. */
export async function readSent(ports: HttpPorts, route: RouteRequest): Promise<Sender> {
  const { key } = await identifyCaller(ports, route);
  return { key, owner: { accountId: key.accountId, memberId: key.memberId } };
}

/** Throws the Fault `unknown_url` if the operator has turned batches off. */
export function checkOn({ batchRules }: Pick<HttpPorts, "batchRules">): void {
  if (batchRules().isOn) return;
  throw new Fault("unknown_url", "Batches are turned off here (batches.on): send the requests one by one.");
}

const CEILING = "x-poundkey-max-cost";
const TAGS = "x-poundkey-tags";
/** Each line is sent with these. */
const LINE_HEADERS = [
  "x-poundkey-allow",
  "x-poundkey-quality",
  "x-poundkey-max-ms",
  "x-poundkey-cache",
  TAGS,
  "anthropic-version",
  "anthropic-beta",
] as const;

/** The terms that the headers of a creation ask for. */
interface BatchTerms {
  readonly headers: Readonly<Record<string, string>>;
  readonly maxCostNanoUsd: NanoUsd | null;
  readonly claim: string | null;
}

const ONCE = /^[\x21-\x7e]{1,255}$/;

/** Throws the Fault of a header that isn't valid. */
export function readTerms(
  { vault, tagsFrom }: Pick<HttpPorts, "vault" | "tagsFrom">,
  { headers }: Request,
  key: Pick<GatewayKey, "id">,
): BatchTerms {
  const usd = headerNumber(headers, CEILING, 0, MAX_COST_USD);
  if (usd === 0) throw invalidValue(CEILING, "expected more than 0 USD");
  const own = new Headers(headers);
  own.delete(CEILING);
  readSteering(own);
  const tags = headers.get(TAGS);
  if (tags !== null && parseTags(tags) === null) throw invalidValue(TAGS, `expected ${TAGS_EXPECTED}`);
  const once = headers.get("idempotency-key");
  if (once !== null && !ONCE.test(once))
    throw invalidValue("Idempotency-Key", "expected 1 to 255 visible ASCII characters");
  const names = [...LINE_HEADERS, ...(tagsFrom() ?? []).map(({ header }) => header.toLowerCase())];
  const given = names.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return {
    headers: Object.fromEntries(given),
    maxCostNanoUsd: usd === null ? null : Math.round(usd * NANO_PER_USD),
    claim: once === null ? null : vault.digest(`batch of ${key.id} ${once}`),
  };
}

type BatchQuery = Readonly<Record<string, string | undefined>>;

/** Throws the Fault `invalid_value` of a limit that isn't one. */
export function readLimit({ limit }: BatchQuery, most: number): number {
  const asked = limit === undefined ? 20 : Number(limit);
  if (Number.isInteger(asked) && asked >= 1 && asked <= most) return asked;
  throw invalidValue("limit", `expected an integer from 1 to ${most}`);
}
