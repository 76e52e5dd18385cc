// Fields by which other APIs ask for the form of an answer, such as a schema. Left out, they would be missed only once the answer
// doesn't parse.
import { Fault } from "../../core/faults/fault.ts";
import { asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import type { SurfaceName } from "../../core/log/record.ts";

/** Each surface's own way to ask for it. */
const OWN: Partial<Readonly<Record<SurfaceName, string>>> = {
  "openai-chat": `'response_format': {"type": "json_schema", "json_schema": {"name": "…", "schema": {…}}}`,
  "openai-responses": `'text': {"format": {"type": "json_schema", "name": "…", "schema": {…}}}`,
  "anthropic-messages": `'output_config': {"format": {"type": "json_schema", "schema": {…}}}`,
  gemini: `'generationConfig': {"responseMimeType": "application/json", "responseSchema": {…}}`,
};

type IsAsking = (value: unknown) => boolean;

const asksForJson: IsAsking = (value) => asString(value) === "application/json";
/** OpenAI's and Anthropic's forms have a type. That of a plain text asks for nothing. */
const hasForm: IsAsking = (value) => /^json/.test(asString(asObject(value).type) ?? "");
const holdsForm: IsAsking = (value) => hasForm(asObject(value).format);

function holdsSchema(value: unknown): boolean {
  const { responseSchema, responseJsonSchema, responseMimeType, ...other } = asObject(value);
  const { response_schema: schema, response_mime_type: type } = other;
  return (
    [responseSchema, responseJsonSchema, schema].some(isObject) || [responseMimeType, type].some(asksForJson)
  );
}

const FIELDS: Readonly<Record<string, IsAsking>> = {
  response_schema: isObject,
  responseSchema: isObject,
  response_mime_type: asksForJson,
  responseMimeType: asksForJson,
  generationConfig: holdsSchema,
  generation_config: holdsSchema,
  response_format: hasForm,
  output_format: hasForm,
  output_config: holdsForm,
  text: holdsForm,
};

/** Throws the Fault of another API's field that asks for the form of the answer, with this surface's own. */
export function refuseForeignForm(name: SurfaceName, fields: ReadonlySet<string>, given: JsonObject): void {
  const own = OWN[name];
  if (own === undefined) return;
  const field = Object.keys(FIELDS).find((one) => !fields.has(one) && FIELDS[one]?.(given[one]));
  if (field === undefined) return;
  const message = `'${field}' is another API's field for the form of the answer. Here, ask for it by ${own}.`;
  throw new Fault("unknown_parameter", message, { param: field });
}
