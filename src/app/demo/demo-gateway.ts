// A whole gateway without a listener: what it serves is asked in this process.

import { configJsonSchema } from "../../config/published-schema.ts";
import type { Settings } from "../../core/settings.ts";
import type { Fetch } from "../../core/world/world.ts";
import type { Health } from "../../health/health.ts";
import { type RunningGateway, startGateway } from "../composition.ts";
import type { OpenedStore } from "../start/open-store.ts";

export interface DemoGateway {
  readonly opened: OpenedStore;
  readonly running: RunningGateway;
  /** Answers a request as the gateway does on a connection. */
  readonly answer: (request: Request) => Promise<Response>;
}

interface DemoParts {
  readonly settings: Settings;
  readonly opened: OpenedStore;
  /** Stands for the providers. */
  readonly fetch: Fetch;
  /** As the gateway's own. */
  readonly health?: Health;
  readonly isLate?: () => boolean;
}

/** Its log goes nowhere: it would tell visitors' requests. */
export async function startDemoGateway({
  settings,
  opened,
  fetch,
  health,
  isLate,
}: DemoParts): Promise<DemoGateway> {
  const served: { answer: DemoGateway["answer"] | null } = { answer: null };
  const running = await startGateway({
    settings,
    opened,
    log: () => {},
    configSchema: configJsonSchema,
    reusePort: false,
    noticeMs: 0,
    fetch,
    ...(health && { health }),
    ...(isLate && { isLate }),
    serve: (app) => {
      served.answer = async (request) => app.handle(request);
      return app;
    },
  });
  const { answer } = served;
  if (answer === null) throw new Error("The gateway has no routes.");
  return { opened, running, answer };
}
