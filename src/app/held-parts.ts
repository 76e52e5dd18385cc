// The parts of a running gateway that hold clients' memory: their bodies, and connections that remember conversations.
import type { ServerRules, SocketRules } from "../core/settings.ts";
import { BodyMemory } from "../http/body/body-memory.ts";
import { BodyTurns } from "../http/body/body-turns.ts";
import { EarlierBodies } from "../http/body/earlier-bodies.ts";
import { OpenSockets } from "../http/sockets/open-sockets.ts";
import type { DeadlineSweep } from "../transport/deadlines.ts";
import { clock } from "./world.ts";

/** The share of the memory for bodies that earlier ones may take. */
const EARLIER_SHARE = 1 / 4;

export function createHeldParts(
  { bodyMemoryBytes }: ServerRules,
  deadlines: DeadlineSweep,
  sockets: () => SocketRules,
) {
  const bodies = new BodyMemory(bodyMemoryBytes, deadlines);
  const earlier = new EarlierBodies(bodyMemoryBytes * EARLIER_SHARE, bodies, deadlines);
  return { bodies, earlier, turns: new BodyTurns(clock), openSockets: new OpenSockets(sockets, deadlines) };
}
