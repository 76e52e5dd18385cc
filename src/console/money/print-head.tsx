// The head of a printed statement: the gateway, the period, and when its figures were read.
import { useState } from "preact/hooks";
import { getGatewayUrl, nowMs } from "../browser.ts";
import { formatFullTime } from "../frame/format.ts";

interface PrintHeadProps {
  /** The period and its time zone. */
  readonly children: string;
}

/** Only paper shows it: on the screen, the page's head and address say the same. */
export function PrintHead({ children }: PrintHeadProps) {
  const [readAt] = useState(() => new Date(nowMs()).toISOString());
  const host = getGatewayUrl().replace(/^https?:\/\//, "");
  return (
    <div class="on-paper">
      <span>Poundkey · {host}</span>
      <span>{children}</span>
      <span>
        As of <time dateTime={readAt}>{formatFullTime(readAt)}</time>
      </span>
    </div>
  );
}
