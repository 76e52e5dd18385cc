// A turn as the door sees it: whose it is, and the conversation that it goes on from.
import { Fault } from "../../core/faults/fault.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import type { KeptExchange } from "../../core/log/kept.ts";
import { OPENAI_RESPONSES } from "../../surfaces/openai-responses/surface.ts";
import { type FoundEarlier, findEarlier } from "../conversations/earlier.ts";
import type { TurnMark } from "../door/arrival.ts";
import type { HttpPorts } from "../ports.ts";
import type { RememberedTurn } from "./memory.ts";

interface MarkedTurn extends Pick<TurnMark, "socketId" | "body" | "isWarmUp"> {
  /** The account of the connection, and of all that it remembers. */
  readonly accountId: string;
  /** The conversation that it goes on from, as it was remembered when the turn arrived. */
  readonly previous: RememberedTurn | null;
  /** Finds what the connection remembers of a response. */
  find(id: string): RememberedTurn | null;
}

/**
 * Throws the Fault `invalid_api_key` if the key was moved to another account: what the connection remembers belongs to the one
 * in which it was opened.
 */
export function checkAccount(key: GatewayKey, { accountId }: { readonly accountId: string }): void {
  if (key.accountId === accountId) return;
  throw new Fault("invalid_api_key", "This key was moved to another account: open another connection.");
}

export function markTurn(turn: MarkedTurn): TurnMark {
  const { socketId, body, isWarmUp } = turn;
  return {
    socketId,
    body,
    isWarmUp,
    check: (key) => checkAccount(key, turn),
    findEarlier: (ports, key) => findConversation(ports, key, turn),
  };
}

/** Throws the Fault `previous_response_not_found` if nothing here knows the response that the turn goes on from. */
async function findConversation(
  ports: HttpPorts,
  key: GatewayKey,
  { body, previous, find }: MarkedTurn,
): Promise<FoundEarlier> {
  const { previous_response_id: id } = body;
  const isRemembered = !ports.kept.keepsFor(key) || body.store === false;
  // The turn before it in its lane may have made it.
  const known = previous ?? (typeof id === "string" ? find(id) : null);
  if (known) {
    const exchange: KeptExchange = { id: known.id, itemIds: [], input: known.items, response: {} };
    return { keeping: { previous: exchange, items: new Map() }, isRemembered, stored: null, pin: null };
  }
  try {
    const found = await findEarlier(ports, OPENAI_RESPONSES, key, body);
    const isKnown = found.stored !== null || Boolean(found.keeping?.previous);
    if (typeof id === "string" && !isKnown) throw makeUnknown(id);
    if (found.stored !== null) return found;
    return { ...found, keeping: found.keeping ?? { previous: null, items: new Map() }, isRemembered };
  } catch (thrown) {
    const isUnknown = thrown instanceof Fault && thrown.code === "not_found" && typeof id === "string";
    throw isUnknown ? makeUnknown(id) : thrown;
  }
}

function makeUnknown(id: string): Fault {
  const message = `Previous response with id '${id.slice(0, 100)}' not found: send the whole conversation.`;
  return new Fault("previous_response_not_found", message, { param: "previous_response_id" });
}
