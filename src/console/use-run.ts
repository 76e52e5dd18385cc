// Work that can be stopped, by a button or by leaving the page.
import { useEffect, useRef, useState } from "preact/hooks";

export interface Run {
  readonly isRunning: boolean;
  /** Ends the work's signal. */
  readonly stop: () => void;
  readonly start: (work: (signal: AbortSignal) => Promise<unknown>) => Promise<void>;
}

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
