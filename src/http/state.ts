// /admin/v1/state: the accounts, keys, aliases and tokens as a file, and the changes that bring them to what one says.
import { Elysia } from "elysia";
import { beyondSenderEnd } from "../admin/people/sender-rights.ts";
import {
  type ExportedState,
  exportedStateSchema,
  type StateAnswer,
  type StateRequest,
  stateAnswerSchema,
  stateRequestSchema,
} from "../admin/state/state-schema.ts";
import type { ActingWorld } from "../admin/world.ts";
import { actAsSender, createOperatorHooks, type WritingParts } from "./admin-route.ts";
import { noteExport } from "./audit/audited.ts";
import { returnsBody, showsSchema, takesBody } from "./openapi/route-schema.ts";
import { readOperator, stopQuery } from "./people/operator.ts";

/** Some ten thousand keys. */
const FILE_BYTES_MAX = 8 * 1024 * 1024;

export interface StatePorts {
  readonly read: (world: ActingWorld) => Promise<ExportedState>;
  readonly bring: (world: ActingWorld, asked: StateRequest) => Promise<StateAnswer>;
}

export function stateFileRoutes(operator: WritingParts, { read, bring }: StatePorts) {
  const { reads, readsBody } = createOperatorHooks(operator, "State");
  return new Elysia({ prefix: "/admin/v1" })
    .get("/state", ({ request }) => sendState(operator, read, request), {
      ...reads("state.apply", "getState", "Get accounts, service keys, aliases and tokens as a state file"),
      response: returnsBody(exportedStateSchema),
    })
    .post(
      "/state",
      ({ body, request }) => {
        refuseEnding(request);
        return bring(actAsSender(operator.world, request), body);
      },
      {
        ...readsBody(
          "state.apply",
          "applyState",
          "List what a state file would change, or make the changes",
          {
            bytesMax: FILE_BYTES_MAX,
          },
        ),
        query: showsSchema(stopQuery),
        body: takesBody(stateRequestSchema),
        response: returnsBody(stateAnswerSchema),
      },
    );
}

async function sendState(operator: WritingParts, read: StatePorts["read"], request: Request) {
  const state = await read(actAsSender(operator.world, request));
  await noteExport(operator.world, request, "state", {});
  return state;
}

/** A file's tokens and limits have no end of their own, so they would outlast a role that has one. */
function refuseEnding(request: Request): void {
  const endMs = readOperator(request).access.findEnd("state.apply", [null]);
  if (endMs !== null) throw beyondSenderEnd("state", endMs);
}
