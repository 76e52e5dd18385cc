// A field for any number of models, and patterns of them: typed or picked from a list, shown as chips.
import { useState } from "preact/hooks";
import { SELECTORS, useModels } from "../frame/names.ts";
import { Field, type LabelProps } from "./field.tsx";
import { Icon } from "./icon.tsx";

const SHOWN_MAX = 8;

interface ChipsProps {
  readonly chosen: readonly string[];
  readonly onChange: (models: readonly string[]) => void;
}

interface ModelsFieldProps extends ChipsProps, LabelProps {
  /** Shown until a model is chosen. */
  readonly placeholder?: string;
  /** Names that may be chosen beside the models and selectors. */
  readonly others?: readonly string[];
}

export function ModelsField({ placeholder, others = [], chosen, onChange, ...labels }: ModelsFieldProps) {
  const [typed, setTyped] = useState("");
  const { on } = useModels();
  const known = [...SELECTORS.map((selector) => selector.id), ...others, ...on.map((model) => model.id)];
  const wanted = typed.trim().toLowerCase();
  const matching = known.filter((one) => one.toLowerCase().includes(wanted));
  const offered = wanted === "" ? [] : wanted.includes("*") ? [typed.trim()] : matching;
  const found = offered.filter((one) => !chosen.includes(one));
  const add = (model: string) => {
    onChange([...chosen, model]);
    setTyped("");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || wanted === "") return;
    event.preventDefault();
    const [first] = found;
    if (first) add(first);
  };
  return (
    <Field {...labels}>
      {(tied) => (
        <>
          <Chips chosen={chosen} onChange={onChange} />
          <input
            {...tied}
            type="text"
            autocomplete="off"
            spellcheck={false}
            placeholder={chosen.length === 0 ? placeholder : "Add another"}
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
            onKeyDown={onKeyDown}
          />
          {found.length > 0 && (
            <ul class="options" aria-label="Models found">
              {found.slice(0, SHOWN_MAX).map((model) => (
                <li key={model}>
                  <button type="button" onClick={() => add(model)}>
                    {model}
                  </button>
                </li>
              ))}
            </ul>
          )}
          {wanted !== "" && found.length === 0 && <span class="small faint">No enabled model matches.</span>}
        </>
      )}
    </Field>
  );
}

function Chips({ chosen, onChange }: ChipsProps) {
  if (chosen.length === 0) return null;
  return (
    <ul class="row" aria-label="Chosen models">
      {chosen.map((model) => (
        <li key={model} class="badge accent">
          {model}
          <button
            type="button"
            class="chip-remove"
            aria-label={`Remove ${model}`}
            onClick={() => onChange(chosen.filter((one) => one !== model))}
          >
            <Icon name="close" size={12} />
          </button>
        </li>
      ))}
    </ul>
  );
}
