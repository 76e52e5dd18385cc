// Shares the room of the codes that agents wait with, so that nobody's can keep the others out.
import type { CodeCounts, CodeRoom } from "../core/people/device.ts";

interface CodeBounds {
  /** The most of an address, or of the block that one IPv6 host has to itself. */
  readonly ofBlock: number;
  /** The most of a network (/24, or /48 of IPv6). */
  readonly ofNetwork: number;
  readonly inAll: number;
}

const BOUNDS: CodeBounds = { ofBlock: 20, ofNetwork: 1000, inAll: 10_000 };

/**
 * Decides about one more code of a network. A network beyond its own bound loses its oldest one; if all places are taken, the
 * network that holds most of them does.
 */
export function makeCodeRoom(network: string, bounds = BOUNDS): (counts: CodeCounts) => CodeRoom {
  return ({ ofBlock, ofNetwork, inAll, largest }) => {
    if (ofBlock >= bounds.ofBlock) return { isAdded: false, losing: null };
    if (ofNetwork >= bounds.ofNetwork) return { isAdded: true, losing: network };
    return { isAdded: true, losing: inAll >= bounds.inAll ? largest : null };
  };
}
