// The system prompt and a chat completion's parameters, within their bounds; empty ones are left to the model.
import { SelectField, TextField } from "../parts/field.tsx";

interface ParameterBound {
  readonly name: string;
  readonly label: string;
  readonly min: number;
  readonly max?: number;
  readonly step: number;
}

const BOUNDS: readonly ParameterBound[] = [
  { name: "temperature", label: "Temperature", min: 0, max: 2, step: 0.1 },
  { name: "top_p", label: "Top P", min: 0, max: 1, step: 0.05 },
  { name: "max_tokens", label: "Max tokens", min: 1, step: 1 },
  { name: "presence_penalty", label: "Presence penalty", min: -2, max: 2, step: 0.1 },
  { name: "frequency_penalty", label: "Frequency penalty", min: -2, max: 2, step: 0.1 },
  { name: "seed", label: "Seed", min: 0, step: 1 },
];

/** The parameters as typed. */
export type TypedValues = Readonly<Record<string, string>>;

function findError({ min, max, step }: ParameterBound, text: string): string | null {
  if (text === "") return null;
  const value = Number(text);
  const isWhole = step !== 1 || Number.isInteger(value);
  if (!Number.isNaN(value) && value >= min && (max === undefined || value <= max) && isWhole) return null;
  return max === undefined ? `An integer, ${min} or more` : `From ${min} to ${max}`;
}

const EFFORTS = [
  { value: "", label: "Model default" },
  ...["none", "minimal", "low", "medium", "high"].map((value) => ({ value, label: value })),
];
const FORMS = [
  { value: "", label: "Text" },
  { value: "json_object", label: "JSON" },
  { value: "json_schema", label: "JSON by a schema" },
];
const SCHEMA_EXAMPLE =
  '{ "type": "object", "properties": { "answer": { "type": "string" } }, "required": ["answer"] }';
const TOOLS_EXAMPLE =
  '[{ "type": "function", "function": { "name": "weather", "parameters": { "type": "object", "properties": { "city": { "type": "string" } } } } }]';

/** Returns the JSON that was typed. Undefined if there is none, or it is no JSON. */
function parseJson(text: string | undefined): unknown {
  try {
    return text?.trim() ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

function findJsonError(text: string | undefined, isList: boolean): string | null {
  if (!text?.trim()) return null;
  const value = parseJson(text);
  const isRight = isList ? Array.isArray(value) : typeof value === "object" && !Array.isArray(value);
  return isRight ? null : isList ? "A list of tools, as JSON" : "A JSON schema";
}

function isSchemaMissing({ form, schema }: TypedValues): boolean {
  return form === "json_schema" && (!schema?.trim() || findJsonError(schema, false) !== null);
}

function makeForm({ form, schema }: TypedValues): object {
  if (form === "json_object") return { response_format: { type: form } };
  if (form !== "json_schema") return {};
  return { response_format: { type: form, json_schema: { name: "answer", schema: parseJson(schema) } } };
}

/** Returns the request's fields. Null if one is out of bounds. */
export function parseParameters(typed: TypedValues): Readonly<Record<string, unknown>> | null {
  if (BOUNDS.some((bound) => findError(bound, typed[bound.name] ?? "") !== null)) return null;
  if (findJsonError(typed.tools, true) !== null || isSchemaMissing(typed)) return null;
  const given = BOUNDS.filter(({ name }) => (typed[name] ?? "") !== "");
  const tools = parseJson(typed.tools);
  return {
    ...Object.fromEntries(given.map(({ name }) => [name, Number(typed[name])])),
    ...(typed.effort ? { reasoning_effort: typed.effort } : {}),
    ...makeForm(typed),
    ...(tools === undefined ? {} : { tools }),
  };
}

interface ParametersProps {
  readonly typed: TypedValues;
  readonly onChange: (typed: TypedValues) => void;
}

export function Parameters({ typed, onChange }: ParametersProps) {
  return (
    <section class="card card-body stack tuning" aria-label="Parameters">
      <TextField
        label="System prompt"
        rows={2}
        placeholder="You are a helpful assistant."
        value={typed.system ?? ""}
        onInput={(system) => onChange({ ...typed, system })}
      />
      <div class="parameters">
        {BOUNDS.map((bound) => {
          const { name, label, min, max, step } = bound;
          const value = typed[name] ?? "";
          return (
            <TextField
              key={name}
              label={label}
              type="number"
              {...{ min, max, step }}
              placeholder="model default"
              value={value}
              onInput={(text) => onChange({ ...typed, [name]: text })}
              error={findError(bound, value)}
            />
          );
        })}
      </div>
      <Extras typed={typed} onChange={onChange} />
    </section>
  );
}

/** Reasoning, the answer's form and the tools. */
function Extras({ typed, onChange }: ParametersProps) {
  const tie = (name: string) => ({
    value: typed[name] ?? "",
    onInput: (text: string) => onChange({ ...typed, [name]: text }),
  });
  return (
    <>
      <div class="two">
        <SelectField label="Reasoning effort" options={EFFORTS} {...tie("effort")} />
        <SelectField label="Form of the answer" options={FORMS} {...tie("form")} />
      </div>
      {typed.form === "json_schema" && (
        <TextField
          label="JSON schema"
          rows={4}
          placeholder={SCHEMA_EXAMPLE}
          error={findJsonError(typed.schema, false)}
          {...tie("schema")}
        />
      )}
      <TextField
        label="Tools"
        rows={2}
        placeholder={TOOLS_EXAMPLE}
        hint="As JSON. Their calls are shown, and not carried out."
        error={findJsonError(typed.tools, true)}
        {...tie("tools")}
      />
    </>
  );
}
