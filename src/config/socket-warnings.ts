// Warnings about bounds on WebSockets that do nothing, since another is met first.
import type { Settings, SocketRules } from "../core/settings.ts";
import type { Issue } from "./errors.ts";
import type { Config } from "./schema.ts";

type SocketField = keyof NonNullable<NonNullable<Config["responses"]>["sockets"]>;

/** Each has the bound above it. */
const NESTED: readonly (readonly [SocketField, keyof SocketRules, SocketField, keyof SocketRules])[] = [
  ["per_key", "perKeyMax", "per_account", "perAccountMax"],
  ["per_account", "perAccountMax", "all", "allMax"],
  ["bytes", "bytesMax", "bytes_per_account", "accountBytesMax"],
  ["bytes_per_account", "accountBytesMax", "memory", "memoryBytesMax"],
  ["idle", "idleMs", "age", "ageMs"],
];

/** Beyond so many times `body_memory`, unfinished frames could hold more than the machine was given for bodies. */
const FRAMES_MAX = 4;

export function warnOfSockets(
  { responses = {} }: Config,
  { server, responses: { sockets: rules } }: Pick<Settings, "server" | "responses">,
): readonly Issue[] {
  const { sockets: given = {} } = responses;
  const warn = (field: SocketField, message: string): Issue => ({
    path: ["responses", "sockets", field],
    at: "value",
    message,
  });
  const nested = NESTED.filter(
    ([field, own, above, upper]) =>
      (given[field] ?? given[above]) !== undefined && Number(rules[own]) > Number(rules[upper]),
  ).map(([field, , above]) => {
    const name = given[field] === undefined ? above : field;
    return warn(name, `${field} has no effect: it is above ${above}, which is met first`);
  });
  const isLong = given.frame !== undefined && rules.frameBytesMax > server.bodyBytesMax;
  const frame = isLong ? [warn("frame", "has no effect above server.body_limit, which also holds")] : [];
  return [
    ...nested,
    ...frame,
    ...warnOfFrames(given, rules, server.bodyMemoryBytes).map(([at, text]) => warn(at, text)),
  ];
}

function warnOfFrames(
  given: NonNullable<NonNullable<Config["responses"]>["sockets"]>,
  { allMax, frameBytesMax }: SocketRules,
  bodyMemoryBytes: number,
): readonly (readonly [SocketField, string])[] {
  const at = given.all !== undefined ? "all" : given.frame !== undefined ? "frame" : null;
  if (at === null || allMax * frameBytesMax <= FRAMES_MAX * bodyMemoryBytes) return [];
  const message = `all × frame is above ${FRAMES_MAX} × server.body_memory: so much could be held for frames that aren't whole yet`;
  return [[at, message]];
}
