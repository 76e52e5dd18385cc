// A server's account of itself at the start, and the answers that mean that it speaks the other era.
import { asArray, asObject, asString, type JsonObject } from "../../core/json/json.ts";
import type { ToolProtocolError } from "../../core/tools/tool-reply.ts";
import { CODES, type Era, META, NEWER_VERSION, UNNAMED_VERSION } from "./eras.ts";

export interface ServerFacts {
  readonly era: Era;
  readonly version: string;
  /** The server's own name and version, for the operator. */
  readonly name: string | null;
  readonly release: string | null;
  readonly instructions: string | null;
  readonly hasTools: boolean;
  readonly hasPrompts: boolean;
  readonly hasResources: boolean;
  /** True if it announces changes of its lists. */
  readonly announces: boolean;
  /** True if it has given a session. */
  readonly hasSessions: boolean;
}

const TEXT_MAX = 100;
const INSTRUCTIONS_MAX = 16_384;

function readText(value: unknown, most: number): string | null {
  return asString(value)?.slice(0, most).toWellFormed() ?? null;
}

function readCapabilities(value: unknown) {
  const { tools, prompts, resources } = asObject(value);
  const announces = [tools, prompts, resources].some((one) => asObject(one).listChanged === true);
  return {
    // A server that announces nothing at all most often has tools.
    hasTools: tools !== undefined || (prompts === undefined && resources === undefined),
    hasPrompts: prompts !== undefined,
    hasResources: resources !== undefined,
    announces,
  };
}

/** Reads a result of `server/discover`. Returns null if it doesn't speak the newer version. */
export function readDiscover(result: JsonObject): ServerFacts | null {
  if (!asArray(result.supportedVersions).includes(NEWER_VERSION)) return null;
  const { name, version } = asObject(asObject(result._meta)[META.serverInfo]);
  return {
    era: "newer",
    version: NEWER_VERSION,
    name: readText(name, TEXT_MAX),
    release: readText(version, TEXT_MAX),
    instructions: readText(result.instructions, INSTRUCTIONS_MAX),
    ...readCapabilities(result.capabilities),
    hasSessions: false,
  };
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Reads a result of `initialize`. Returns null for a version that has none. Some servers speak this transport and call it
 * 2024-11-05: they are taken at their word.
 */
export function readInitialize(result: JsonObject, hasSessions: boolean): ServerFacts | null {
  const version = asString(result.protocolVersion) ?? UNNAMED_VERSION;
  if (!DATE.test(version) || version >= NEWER_VERSION) return null;
  const info = asObject(result.serverInfo);
  return {
    era: "older",
    version,
    name: readText(info.name, TEXT_MAX),
    release: readText(info.version, TEXT_MAX),
    instructions: readText(result.instructions, INSTRUCTIONS_MAX),
    ...readCapabilities(result.capabilities),
    hasSessions,
  };
}

/** An answer to one request, as far as it tells the era. */
interface AnswerSigns {
  readonly status: number;
  readonly error: ToolProtocolError | null;
}

/** Servers that have sessions refuse unknown ones in these words, in 400 as well as in 404. */
const SESSION_WORDS = /\bsession\b|not initialized/i;

/** True if the server says that it doesn't know the session, so that nothing was carried out. */
export function isUnknownSession({ status, error }: AnswerSigns, era: Era): boolean {
  if (era === "newer" || isNewerError(error)) return false;
  if (status === 404) return error?.code !== CODES.method;
  return status === 400 && error !== null && SESSION_WORDS.test(error.message);
}

/** True if the server says that it speaks the other era, so that nothing was carried out. */
export function isOtherEra(signs: AnswerSigns, era: Era): boolean {
  const { status, error } = signs;
  if (era === "older") return status === 400 && isNewerError(error);
  if (error?.code === CODES.version) return true;
  if (isNewerError(error)) return false;
  return status === 404 || (status === 400 && (error === null || SESSION_WORDS.test(error.message)));
}

/** True for the errors that only servers of the newer era give. */
function isNewerError(error: ToolProtocolError | null): boolean {
  return error?.code === CODES.headers || error?.code === CODES.capability || error?.code === CODES.version;
}

const CLIENT_ERROR = 400;
const SERVER_ERROR = 500;

/** True if a server that refused `server/discover` may speak the older era. */
export function mayBeOlder({ status, error }: AnswerSigns): boolean {
  if (error?.code === CODES.headers || error?.code === CODES.capability) return false;
  return error !== null || (status >= CLIENT_ERROR && status < SERVER_ERROR);
}
