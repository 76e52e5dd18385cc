// Buttons: plain ones, groups with one selected, and one that copies.
import { useEffect, useState } from "preact/hooks";
import { copyText, runAfter } from "../browser.ts";
import { Icon, type IconName } from "./icon.tsx";

interface ButtonProps {
  readonly label: string;
  /** The object of the action. Only screen readers read it, after the label. */
  readonly about?: string;
  readonly kind?: "main" | "danger-main" | "quiet";
  readonly icon?: IconName;
  /** Shows only the icon; screen readers read the text, and pointing at it shows it. */
  readonly isIconOnly?: boolean;
  readonly isTiny?: boolean;
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
  readonly type?: "button" | "submit";
  readonly form?: string;
  readonly onClick?: (event: MouseEvent) => void;
}

export function Button(props: ButtonProps) {
  const { label, about, kind, icon, isIconOnly, isTiny, isBusy, isDisabled } = props;
  const look = ["button", kind, isTiny && "tiny", isIconOnly && "icon-only"].filter(Boolean).join(" ");
  return (
    <button
      class={look}
      type={props.type ?? "button"}
      form={props.form}
      disabled={isDisabled || isBusy}
      aria-busy={isBusy}
      title={isIconOnly ? label : undefined}
      onClick={props.onClick}
    >
      {icon && <Icon name={icon} />}
      {isIconOnly ? <span class="hidden-text">{label}</span> : label}
      {about && <span class="hidden-text"> {about}</span>}
    </button>
  );
}

interface RunProps extends Pick<ButtonProps, "label" | "icon" | "isDisabled"> {
  readonly isRunning: boolean;
  readonly onStop: () => void;
}

/** Submits its form, then becomes a stop button while the task runs. */
export function RunButton({ isRunning, onStop, ...start }: RunProps) {
  // Their keys keep them two elements: a click on Stop would otherwise submit the form as it turns into Start.
  return isRunning ? (
    <Button label="Stop" key="stop" icon="stop" onClick={onStop} />
  ) : (
    <Button key="start" kind="main" type="submit" {...start} />
  );
}

export interface Option<Value extends string> {
  readonly value: Value;
  readonly label: string;
}

interface SegmentsProps<Value extends string> {
  readonly label: string;
  readonly options: readonly Option<Value>[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

export function Segments<Value extends string>({ label, options, value, onChange }: SegmentsProps<Value>) {
  return (
    <fieldset class="segments" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  );
}

const SHOWN_MS = 1800;

interface CopyProps {
  readonly text: string;
  readonly label: string;
  readonly isIconOnly?: boolean;
}

/** Copies a text and briefly confirms it. */
export function CopyButton({ text, label, isIconOnly = false }: CopyProps) {
  const [state, setState] = useState<"idle" | "copied" | "refused">("idle");
  useEffect(() => (state === "idle" ? undefined : runAfter(SHOWN_MS, () => setState("idle"))), [state]);
  const copy = async () => setState((await copyText(text)) ? "copied" : "refused");
  const word = { idle: label, copied: "Copied", refused: "Copying failed: select the text" }[state];
  return (
    <Button
      label={word}
      isTiny
      isIconOnly={isIconOnly}
      icon={state === "copied" ? "check" : "copy"}
      onClick={copy}
    />
  );
}

export function Code({ text }: { readonly text: string }) {
  return (
    <div class="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by the keyboard too. */}
      <pre tabIndex={0}>{text}</pre>
      <CopyButton text={text} isIconOnly label="Copy the code" />
    </div>
  );
}
