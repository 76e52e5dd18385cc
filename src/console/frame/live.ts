// Live requests, pushed by the gateway while a page listens; a lost connection is re-established.
import { useEffect, useRef, useState } from "preact/hooks";
import type { RequestView } from "../../admin/log/request-schema.ts";
import { runAfter } from "../browser.ts";
import { callAdmin, readEvents } from "./api.ts";

const AGAIN_AFTER_MS = 2000;
const AGAIN_AFTER_MAX_MS = 30_000;

interface LiveRowListener {
  /** Called when a request has ended. */
  readonly onRow: (row: RequestView) => void;
  /** Called if requests were missed: the connection was lost, or there were too many. */
  readonly onGap: () => void;
}

/** Returns true while connected. */
export function useLive(isWanted: boolean, listener: LiveRowListener): boolean {
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
        const { body } = await callAdmin("GET", "/requests/live", undefined, { signal: ending.signal });
        if (!body) return;
        setOn(true);
        if (wasOn) current.current.onGap();
        wasOn = true;
        waitMs = AGAIN_AFTER_MS;
        for await (const data of readEvents(body)) tell(current.current, JSON.parse(data));
      } catch {
        // Retried below, unless the page has stopped listening.
      }
      if (ending.signal.aborted) return;
      setOn(false);
      callOff = runAfter(waitMs, () => void listen());
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

function tell(listener: LiveRowListener, row: Partial<RequestView>): void {
  if (isRow(row)) listener.onRow(row);
  else listener.onGap();
}

/** The event that reports skipped rows has no id. */
function isRow(row: Partial<RequestView>): row is RequestView {
  return row.id !== undefined;
}
