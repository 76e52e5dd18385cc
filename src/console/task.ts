// The work that forms and buttons start, and what is typed into a form.
import { useEffect, useRef, useState } from "preact/hooks";
import { readMessage } from "./api.ts";

export interface Task {
  readonly isBusy: boolean;
  /** The last failure; null: nothing, or it runs again. */
  readonly failed: unknown;
  /** The same in words. */
  readonly error: string | null;
  readonly start: (event: Event) => Promise<void>;
}

/** Stays busy after success: the caller closes the form that showed it. */
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
  return { isBusy, failed, error: failed === null ? null : readMessage(failed), start };
}

/** Keeps the texts of a form; `field` gives the properties by which a field shows and changes one of them. */
export function useDraft<Name extends string>(first: () => Readonly<Record<Name, string>>) {
  const [draft, setDraft] = useState(first);
  const set = (name: Name, text: string) => setDraft((before) => ({ ...before, [name]: text }));
  const field = (name: Name) => ({ value: draft[name], onInput: (text: string) => set(name, text) });
  return { draft, set, field };
}

interface Run {
  readonly isRunning: boolean;
  /** Ends the work's signal. */
  readonly stop: () => void;
  readonly start: (work: (signal: AbortSignal) => Promise<unknown>) => Promise<void>;
}

/** Work that can be stopped, by a button or by leaving the page. */
export function useRun(): Run {
  const [running, setRunning] = useState<AbortController | null>(null);
  const latest = useRef(running);
  latest.current = running;
  useEffect(() => () => latest.current?.abort(), []);
  return {
    isRunning: running !== null,
    stop: () => running?.abort(),
    async start(work) {
      const ending = new AbortController();
      setRunning(ending);
      await work(ending.signal);
      setRunning(null);
    },
  };
}
