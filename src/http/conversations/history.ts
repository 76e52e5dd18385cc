// Requests with a history that a provider has encrypted: they go to those who can read it, or are refused.
import { Fault } from "../../core/faults/fault.ts";
import type { CredentialPlace, EncryptedHistory } from "../../core/models/encrypted-history.ts";
import { identifyCredential } from "../../core/settings.ts";
import type { Pin } from "../../gateway/plan/pin.ts";
import type { Selection } from "../../gateway/plan/plan.ts";
import type { HttpPorts } from "../ports.ts";
import { COMPACTING } from "./compaction.ts";

/**
 * Returns the place to which the history leads, which is also that of the answer before it, if there is one. Throws the Fault
 * `unsupported_capability` if it can't be read.
 */
export function pinHistory(
  ports: Pick<HttpPorts, "snapshot" | "vault">,
  history: EncryptedHistory,
  named: Selection,
  stored: Pin | null,
): Pin {
  const pin = history.place ? findPlace(ports, history.path, history.place) : findNamed(history, named);
  const isSame = (other: Pin) =>
    other.provider === pin.provider && (pin.credential === null || other.credential === pin.credential);
  if (stored && !isSame(stored)) throw refuseHistory(history.path, pin.provider);
  return stored ?? pin;
}

function findPlace(
  { snapshot, vault }: Pick<HttpPorts, "snapshot" | "vault">,
  path: string,
  { provider, credential: digest }: CredentialPlace,
): Pin {
  const known = snapshot().upstreams.get(provider)?.setup.credentials ?? [];
  const credential = known.find((one) => vault.digest(identifyCredential(one)) === digest);
  if (!credential) throw refuseHistory(path, provider);
  return { provider, credential, path };
}

/** Nobody knows who made it, so only the client can say who reads it. */
function findNamed({ path }: EncryptedHistory, named: Selection): Pin {
  const provider = named.kind === "card" ? named.card.provider : "";
  if (COMPACTING.has(provider)) return { provider, credential: null, path };
  const message = `The history that is encrypted in '${path}' can't be read here: only a model of ${[...COMPACTING].join(" or ")} that is named itself may be sent it.`;
  throw new Fault("unsupported_capability", message, { param: path });
}

function refuseHistory(path: string, provider: string): Fault {
  const message = `The history in '${path}' was encrypted at ${provider} with a credential that can't be used here: start again from the conversation itself.`;
  return new Fault("unsupported_capability", message, { param: path });
}
