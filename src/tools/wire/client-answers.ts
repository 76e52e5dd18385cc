// Results as clients of each era read them, whichever era their server spoke.
import { asArray, changeFields, isObject, type JsonObject } from "../../core/json/json.ts";
import { makeResourceUri } from "../names.ts";
import { type Era, META, negotiateVersion, VERSIONS } from "./eras.ts";
import { isCached, type MethodName } from "./methods.ts";

/** The time for which clients of the newer era may keep a list. */
export const LIST_TTL_MS = 60_000;
const INSTRUCTIONS_CHARACTERS_MAX = 4000;

/** The gateway as a server: what a client learns at the start. */
interface ServerOffer {
  readonly version: string;
  /** Prompts and resources are only announced if the key sees some. */
  readonly hasPrompts: boolean;
  readonly hasResources: boolean;
  /** True if clients may listen for changes. */
  readonly canListen: boolean;
  /** The server's own at its own address, or null. */
  readonly instructions: string | null;
}

function listCapabilities({ hasPrompts, hasResources, canListen }: ServerOffer): JsonObject {
  const changes = canListen ? { listChanged: true } : {};
  return {
    tools: changes,
    ...(hasPrompts ? { prompts: changes } : {}),
    ...(hasResources ? { resources: changes } : {}),
  };
}

function cutInstructions({ instructions }: ServerOffer): JsonObject {
  if (instructions === null || instructions === "") return {};
  return { instructions: instructions.slice(0, INSTRUCTIONS_CHARACTERS_MAX).toWellFormed() };
}

export function writeInitialize(asked: unknown, offer: ServerOffer): JsonObject {
  return {
    protocolVersion: negotiateVersion(asked),
    capabilities: listCapabilities(offer),
    serverInfo: { name: "poundkey", version: offer.version },
    ...cutInstructions(offer),
  };
}

export function writeDiscover(offer: ServerOffer): JsonObject {
  return {
    resultType: "complete",
    supportedVersions: VERSIONS,
    capabilities: listCapabilities(offer),
    ...cutInstructions(offer),
    ttlMs: LIST_TTL_MS,
    cacheScope: "private",
    _meta: { [META.serverInfo]: { name: "poundkey", version: offer.version } },
  };
}

const NEWER_FIELDS = ["resultType", "ttlMs", "cacheScope"];

/** Returns the result as the era has it. Nothing is `public`: each list is for one key. */
export function fitResult(result: JsonObject, method: MethodName, era: Era): JsonObject {
  if (era === "newer") {
    const caching = isCached(method) ? { ttlMs: readTtl(result, method), cacheScope: "private" } : {};
    return { ...result, resultType: "complete", ...caching };
  }
  // Older clients reject a whole result whose structured content is no object.
  const isOdd = "structuredContent" in result && !isObject(result.structuredContent);
  const isNewer = "resultType" in result || "ttlMs" in result || "cacheScope" in result;
  if (!isOdd && !isNewer) return result;
  const removed: JsonObject = {};
  for (const field of NEWER_FIELDS) if (field in result) removed[field] = undefined;
  if (isOdd) removed.structuredContent = undefined;
  return changeFields(result, removed);
}

function readTtl({ ttlMs }: JsonObject, method: MethodName): number {
  if (method !== "resources/read") return LIST_TTL_MS;
  return typeof ttlMs === "number" && ttlMs >= 0 && Number.isSafeInteger(ttlMs) ? ttlMs : 0;
}

/** Returns the result with its resources' addresses as they are among those of all servers. */
export function nameResources(result: JsonObject, server: string): JsonObject {
  const { content, contents, messages } = result;
  const isText = contents === undefined && messages === undefined && !hasResource(content);
  if (isText) return result;
  const changes: JsonObject = {};
  if (Array.isArray(content)) changes.content = content.map((part) => namePart(part, server));
  if (Array.isArray(contents)) changes.contents = contents.map((one) => nameUri(one, server));
  if (Array.isArray(messages)) {
    changes.messages = asArray(messages).map((message) =>
      isObject(message) ? { ...message, content: namePart(message.content, server) } : message,
    );
  }
  return changeFields(result, changes);
}

/** True for content that may name a resource, which that of few calls does. */
function hasResource(content: unknown): boolean {
  if (!Array.isArray(content)) return false;
  for (const part of content) if (isObject(part) && isResource(part)) return true;
  return false;
}

function isResource({ type }: JsonObject): boolean {
  return type === "resource" || type === "resource_link";
}

function namePart(part: unknown, server: string): unknown {
  if (!isObject(part)) return part;
  if (part.type === "resource_link") return nameUri(part, server);
  return part.type === "resource" ? { ...part, resource: nameUri(part.resource, server) } : part;
}

function nameUri(holder: unknown, server: string): unknown {
  if (!isObject(holder) || typeof holder.uri !== "string") return holder;
  return { ...holder, uri: makeResourceUri(server, holder.uri) };
}
