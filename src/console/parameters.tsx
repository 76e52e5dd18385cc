// The system prompt and a chat completion's parameters, within their bounds; empty ones are left to the model.
import { TextField } from "./parts/field.tsx";

interface Bound {
  readonly name: string;
  readonly label: string;
  readonly min: number;
  readonly max?: number;
  readonly step: number;
}

const BOUNDS: readonly Bound[] = [
  { name: "temperature", label: "Temperature", min: 0, max: 2, step: 0.1 },
  { name: "top_p", label: "Top P", min: 0, max: 1, step: 0.05 },
  { name: "max_tokens", label: "Max tokens", min: 1, step: 1 },
  { name: "presence_penalty", label: "Presence penalty", min: -2, max: 2, step: 0.1 },
  { name: "frequency_penalty", label: "Frequency penalty", min: -2, max: 2, step: 0.1 },
  { name: "seed", label: "Seed", min: 0, step: 1 },
];

/** The parameters as typed. */
export type TypedValues = Readonly<Record<string, string>>;

function findError({ min, max, step }: Bound, text: string): string | null {
  if (text === "") return null;
  const value = Number(text);
  const isWhole = step !== 1 || Number.isInteger(value);
  if (!Number.isNaN(value) && value >= min && (max === undefined || value <= max) && isWhole) return null;
  return max === undefined ? `An integer, ${min} or more` : `From ${min} to ${max}`;
}

/** Returns the request's fields. Null if one is out of bounds. */
export function parseParameters(typed: TypedValues): Readonly<Record<string, number>> | null {
  if (BOUNDS.some((bound) => findError(bound, typed[bound.name] ?? "") !== null)) return null;
  const given = BOUNDS.filter(({ name }) => (typed[name] ?? "") !== "");
  return Object.fromEntries(given.map(({ name }) => [name, Number(typed[name])]));
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
    </section>
  );
}
