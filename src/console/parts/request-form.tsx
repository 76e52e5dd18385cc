// A request's form, made from the fields of its route's schema, with the same request as JSON beside it.
import { useState } from "preact/hooks";
import { Segments } from "./button.tsx";
import { SelectField, TextField } from "./field.tsx";
import { FileField } from "./file-field.tsx";
import { type FormField, findError, toRequest, type Values } from "./request-fields.ts";

/** The look of a route's fields, beyond what the schema says. */
export interface FormStyle {
  /** The fields shown first besides the required ones, with the initial values. */
  readonly first: Values;
  /** Texts of several lines. */
  readonly long?: readonly string[];
  /** The file types of a file field. */
  readonly accept?: string;
  /** Fields that are only edited as JSON, because answers are shown in one form. */
  readonly hidden?: readonly string[];
}

interface FormProps extends FormStyle {
  readonly fields: readonly FormField[];
  readonly values: Values;
  /** Called with null while the JSON can't be read. */
  readonly onValues: (values: Values | null) => void;
}

const MODES = [
  { value: "form", label: "Form" },
  { value: "json", label: "JSON" },
] as const;

export function RequestForm(props: FormProps) {
  const [mode, setMode] = useState<"form" | "json">("form");
  const { fields, values, onValues, first, hidden = [] } = props;
  const show = (mode: "form" | "json") => {
    // A broken text is dropped.
    onValues(values);
    setMode(mode);
  };
  const shown = fields.filter(({ name }) => !hidden.includes(name));
  const isFirst = ({ isRequired, name }: FormField) => isRequired || name in first;
  const list = (some: readonly FormField[]) => (
    <div class="two asking">
      {some.map((field) => (
        <OneField key={field.name} {...props} field={field} />
      ))}
    </div>
  );
  return (
    <>
      <div class="row">
        <Segments label="Edit the request as" options={MODES} value={mode} onChange={show} />
      </div>
      {mode === "json" ? (
        <JsonField {...props} />
      ) : (
        <>
          {list(shown.filter(isFirst).sort((a, b) => Number(b.isRequired) - Number(a.isRequired)))}
          <details class="stack">
            <summary>More fields</summary>
            {list(shown.filter((field) => !isFirst(field)))}
          </details>
        </>
      )}
    </>
  );
}

interface OneProps extends FormProps {
  readonly field: FormField;
}

function OneField({ field, values, onValues, long = [], accept = "" }: OneProps) {
  const { name, kind, label, hint, options, minimum, maximum, isWhole } = field;
  const given = values[name];
  const onInput = (value: unknown) => onValues({ ...values, [name]: value });
  const around = { label, hint, onInput, value: showTyped(given) };
  switch (kind) {
    case "file":
      return <FileField label={label} accept={accept} file={given} onFile={onInput} />;
    case "number": {
      const bounds = { min: minimum, max: maximum, step: isWhole ? 1 : ("any" as const) };
      return <TextField {...around} {...bounds} type="number" error={findError(field, given)} />;
    }
    case "choice":
      return <SelectField {...around} options={offer(options.map((one) => [one, one]))} />;
    case "switch":
      return <SelectField {...around} options={offer(SWITCH)} />;
    case "lines":
      return <TextField {...around} rows={5} />;
    case "text":
      return <TextField {...around} rows={long.includes(name) ? 3 : undefined} />;
  }
}

const SWITCH = [
  ["true", "yes"],
  ["false", "no"],
] as const;

function offer(options: readonly (readonly [value: string, label: string])[]) {
  return [{ value: "", label: "model default" }, ...options.map(([value, label]) => ({ value, label }))];
}

function showTyped(value: unknown): string {
  if (Array.isArray(value)) return value.map(showTyped).join("\n");
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
}

/** The request without its model, which is chosen above, and without files. */
function JsonField({ fields, values, onValues }: FormProps) {
  const files = Object.entries(values).filter(([, value]) => value instanceof File);
  const [text, setText] = useState(() => {
    const shown = Object.entries(toRequest(fields, values)).filter(([, value]) => !(value instanceof File));
    return JSON.stringify(Object.fromEntries(shown), null, 2);
  });
  const [error, setError] = useState<string | null>(null);
  const onInput = (next: string) => {
    setText(next);
    const read = parseObject(next);
    setError(read === null ? "This is not a JSON object." : null);
    onValues(read && { ...read, ...Object.fromEntries(files) });
  };
  const hint = `The model is chosen above. ${files.length > 0 ? "Files are sent as well." : ""}`.trim();
  return <TextField label="Request" rows={12} value={text} hint={hint} error={error} onInput={onInput} />;
}

function parseObject(text: string): Values | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
