// Requests as they end, pushed by the gateway while a page listens; it connects again when the connection is lost.
import { useEffect, useRef, useState } from "preact/hooks";
import type { RequestView } from "../admin/request-schema.ts";
import { call, readEvents } from "./api.ts";
import { later } from "./browser.ts";

const AGAIN_AFTER_MS = 2000;
const AGAIN_AFTER_MAX_MS = 30_000;

interface Listener {
  /** A request has ended. */
  readonly onRow: (row: RequestView) => void;
  /** Some requests ended without a message: the connection was lost, or there were too many. */
  readonly onGap: () => void;
}

/** True if it is connected. */
export function useLive(isWanted: boolean, listener: Listener): boolean {
  const [isOn, setOn] = useState(false);
  const current = useRef(listener);
  current.current = listener;
  useEffect(() => {
    if (!isWanted) return;
    const ending = new AbortController();
    let callOff = () => {};
    let waitMs = AGAIN_AFTER_MS;
    let wasOn = false;
    const listen = async () => {
      try {
        const { body } = await call("GET", "/requests/live", undefined, { signal: ending.signal });
        if (!body) return;
        setOn(true);
        if (wasOn) current.current.onGap();
        wasOn = true;
        waitMs = AGAIN_AFTER_MS;
        for await (const data of readEvents(body)) {
          const row: Partial<RequestView> = JSON.parse(data);
          if (isRow(row)) current.current.onRow(row);
          else current.current.onGap();
        }
      } catch {
        // Tried again below, unless there is no listener left.
      }
      if (ending.signal.aborted) return;
      setOn(false);
      callOff = later(waitMs, () => void listen());
      waitMs = Math.min(waitMs * 2, AGAIN_AFTER_MAX_MS);
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

/** The event that tells how many rows were skipped has no id. */
function isRow(row: Partial<RequestView>): row is RequestView {
  return row.id !== undefined;
}
