// The bounds of servers on identifiers, tool names and call ids: requests are brought within them, and names come back
// whole in the answer.
import type { ModelCard } from "../../core/models/card.ts";
import type { ChatForm } from "../../operations/chat/decoder.ts";
import type { ChatRequest } from "../../operations/chat/form.ts";
import type { Codec, Passing } from "../../operations/codec.ts";
import { type ChangedAsk, joinLists, NONE } from "../../operations/form.ts";
import { boundCallIds, type CallIdRule, upTo } from "./call-ids.ts";
import { boundIdentifiers } from "./identifiers.ts";
import { fitWish } from "./thinking-wish.ts";
import { lettersFirst, type NameRule, namesUpTo, SentNames } from "./tool-names.ts";

export interface Bounds {
  /** The most characters of `user`, `safety_identifier` and `prompt_cache_key`. */
  readonly identifierCharactersMax: number;
  readonly toolNames: NameRule;
  readonly callIds: CallIdRule;
}

/**
 * The shortest of the known bounds, for servers that document none: OpenAI's on identifiers ("Invalid 'user': string too
 * long. Expected a string with maximum length 64") and on the names of functions. Claude Code's identifiers have 150
 * characters, its tools' names up to 128.
 */
export const USUAL_BOUNDS: Bounds = {
  identifierCharactersMax: 64,
  toolNames: namesUpTo(64),
  callIds: upTo(64),
};

/** OpenAI's at `/chat/completions`, and those of servers that copy it. */
export const CHAT_BOUNDS: Bounds = { ...USUAL_BOUNDS, callIds: upTo(40) };

/** Every known rule takes these. They are sent to a server that refused a name. */
const PLAINEST_NAMES = lettersFirst(64);

/**
 * Makes a codec that brings fitted requests within a server's bounds before they are encoded, and puts the client's
 * names of tools into their answers.
 */
export function boundCodec(codec: Codec<ChatForm>, boundsOf: (card: ModelCard) => Bounds): Codec<ChatForm> {
  /** The requests that were fitted, and for which card. Fitting one again would change nothing. */
  const fits = new WeakMap<ChatRequest, Pick<Passing, "extraFields"> & { readonly card: ModelCard }>();
  const fit: Codec<ChatForm>["fit"] = (request, card, operator) => {
    const plain = codec.fit(request, card, operator);
    const fitted = plain.dropped.length === 0 ? plain : fitWish(codec, request, card, operator, plain);
    fits.set(fitted.ask, { card, extraFields: operator.extraFields });
    return fitted;
  };
  return {
    ...codec,
    fit,
    instead(request, card, refuses) {
      const other = codec.instead?.(request, card, refuses) ?? null;
      const isNamed = !refuses.has("tool_names") || SentNames.of(request, PLAINEST_NAMES) === null;
      if (isNamed) return other;
      return boundCodec(other ?? codec, (one) => ({ ...boundsOf(one), toolNames: PLAINEST_NAMES }));
    },
    encode(given, card, target) {
      const known = fits.get(given);
      const isFitted = known?.card === card && known.extraFields === target.extraFields;
      const fitted = isFitted ? { ask: given, dropped: NONE } : fit(given, card, target);
      const { ask, dropped } = bound(fitted.ask, boundsOf(card));
      const outgoing = codec.encode(ask, card, target);
      const all = joinLists(fitted.dropped, dropped, outgoing.dropped);
      return all.length === 0 ? outgoing : { ...outgoing, dropped: [...new Set(all)] };
    },
    decoder(card, request) {
      const names = SentNames.of(request, boundsOf(card).toolNames);
      if (names === null) return codec.decoder(card, request);
      return names.restoreStream(codec.decoder(card, names.boundTools(request)));
    },
    reply(body, card, request, headers) {
      const names = SentNames.of(request, boundsOf(card).toolNames);
      if (names === null) return codec.reply(body, card, request, headers);
      return names.restoreReply(codec.reply(body, card, names.boundTools(request), headers));
    },
  };
}

/** Shortened names and ids aren't named as changed: names come back whole, and ids only pair calls with results. */
function bound(request: ChatRequest, bounds: Bounds): ChangedAsk<ChatRequest> {
  const identified = boundIdentifiers(request, bounds.identifierCharactersMax);
  const names = SentNames.of(request, bounds.toolNames);
  const named = names === null ? identified.ask : names.boundTools(identified.ask);
  const renamed = names === null ? named.messages : names.boundMessages(named.messages);
  const messages = boundCallIds(renamed, bounds.callIds);
  return { ask: messages === named.messages ? named : { ...named, messages }, dropped: identified.dropped };
}
