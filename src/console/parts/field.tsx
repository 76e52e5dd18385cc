// Form fields, linked to their label, hint and error.
import type { ComponentChildren, JSX } from "preact";
import { useContext, useId } from "preact/hooks";
import type { Option } from "./button.tsx";
import { FieldErrors } from "./form-errors.ts";
import { Icon } from "./icon.tsx";

export interface LabelProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | null;
}

interface FieldProps extends LabelProps {
  /** Renders the input element. */
  readonly children: (tied: {
    readonly id: string;
    readonly class: string;
    readonly "aria-describedby": string | undefined;
    readonly "aria-invalid": "true" | undefined;
  }) => JSX.Element;
}

export function Field({ label, hint, error: given, children }: FieldProps) {
  const id = useId();
  const error = useContext(FieldErrors).get(id) ?? given;
  const below = error || hint ? `${id}-below` : undefined;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        class: "input",
        "aria-describedby": below,
        "aria-invalid": error ? "true" : undefined,
      })}
      {error ? (
        <span id={below} class="field-error" role="alert">
          {error}
        </span>
      ) : (
        hint && (
          <span id={below} class="small faint">
            {hint}
          </span>
        )
      )}
    </div>
  );
}

const TYPES = {
  text: { type: "text" },
  password: { type: "password" },
  number: { type: "number" },
  count: { type: "number", min: 0 },
  amount: { type: "number", min: 0, step: "any" },
  date: { type: "date" },
  moment: { type: "datetime-local" },
} as const;

interface TextProps extends LabelProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: keyof typeof TYPES;
  readonly placeholder?: string;
  readonly isRequired?: boolean;
  readonly isFocused?: boolean;
  readonly autocomplete?: string;
  readonly min?: number;
  readonly max?: number | undefined;
  readonly step?: number | "any";
  readonly name?: string;
  /** The height of a multi-line text. Missing if it has one line. */
  readonly rows?: number | undefined;
}

export function TextField(props: TextProps) {
  const { label, hint, error, onInput, isRequired, isFocused, type = "text", rows, ...rest } = props;
  return (
    <Field label={label} hint={hint} error={error}>
      {(tied) =>
        rows === undefined ? (
          <input
            {...rest}
            {...TYPES[type]}
            {...tied}
            required={isRequired}
            autofocus={isFocused}
            spellcheck={false}
            onInput={(event) => onInput(event.currentTarget.value)}
          />
        ) : (
          <textarea
            {...tied}
            value={rest.value}
            placeholder={rest.placeholder}
            rows={rows}
            onInput={(event) => onInput(event.currentTarget.value)}
          />
        )
      }
    </Field>
  );
}

export interface SelectProps extends LabelProps {
  readonly value: string;
  /** True if the option without a value can't be chosen. */
  readonly isRequired?: boolean;
  readonly options: readonly Option<string>[];
  readonly onInput: (value: string) => void;
}

function Options({ options }: Pick<SelectProps, "options">) {
  return options.map(({ value, label }) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));
}

export function SelectField({ value, options, isRequired, onInput, ...around }: SelectProps) {
  return (
    <Field {...around}>
      {(tied) => (
        <select
          {...tied}
          value={value}
          required={isRequired}
          onChange={(event) => onInput(event.currentTarget.value)}
        >
          <Options options={options} />
        </select>
      )}
    </Field>
  );
}

interface FilterProps extends SelectProps {
  /** Groups of further options. */
  readonly children?: ComponentChildren;
}

/** A select without a visible label, described by its first option. */
export function Filter({ label, value, options, onInput, children }: FilterProps) {
  return (
    <select
      class="input"
      aria-label={label}
      value={value}
      onChange={(event) => onInput(event.currentTarget.value)}
    >
      <Options options={options} />
      {children}
    </select>
  );
}

interface SearchProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly isFocused?: boolean;
}

export function SearchField({ label, value, onInput, isFocused }: SearchProps) {
  return (
    <div class="with-icon grow">
      <Icon name="search" />
      <input
        class="input"
        type="search"
        autofocus={isFocused}
        aria-label={label}
        placeholder={label}
        value={value}
        spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </div>
  );
}

interface CheckProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

export function Check({ label, isOn, onChange }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  );
}
