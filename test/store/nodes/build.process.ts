// A gateway as another build would run it: this one, whose schema has made steps after the last.
//   bun test/store/nodes/build.process.ts STORE CONFIG STEPS    STEPS: same, adds or ends

import { startGateway } from "../../../src/app/composition.ts";
import { addKeys } from "../../../src/app/start/open-store.ts";
import { configJsonSchema } from "../../../src/config/published-schema.ts";
import { deriveDataKeys } from "../../../src/keys/data-keys.ts";
import { makePostgresSchema } from "../../../src/store/postgres/migrations.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { STEPS } from "../../../src/store/schema/steps.ts";
import { decideByDemand } from "../../harness/samples.ts";
import { readSettings } from "../../harness/settings.ts";
import { MADE_STEPS, type MadeStep } from "./made-steps.ts";

const [url = "", config = "", made = "same"] = process.argv.slice(2);
const steps = [...STEPS, ...MADE_STEPS[made as MadeStep]];
const store = await openPostgresStore({ url, decide: decideByDemand, schema: makePostgresSchema(steps) });
const running = await startGateway({
  settings: readSettings(await Bun.file(config).text()),
  opened: addKeys(store, deriveDataKeys(new Uint8Array(32).fill(7))),
  log: ({ event, level }) => {
    if (level === "error" || event === "older_nodes") process.stderr.write(`${event}\n`);
  },
  configSchema: configJsonSchema,
  reusePort: false,
  noticeMs: 0,
});
process.stderr.write(`listens on http://127.0.0.1:${running.port}\n`);
await new Promise<void>((resolve) => process.on("SIGTERM", () => resolve()));
await running.stop();
process.exit();
