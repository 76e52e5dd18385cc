// Arguments of a tool that its schema wants in headers of the newer era (`x-mcp-header`).
import { isObject, type JsonObject } from "../../core/json/json.ts";
import { decodeHeaderValue, encodeHeaderValue } from "./encoded-value.ts";

export interface HeaderParameter {
  /** The header's whole name, in lower case. */
  readonly header: string;
  /** The properties that lead to the argument. */
  readonly path: readonly string[];
}

const ANNOTATION = "x-mcp-header";
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
const TYPES: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);
/** These hold values, and no schemas. */
const VALUES: ReadonlySet<string> = new Set(["default", "const", "enum", "examples"]);
/** More are no headers that a server would take. */
const PARAMETERS_MAX = 64;

/** A schema's annotations, read so far. */
interface AnnotationReading {
  readonly found: HeaderParameter[];
  reason: string | null;
}

/** Returns a schema's parameters, or the reason for which the protocol wants the tool left out. */
export function readHeaderParameters(schema: JsonObject): readonly HeaderParameter[] | string {
  const reading: AnnotationReading = { found: [], reason: null };
  readNode(schema, [], reading);
  const { found, reason } = reading;
  if (reason !== null) return reason;
  if (found.length > PARAMETERS_MAX) return `more than ${PARAMETERS_MAX} arguments in headers`;
  const isDoubled = new Set(found.map(({ header }) => header)).size < found.length;
  return isDoubled ? `\`${ANNOTATION}\` names a header twice` : found;
}

/** `path` is null where properties alone don't lead. */
function readNode(node: JsonObject, path: readonly string[] | null, reading: AnnotationReading): void {
  if (ANNOTATION in node) readAnnotation(node, path, reading);
  for (const [key, value] of Object.entries(node)) {
    if (key === "properties" && isObject(value)) {
      for (const [name, one] of Object.entries(value))
        if (isObject(one)) readNode(one, path && [...path, name], reading);
    } else if (!VALUES.has(key)) readBeside(value, reading);
  }
}

function readBeside(value: unknown, reading: AnnotationReading): void {
  if (Array.isArray(value)) for (const item of value) readBeside(item, reading);
  else if (isObject(value)) readNode(value, null, reading);
}

function readAnnotation(node: JsonObject, path: readonly string[] | null, reading: AnnotationReading): void {
  const name = node[ANNOTATION];
  if (typeof name !== "string" || !TOKEN.test(name)) reading.reason = `\`${ANNOTATION}\` is no header's name`;
  else if (path === null || path.length === 0)
    reading.reason = `\`${ANNOTATION}\` stands where properties alone don't lead`;
  else if (!TYPES.has(node.type))
    reading.reason = `\`${ANNOTATION}\` stands at an argument that is no string, integer or boolean`;
  else reading.found.push({ header: `mcp-param-${name.toLowerCase()}`, path });
}

/** Returns the argument as text, or null if no header is sent for it. */
function findValue(path: readonly string[], given: JsonObject): string | null {
  let value: unknown = given;
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  const isText = typeof value === "string" || typeof value === "boolean";
  return isText || Number.isSafeInteger(value) ? String(value) : null;
}

export function writeParameters(
  parameters: readonly HeaderParameter[],
  given: JsonObject,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const { header, path } of parameters) {
    const value = findValue(path, given);
    if (value !== null) headers[header] = encodeHeaderValue(value);
  }
  return headers;
}

/** Returns the first difference between the headers and the arguments, or null. */
export function compareParameters(
  parameters: readonly HeaderParameter[],
  given: JsonObject,
  getHeader: (name: string) => string | null,
): string | null {
  for (const { header, path } of parameters) {
    const sent = getHeader(header);
    const value = findValue(path, given);
    if (sent === null && value !== null) return `${header} is missing`;
    if (sent === null) continue;
    const decoded = decodeHeaderValue(sent);
    if (decoded === null) return `${header} has invalid characters`;
    if (value === null || !isSame(decoded, value)) return `${header} does not match the argument`;
  }
  return null;
}

const NUMBER = /^-?\d+(\.0+)?$/;

/** Integers are compared as numbers: `42.0` is 42. */
function isSame(sent: string, value: string): boolean {
  return sent === value || (NUMBER.test(sent) && NUMBER.test(value) && Number(sent) === Number(value));
}
