// The earlier answers that a request continues from: those kept here, and one stored at its provider.

import type { Attempt } from "../../core/attempt.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import type { EarlierAnswers, StoredAnswer } from "../../core/log/kept.ts";
import {
  cutStoredName,
  isStoredName,
  readStoredName,
  type StoredLocation,
  writeStoredName,
} from "../../core/models/stored-name.ts";
import { identifyCredential } from "../../core/settings.ts";
import { makeNotFound } from "../../gateway/answer/kept-answers.ts";
import type { Pin } from "../../gateway/plan/pin.ts";
import type { Form } from "../../operations/form.ts";
import { INTERACTIONS } from "../../surfaces/interactions/surface.ts";
import type { Incoming, Surface } from "../../surfaces/surface.ts";
import type { HttpPorts } from "../ports.ts";

type EarlierPorts = Pick<HttpPorts, "kept" | "sealer" | "snapshot" | "vault">;

export interface FoundEarlier {
  readonly keeping: EarlierAnswers | null;
  /** True if it is only remembered while a connection lives. */
  readonly isRemembered?: boolean;
  readonly stored: StoredAnswer | null;
  /** The credential that can read the stored answer. */
  readonly pin: Pin | null;
}

export const NO_EARLIER_ANSWER: FoundEarlier = { keeping: null, stored: null, pin: null };

/** True if providers may store answers for the key: the operator allows it, and the key may keep responses. */
function mayStoreUpstream({ snapshot }: Pick<HttpPorts, "snapshot">, key: GatewayKey): boolean {
  return snapshot().limits.storesUpstream === true && key.keepsResponses;
}

/** Returns a request as a surface reads it: its body, and what the gateway adds for the account. */
export function makeIncoming(
  ports: HttpPorts,
  { headers, url }: Request,
  body: unknown,
  key: GatewayKey,
  { keeping, stored, isRemembered }: FoundEarlier = NO_EARLIER_ANSWER,
): Incoming {
  const seal = ports.sealer(key.accountId);
  const { limits: own } = ports.snapshot();
  const limits = own.storesUpstream ? { ...own, storesUpstream: mayStoreUpstream(ports, key) } : own;
  const incoming = { url, headers, body, limits, seal, keeping, stored };
  return isRemembered ? { ...incoming, isRemembered } : incoming;
}

/**
 * Throws the Fault `not_found` if the account has no such answer here or at a provider, unless the surface explains that
 * itself. An answer of another surface is none of its own.
 */
export async function findEarlier<F extends Form>(
  ports: EarlierPorts,
  surface: Pick<Surface<F>, "findEarlier" | "idPrefix" | "explainsMissing">,
  key: GatewayKey,
  body: unknown,
): Promise<FoundEarlier> {
  const keeps = ports.kept.keepsFor(key);
  const stores = mayStoreUpstream(ports, key);
  const earlier = keeps || stores ? surface.findEarlier?.(body) : undefined;
  if (!earlier) return NO_EARLIER_ANSWER;
  const found = stores ? await findStored(ports, key, earlier.id) : null;
  const kept = found ? { ...earlier, id: null } : earlier;
  const isForeign = kept.id !== null && !isOf(surface.idPrefix, kept.id);
  const keeping = keeps ? await ports.kept.findEarlier(key, isForeign ? { ...kept, id: null } : kept) : null;
  if (keeping?.previous === null && kept.id !== null && !surface.explainsMissing)
    throw makeNotFound(kept.id, "previous_response_id");
  return { keeping, stored: found?.stored ?? null, pin: found?.pin ?? null };
}

/** True unless an id has the prefix of interactions and the surface is another, or the other way round. */
export function isOf(idPrefix: string, id: string): boolean {
  return id.startsWith(INTERACTIONS.idPrefix) === (idPrefix === INTERACTIONS.idPrefix);
}

/** Returns null if the answer isn't stored at a provider, or is also kept here: any model can continue that. */
async function findStored(ports: EarlierPorts, key: GatewayKey, name: string | null) {
  if (name === null || !isStoredName(name) || (await ports.kept.get(key, name)) !== null) return null;
  const place = readStoredName(name, ports.sealer(key.accountId));
  const tokens = await ports.kept.countTokens(key, cutStoredName(name));
  const credential = place && findCredential(ports, place);
  if (!place || !credential || tokens === null) throw makeNotFound(name, "previous_response_id");
  const pin: Pin = { provider: place.provider, credential };
  return { stored: { id: place.id, tokens }, pin };
}

function findCredential({ snapshot, vault }: EarlierPorts, { provider, credential }: StoredLocation) {
  const known = snapshot().upstreams.get(provider)?.setup.credentials ?? [];
  return known.find((one) => vault.digest(identifyCredential(one)) === credential);
}

/** An answer that its provider stores under its own id, `own`. */
interface EarlierResponse {
  readonly id: string;
  readonly accountId: string;
  readonly attempt: Attempt | null;
  readonly own: string;
}

/** Returns the id with which the client continues from a stored answer. */
export function nameStored(
  { vault, sealer }: Pick<HttpPorts, "vault" | "sealer">,
  { id, accountId, attempt, own }: EarlierResponse,
): string {
  if (attempt === null) return id;
  const { card, credential } = attempt;
  const place = {
    provider: card.provider,
    credential: vault.digest(identifyCredential(credential)),
    id: own,
  };
  return writeStoredName(id, place, sealer(accountId));
}
