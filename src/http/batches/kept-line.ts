// The stored answer of a line, written as it would have been shown: without its key, a plan or a place, as nobody is asked.
import { parseReceived } from "../../core/json/bounds.ts";
import { type GatewayKey, KEY_DEFAULTS } from "../../core/keys/key.ts";
import type { Vault } from "../../core/world/world.ts";
import { openReply, showReply } from "../../gateway/settle/idempotency.ts";
import type { AnsweredLine, LineResult } from "../../jobs/ports.ts";
import type { Form } from "../../operations/form.ts";
import type { Exchange } from "../../surfaces/surface.ts";
import { chooseCompaction } from "../conversations/compaction.ts";
import { findEarlier, makeIncoming, NO_EARLIER_ANSWER } from "../conversations/earlier.ts";
import type { Door } from "../door/ports.ts";
import { AnswerStamp } from "../door/stamp.ts";
import { placeFiles } from "../files/placed.ts";
import { writeAnswer } from "./line-outlet.ts";

/** Throws the Faults of a line that can't be read any more, such as that its file is gone. */
export async function replayLine<F extends Form>(
  door: Door<F>,
  vault: Vault,
  line: AnsweredLine,
): Promise<Pick<LineResult, "status" | "body">> {
  const { ports, surface } = door;
  const { operation } = surface;
  const { id: replyId, sealed } = line.reply;
  if (sealed === null) throw new Error("A stored reply without its text.");
  const key = makeKey(line.owner);
  const exchange = await readExchange(door, line, key);
  const { id, created, model, reply } = openReply(vault, replyId, sealed, operation);
  const shown = showReply(operation, reply, line.chargedNanoUsd);
  const call = { id, created, key, ask: exchange.ask, operation };
  const stamp = new AnswerStamp(ports, { call, replayed: { id, created }, model, attempt: null });
  return { status: 200, body: writeAnswer(exchange.whole(shown.reply, stamp)) };
}

/** The key itself may be gone. Its batch says whose the line is. */
function makeKey({ accountId, memberId, keyId: id }: AnsweredLine["owner"]): GatewayKey {
  return { ...KEY_DEFAULTS, id, accountId, memberId, name: "", last4: "", createdAtMs: 0 };
}

/** Reads the line as it was read when it was asked: the answer says again what the request said. */
async function readExchange<F extends Form>(
  { ports, surface, setups }: Door<F>,
  { path, headers, body: bytes }: AnsweredLine,
  key: GatewayKey,
): Promise<Exchange<F>> {
  const body = parseReceived(new TextDecoder().decode(bytes));
  const request = new Request(`http://localhost${path}`, { method: "POST", headers });
  const earlier = surface.findEarlier ? await findEarlier(ports, surface, key, body) : NO_EARLIER_ANSWER;
  const held = ports.bodies.open();
  try {
    const placed = await placeFiles(ports, surface.family, key, body, held);
    const exchange = surface.read(makeIncoming(ports, request, placed, key, earlier));
    return exchange.compact
      ? chooseCompaction(ports.snapshot(), setups, key, exchange, earlier.pin)
      : exchange;
  } finally {
    held.release();
  }
}
