// Requests as they end, told by the gateway while a page wants to know; joined again when the connection is lost.
import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "./api.ts";
import { later } from "./browser.ts";
import { eventsOf } from "./events.ts";
import type { RequestRow } from "./types.ts";

const AGAIN_AFTER_MS = 3000;

/** Whether it is connected; `onRow` is called for each request that ends from now on. */
export function useLive(isWanted: boolean, onRow: (row: RequestRow) => void): boolean {
  const [isOn, setOn] = useState(false);
  const take = useRef(onRow);
  take.current = onRow;
  useEffect(() => {
    if (!isWanted) return;
    const ending = new AbortController();
    let callOff = () => {};
    const listen = async () => {
      try {
        const { body } = await call("GET", "/requests/live", undefined, { signal: ending.signal });
        if (!body) return;
        setOn(true);
        for await (const data of eventsOf(body)) {
          const row: Partial<RequestRow> = JSON.parse(data);
          if (isRow(row)) take.current(row);
        }
      } catch {
        // Tried again below, unless nobody wants it any more.
      }
      if (ending.signal.aborted) return;
      setOn(false);
      callOff = later(AGAIN_AFTER_MS, () => void listen());
    };
    void listen();
    return () => {
      ending.abort();
      callOff();
      setOn(false);
    };
  }, [isWanted]);
  return isOn;
}

/** An event of another kind, as of rows that were skipped, has no id. */
function isRow(row: Partial<RequestRow>): row is RequestRow {
  return row.id !== undefined;
}
