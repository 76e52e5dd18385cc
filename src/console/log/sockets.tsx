// The WebSockets that are open now. Nothing is shown while there are none.
import type { SocketsView } from "../../admin/log/sockets.ts";
import { formatBytes, formatCount } from "../frame/format.ts";
import { useResource } from "../frame/resource.ts";
import { makeHref } from "../frame/route.ts";
import { may } from "../frame/session.ts";
import { Vitals } from "../parts/figures.tsx";
import { Card } from "../parts/page.tsx";

const EVERY_MS = 10_000;

export function SocketsCard() {
  const { data } = useResource<SocketsView>(may("settings.read") ? "/sockets" : null, EVERY_MS);
  if (!data || data.open === 0) return null;
  return (
    <Card
      title="WebSockets"
      note="On the node that answers"
      actions={<a href={makeHref("/activity", { transport: "ws" })}>Turns in Activity</a>}
    >
      <Vitals
        rows={[
          ["Open", `${formatCount(data.open)} of ${formatCount(data.most)}`],
          ["Remembered", formatBytes(data.remembered_bytes)],
        ]}
      />
    </Card>
  );
}
