// The task that a form or a button starts: busy while it runs, with its failure afterwards.
import { useState } from "preact/hooks";

export interface Task {
  readonly isBusy: boolean;
  /** The last failure; null: nothing, or it runs again. */
  readonly failed: unknown;
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
  return { isBusy, failed, start };
}
