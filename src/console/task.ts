// Work started by forms and buttons, and the text typed into forms.
import { useEffect, useRef, useState } from "preact/hooks";
import { describeError } from "./api.ts";

export interface Task {
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

/** Keeps a form's texts. `field` returns the props that show and change one of them. */
export function useDraft<Name extends string>(first: () => Readonly<Record<Name, string>>) {
  const [draft, setDraft] = useState(first);
  const set = (name: Name, text: string) => setDraft((before) => ({ ...before, [name]: text }));
  const field = (name: Name) => ({ value: draft[name], onInput: (text: string) => set(name, text) });
  return { draft, set, field };
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
