// Work started by forms and buttons, and the texts typed into forms.
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, describeError } from "./api.ts";

interface Task {
  readonly isBusy: boolean;
  /** The last error. Null while running and if there was none. */
  readonly failed: unknown;
  /** The last error's message. */
  readonly error: string | null;
  readonly start: (event: Event) => Promise<void>;
}

/** Runs work when a form is submitted. Stays busy after success: the caller closes the form. */
export function useTask(work: () => Promise<unknown>): Task {
  const [failed, setFailed] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const start = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setFailed(null);
    try {
      await work();
    } catch (thrown) {
      setFailed(thrown);
      setBusy(false);
    }
  };
  return { isBusy, failed, error: failed === null ? null : describeError(failed), start };
}

/**
 * A form's texts, the work that submitting it starts, and an error at the field that caused it, or else at none. The work
 * also gets the texts that the form opened with, since the page behind it may show newer ones by now.
 */
export function useForm<Name extends string>(
  open: () => Readonly<Record<Name, string>>,
  work: (draft: Readonly<Record<Name, string>>, opened: Readonly<Record<Name, string>>) => Promise<unknown>,
) {
  const [opened] = useState(open);
  const [draft, setDraft] = useState(opened);
  const { isBusy, failed, error, start } = useTask(() => work(draft, opened));
  const param = failed instanceof ApiError ? failed.param?.replace(/\[.*/, "") : null;
  const shown = new Set<string>();
  const set = (name: Name, text: string) => setDraft((before) => ({ ...before, [name]: text }));
  /** Returns the props that show and change a text. Its name is the request field's. */
  const field = (name: Name) => {
    shown.add(name);
    const value: string = draft[name];
    return {
      value,
      onInput: (text: string) => set(name, text),
      error: name === param ? error : null,
    };
  };
  const otherError = () => (param && shown.has(param) ? null : error);
  const isChanged = Object.keys(opened).some(
    (name) => Reflect.get(draft, name) !== Reflect.get(opened, name),
  );
  return { draft, set, field, isBusy, start, otherError, error, isChanged };
}

/** Runs work that stops on request or when the page is left. */
export function useRun() {
  const [running, setRunning] = useState<AbortController | null>(null);
  const latest = useRef(running);
  latest.current = running;
  useEffect(() => () => latest.current?.abort(), []);
  return {
    isRunning: running !== null,
    stop: () => running?.abort(),
    async start(work: (signal: AbortSignal) => Promise<unknown>) {
      const ending = new AbortController();
      setRunning(ending);
      await work(ending.signal);
      setRunning(null);
    },
  };
}
