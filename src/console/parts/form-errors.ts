// The mistakes that a form sees by itself, in our own words: a browser's are in another language, and vanish.
import { createContext } from "preact";

/** By the ids of fields. */
type WrongFields = ReadonlyMap<string, string>;

export const NONE_WRONG: WrongFields = new Map();
export const FieldErrors = createContext(NONE_WRONG);

type FormControl = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const isControl = (one: Element): one is FormControl =>
  one instanceof HTMLInputElement || one instanceof HTMLSelectElement || one instanceof HTMLTextAreaElement;

/** Returns the fields whose content can't be sent, in their order. */
export function findWrong(form: HTMLFormElement): WrongFields {
  const wrong = new Map<string, string>();
  for (const control of form.elements) {
    if (isControl(control) && !control.validity.valid) wrong.set(control.id, describeWrong(control));
  }
  return wrong;
}

function describeWrong(control: FormControl): string {
  const { valueMissing, badInput, rangeUnderflow, rangeOverflow } = control.validity;
  const { min = "", max = "", type } = control instanceof HTMLInputElement ? control : { type: control.type };
  if (valueMissing) return type === "select-one" ? "Choose one." : "This is needed.";
  if (badInput) return type === "date" ? "Give a whole date." : "Give a number.";
  if (rangeUnderflow) return `Give ${min} or more.`;
  if (rangeOverflow) return `Give ${max} or less.`;
  return "This can't be read.";
}

/**
 * Brings the first wrong field, or else the message below the form, into view and focus. Fields that the form itself found
 * may be drawn as wrong only later, so they are looked for by their ids.
 */
export function showFirstWrong(form: HTMLFormElement | null, found: WrongFields): void {
  const [first] = found.keys();
  const wrong =
    first === undefined
      ? (form?.querySelector("[aria-invalid='true']") ?? form?.querySelector("[role='alert']"))
      : document.getElementById(first);
  if (!(wrong instanceof HTMLElement)) return;
  const folded = wrong.closest("details");
  if (folded) folded.open = true;
  wrong.scrollIntoView({ block: "center" });
  if (!wrong.matches("input, select, textarea, button")) wrong.tabIndex = -1;
  wrong.focus({ preventScroll: true });
}
