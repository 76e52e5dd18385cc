// Where a request came from, as its row says: the client's address as far as it is kept, the agent's session, its tags.

import { Fault } from "../../core/faults/fault.ts";
import type { TagHeader } from "../../core/fields/tags-text.ts";
import {
  cleanTagValue,
  formatTags,
  parseTags,
  readTagsText,
  TAGS_EXPECTED,
  TAGS_MAX,
  type Tags,
} from "../../core/fields/tags-text.ts";
import type { Caller, GatewayKey } from "../../core/keys/key.ts";
import { type RequestOrigin, UNKNOWN_ORIGIN } from "../../core/log/record.ts";
import { listTraceIds, type TraceContext } from "../../core/log/trace-context.ts";
import type { NameKeeper } from "../../core/models/guard.ts";
import { nameSession } from "../../core/people/session.ts";
import type { AddressRule } from "../../core/settings.ts";
import { hideSecret, holdsPoundkeySecret } from "../../core/text/secret-form.ts";
import { cutAddress } from "../../core/world/address.ts";
import type { LineMark } from "../../gateway/call.ts";
import type { TurnMark } from "../door/arrival.ts";

/** Headers in which agents send their session, other than those that a surface reads itself. */
const SESSION_HEADERS = [
  "x-claude-code-session-id",
  "session-id",
  "session_id",
  "x-session-affinity",
  "x-session-id",
  "x-litellm-session-id",
] as const;

const TAGS_HEADER = "x-poundkey-tags";

interface OriginParts {
  /** Returns what `log.address` says. */
  readonly addressRule: () => AddressRule;
  /** Returns the headers of `tags_from`. Undefined for none. */
  readonly tagsFrom: () => readonly TagHeader[] | undefined;
  readonly nameHider: () => NameKeeper | null;
}

/** A request as it came. */
interface RequestArrival {
  readonly request: { readonly headers: Headers };
  readonly trace: TraceContext | null;
  /** Null unless it is a turn of a WebSocket. */
  readonly turn: Pick<TurnMark, "socketId"> | null;
  /** Null unless it is a line of a batch. */
  readonly line: LineMark | null;
}

/** The conversation that it is about. */
interface RequestSubject {
  /** The surface's own name for it. */
  readonly session: string | null;
  readonly isCompaction?: boolean;
  /** The tool that is called. */
  readonly tool?: RequestOrigin["tool"];
}

/**
 * Reads the address at once: a connection may close. Throws the
 * Fault `invalid_value` for tags that aren't valid.
 */
export function readRequestOrigin(
  { addressRule, tagsFrom, nameHider }: OriginParts,
  { request: { headers }, trace, turn, line }: RequestArrival,
  { key, proof }: Caller,
  { session, isCompaction = false, tool = null }: RequestSubject,
): RequestOrigin {
  const rule = addressRule();
  const address = proof === null || rule === "off" ? null : keepAddress(proof.address, rule);
  const header = headers.get(TAGS_HEADER);
  const hider = nameHider();
  const hide = hider === null ? leaveName : makeHider(hider, key);
  const own = header === null ? null : readTagsHeader(header, hide);
  const from = tagsFrom();
  const origin: RequestOrigin = {
    ...UNKNOWN_ORIGIN,
    address,
    session: findSession(headers, session, hide),
    tags: from === undefined ? own : addHeaders(own, headers, from, hide),
    isCompaction,
    tool,
  };
  return trace === null && turn === null && line === null
    ? origin
    : addCarriers(origin, trace, turn, line, hide);
}

/** Adds what has brought the request: a trace, a WebSocket, a batch. */
function addCarriers(
  origin: RequestOrigin,
  trace: TraceContext | null,
  turn: RequestArrival["turn"],
  line: LineMark | null,
  hide: HideName,
): RequestOrigin {
  const traceIds = trace === null ? null : listTraceIds(trace);
  const socketId = turn === null ? origin.socketId : turn.socketId;
  if (line === null) return { ...origin, ...traceIds, socketId };
  const { terms, line: batchLine } = line;
  const customId = line.customId === null ? null : hide(line.customId);
  return { ...origin, ...traceIds, socketId, batchId: terms.batchId, batchLine, customId };
}

function readTagsHeader(given: string, hide: HideName): string | null {
  const tags = parseTags(given);
  if (tags !== null) return formatTags(mapValues(tags, (value) => hideTag(hide(value))));
  throw new Fault("invalid_value", `Invalid header '${TAGS_HEADER}': expected ${TAGS_EXPECTED}.`, {
    param: TAGS_HEADER,
  });
}

/** A tag has printable ASCII alone. */
function hideTag(value: string): string {
  const shown = hideSecret(value, "...");
  return holdsPoundkeySecret(shown) ? "[redacted]" : shown;
}

function mapValues(tags: Tags, map: (value: string) => string): Tags {
  return Object.fromEntries(Object.entries(tags).map(([name, value]) => [name, map(value)]));
}

/** Adds the tags of headers to those that the client names itself, which come first, as long as there is room. */
function addHeaders(
  own: string | null,
  headers: Headers,
  from: readonly TagHeader[],
  hide: HideName,
): string | null {
  const tags: Record<string, string> = own === null ? {} : { ...readTagsText(own) };
  for (const { tag, header } of from) {
    if (Object.hasOwn(tags, tag)) continue;
    const value = hideTag(cleanTagValue(tag, hide(headers.get(header) ?? "")));
    if (value !== "" && Object.keys(tags).length < TAGS_MAX) tags[tag] = value;
  }
  return Object.keys(tags).length === 0 ? null : formatTags(tags);
}

/** Returns an address as it is kept: whole, as its network (/24, or /48 of IPv6), or not at all. */
export function keepAddress(address: string, rule: AddressRule): string | null {
  if (rule === "off" || address === "") return null;
  return rule === "prefix" ? cutAddress(address) : address;
}

/** Returns the name of an agent's session as it came, by which conversations go. */
export function findGivenSession(
  { request }: Pick<RequestArrival, "request">,
  { session }: Pick<RequestSubject, "session">,
): string | null {
  return findSession(request.headers, session, leaveName);
}

function findSession(headers: Headers, named: string | null, hide: HideName): string | null {
  let session = readSession(named, hide);
  for (const header of SESSION_HEADERS) session ??= readSession(headers.get(header), hide);
  return session;
}

function readSession(given: string | null, hide: HideName): string | null {
  return given === null ? null : nameSession(hide(given));
}

type HideName = (name: string) => string;

function makeHider(hider: NameKeeper, key: GatewayKey): HideName {
  return (name) => hider.hide(key, name);
}

const leaveName: HideName = (name) => name;
