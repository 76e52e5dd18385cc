// A field to choose one of many by typing a part of it, such as a model: the keyboard's arrows, Enter and Escape work.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Option } from "./button.tsx";
import { Icon } from "./icon.tsx";

export interface Choice extends Option<string> {
  /** Further text in small print. */
  readonly note?: string | undefined;
}

/** Leaves out what a list has twice. */
export function unifyChoices(options: readonly Choice[]): readonly Choice[] {
  return [...new Map(options.toReversed().map((one) => [one.value, one])).values()].toReversed();
}

/** Adds the chosen one, since lists have only the latest names. */
export function addChoice(options: readonly Choice[], value: string, label: string): readonly Choice[] {
  const isThere = value === "" || options.some((option) => option.value === value);
  return isThere ? options : [{ value, label }, ...options];
}

interface ComboboxProps {
  readonly label: string;
  /** Ties the field to its visible label and hint. Missing if it has none. */
  readonly tied?: { readonly id: string; readonly "aria-describedby": string | undefined };
  readonly value: string;
  readonly options: readonly Choice[];
  readonly onChoose: (value: string) => void;
  /** Shown while nothing is chosen. */
  readonly placeholder?: string;
  /** Called with a part of an option's text, which is offered first. Missing if only whole options can be chosen. */
  readonly onText?: (text: string) => void;
  /** Called with what is typed, and with nothing when the list is opened. */
  readonly onType?: (text: string) => void;
  /** True if the choice can be taken back. */
  readonly isClearable?: boolean;
}

/** More than these would only slow down the page: a longer text finds the others. */
const SHOWN_MAX = 60;

/** Returns the options that contain all words of a text: those that begin with it first. */
function findOptions(options: readonly Choice[], text: string): readonly Choice[] {
  const wanted = text.trim().toLowerCase();
  const words = wanted.split(/\s+/);
  const nameOf = ({ label, note = "" }: Choice) => `${label} ${note}`.toLowerCase();
  const found = options.filter((one) => words.every((word) => nameOf(one).includes(word)));
  const isFirst = (one: Choice) => nameOf(one).startsWith(wanted);
  return [...found.filter(isFirst), ...found.filter((one) => !isFirst(one))];
}

/** Stands for the text itself. No option has this value. */
const PART = "\n";

function listFound({ options, onText }: ComboboxProps, text: string): readonly Choice[] {
  const found = findOptions(options, text);
  const wanted = text.trim().toLowerCase();
  if (!onText || wanted === "" || found.some(({ label }) => label.toLowerCase() === wanted)) return found;
  return [{ value: PART, label: `All with “${text.trim()}”` }, ...found];
}

/** The list's state: what is typed, and which option the arrows have reached. Null while it is closed. */
interface OpenList {
  readonly text: string;
  readonly at: number;
}

export function Combobox(props: ComboboxProps) {
  const { label, value, options, placeholder, isClearable } = props;
  const id = useId();
  const [open, setState] = useState<OpenList | null>(null);
  const setOpen = (next: OpenList | null) => {
    if (next !== null && next.text !== open?.text) props.onType?.(next.text);
    setState(next);
  };
  const found = open === null ? [] : listFound(props, open.text);
  const shown = found.slice(0, SHOWN_MAX);
  const chosen = options.find((one) => one.value === value)?.label ?? value;
  const choose = (next: string) => {
    setOpen(null);
    if (open && next === PART) props.onText?.(open.text.trim());
    else if (next !== value) props.onChoose(next);
  };
  const onKeyDown = makeKeys({ open, shown, setOpen, choose });
  const active = open && shown[open.at] ? `${id}-${open.at}` : undefined;
  return (
    <div class="combobox">
      <input
        {...(props.tied ?? { "aria-label": label })}
        class="input"
        role="combobox"
        aria-expanded={open !== null}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={active}
        autocomplete="off"
        spellcheck={false}
        placeholder={placeholder ?? label}
        value={open === null ? chosen : open.text}
        onClick={() => open === null && setOpen({ text: "", at: 0 })}
        onInput={(event) => setOpen({ text: event.currentTarget.value, at: 0 })}
        onKeyDown={onKeyDown}
        onBlur={() => setOpen(null)}
      />
      {isClearable && value !== "" && open === null && (
        <ClearButton label={label} onClick={() => choose("")} />
      )}
      {open !== null && (
        <Listbox id={id} label={label} options={shown} at={open.at} onChoose={choose}>
          {found.length > shown.length && `${found.length - shown.length} more: type to narrow them down`}
          {found.length === 0 && "Nothing matches"}
        </Listbox>
      )}
    </div>
  );
}

function ClearButton({ label, onClick }: { readonly label: string; readonly onClick: () => void }) {
  return (
    <button type="button" class="combobox-clear" onClick={onClick}>
      <Icon name="close" size={12} />
      <span class="hidden-text">Any {label.toLowerCase()}</span>
    </button>
  );
}

interface KeysProps {
  readonly open: OpenList | null;
  readonly shown: readonly Choice[];
  readonly setOpen: (open: OpenList | null) => void;
  readonly choose: (value: string) => void;
}

function makeKeys({ open, shown, setOpen, choose }: KeysProps) {
  const move = (by: number) => {
    if (open === null) return setOpen({ text: "", at: 0 });
    const count = Math.max(1, shown.length);
    setOpen({ ...open, at: (open.at + by + count) % count });
  };
  const enter = () => {
    const one = open && shown[open.at];
    if (one) return choose(one.value);
    setOpen(null);
  };
  const actions: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    ...(open === null ? {} : { Enter: enter, Escape: () => setOpen(null) }),
  };
  return (event: KeyboardEvent) => {
    const act = actions[event.key];
    if (!act || event.isComposing) return;
    // Escape would also close a dialog around the field, and Enter send its form.
    event.preventDefault();
    event.stopPropagation();
    act();
  };
}

interface ListboxProps {
  readonly id: string;
  readonly label: string;
  readonly options: readonly Choice[];
  readonly at: number;
  readonly onChoose: (value: string) => void;
  readonly children: ComponentChildren;
}

function Listbox({ id, label, options, at, onChoose, children }: ListboxProps) {
  const active = useRef<HTMLDivElement>(null);
  useEffect(() => active.current?.scrollIntoView({ block: "nearest" }), [at]);
  return (
    <div class="combobox-list">
      <div role="listbox" id={`${id}-list`} aria-label={label}>
        {options.map((option, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field's own keys choose an option.
          <div
            key={option.value}
            ref={index === at ? active : undefined}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            // The field keeps the focus, so that it isn't left before the click.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onChoose(option.value)}
          >
            {option.label} {option.note && <span class="small faint">{option.note}</span>}
          </div>
        ))}
      </div>
      {children && <p class="small faint">{children}</p>}
    </div>
  );
}
