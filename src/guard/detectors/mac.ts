// Addresses of network cards: six pairs of hexadecimal digits.
import { endsAt, HEX, isAlphanumeric, isHex } from "../characters.ts";
import type { Detector, Span } from "../detector.ts";

const PAIRS = 6;
const CHARACTERS = PAIRS * 3 - 1;
const SAME = /^(?:00|ff)(?:[:-](?:00|ff))*$/i;

/** `at` is the separator behind the first pair. */
function find(text: string, at: number): Span | null {
  const separator = text.charCodeAt(at);
  const from = at - 2;
  if (from < 0 || isAlphanumeric(text.charCodeAt(from - 1))) return null;
  // More than six pairs are a fingerprint.
  if (text.charCodeAt(from - 1) === separator && isHex(text.charCodeAt(from - 2))) return null;
  const to = from + CHARACTERS;
  for (let place = from; place < to; place++) {
    const code = text.charCodeAt(place);
    if ((place - from) % 3 === 2 ? code !== separator : !isHex(code)) return null;
  }
  if (!endsAt(text, to) || (text.charCodeAt(to) === separator && isHex(text.charCodeAt(to + 1)))) return null;
  return SAME.test(text.slice(from, to)) ? null : { from, to };
}

export const MAC: Detector = {
  name: "mac",
  group: "network",
  mark: "MAC",
  rule: "addresses of network cards, six pairs with : or -",
  starts: ":-",
  follows: HEX,
  leads: [HEX, HEX],
  find,
  isByContext: true,
};
