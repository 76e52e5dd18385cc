// Fetches a list of prices from the address that the operator named, and from no other.
import { FeedError } from "../../catalogue/feeds/feed.ts";
import { refuseFeedAddress } from "../../core/text/feed-address.ts";
import type { Fetch } from "../../core/world/world.ts";
import { readShortText } from "../../transport/short-text.ts";

const FEED_MS = 30_000;
const MEGABYTE = 1_000_000;
/** The longest public list has 5 MB. */
export const FEED_BYTES_MAX = 64 * MEGABYTE;
const TOO_LONG = `it is larger than ${FEED_BYTES_MAX / MEGABYTE} MB`;

/**
 * Returns the list's text. Throws a FeedError if it can't be had. Redirects aren't followed, because they could lead to
 * an address of this network.
 */
export async function fetchFeed(from: string, fetch: Fetch): Promise<string> {
  const refused = refuseFeedAddress(from);
  if (refused !== null) throw new FeedError(`the address ${refused}`);
  try {
    const response = await fetch(from, { redirect: "manual", signal: AbortSignal.timeout(FEED_MS) });
    const wrong = findWrong(response);
    if (wrong !== null) {
      await response.body?.cancel();
      throw new FeedError(wrong);
    }
    const text = await readShortText(response, FEED_BYTES_MAX);
    if (text === null) throw new FeedError(TOO_LONG);
    return text;
  } catch (error) {
    if (error instanceof FeedError) throw error;
    const cause = error instanceof Error ? error.message : String(error);
    throw new FeedError(`it can't be fetched: ${cause}`);
  }
}

function findWrong({ status, headers }: Response): string | null {
  if (status >= 300 && status < 400) return "it is elsewhere (a redirect), and redirects aren't followed";
  if (status !== 200) return `the server answered ${status}`;
  return Number(headers.get("content-length") ?? 0) > FEED_BYTES_MAX ? TOO_LONG : null;
}
