// A field for any number of names, and patterns of them: typed or picked from a list, shown as chips.
import { useState } from "preact/hooks";
import { Field, type LabelProps } from "../field.tsx";
import { Icon } from "../icon.tsx";

const SHOWN_MAX = 8;

interface ChipsProps {
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  /** The word for the names, such as `models`. */
  readonly things: string;
}

interface ChipsFieldProps extends ChipsProps, LabelProps {
  /** The names that may be picked. */
  readonly known: readonly string[];
  /** True if any name may be typed. If missing, only known ones and patterns. */
  readonly takesAny?: boolean;
  /** Shown until one is chosen. */
  readonly placeholder?: string | undefined;
}

export function ChipsField({ known, takesAny = false, placeholder, ...props }: ChipsFieldProps) {
  const { chosen, onChange, things, ...labels } = props;
  const [typed, setTyped] = useState("");
  const wanted = typed.trim();
  const offered = wanted === "" ? [] : listOffered(wanted, known, takesAny);
  const found = offered.filter((one) => !chosen.includes(one));
  const add = (name: string) => {
    onChange([...chosen, name]);
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
          <Chips chosen={chosen} onChange={onChange} things={things} />
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
            <ul class="options" aria-label={`${things.charAt(0).toUpperCase()}${things.slice(1)} found`}>
              {found.slice(0, SHOWN_MAX).map((name) => (
                <li key={name}>
                  <button type="button" onClick={() => add(name)}>
                    {name}
                  </button>
                </li>
              ))}
            </ul>
          )}
          {wanted !== "" && found.length === 0 && (
            <span class="small faint">None of the {things} here matches.</span>
          )}
        </>
      )}
    </Field>
  );
}

function listOffered(wanted: string, known: readonly string[], takesAny: boolean): readonly string[] {
  if (wanted.includes("*")) return [wanted];
  const matching = known.filter((one) => one.toLowerCase().includes(wanted.toLowerCase()));
  return takesAny && !matching.includes(wanted) && !/\s/.test(wanted) ? [...matching, wanted] : matching;
}

function Chips({ chosen, onChange, things }: ChipsProps) {
  if (chosen.length === 0) return null;
  return (
    <ul class="row" aria-label={`Chosen ${things}`}>
      {chosen.map((name) => (
        <li key={name} class="badge accent">
          {name}
          <button
            type="button"
            class="chip-remove"
            aria-label={`Remove ${name}`}
            onClick={() => onChange(chosen.filter((one) => one !== name))}
          >
            <Icon name="close" size={12} />
          </button>
        </li>
      ))}
    </ul>
  );
}
