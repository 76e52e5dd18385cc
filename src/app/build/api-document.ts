// The OpenAPI document without a running gateway of one's own, as the manual's files have it.
import { loadSettings } from "../../config/load.ts";
import { configJsonSchema } from "../../config/published-schema.ts";
import { asObject, type JsonObject } from "../../core/json/json.ts";
import { PROVIDERS } from "../../providers/index.ts";
import { startGateway } from "../composition.ts";
import { formatErrors } from "../start/configuration.ts";
import { openEmptyStore } from "../start/open-store.ts";

const NOTHING = "There is no such file.";

/**
 * Routes are described as they are registered, so an empty gateway is started for a moment: on a free loopback port, with
 * its store in memory, and without any file, variable or provider.
 */
export async function readApiDocument(address: string): Promise<JsonObject> {
  const loaded = loadSettings({
    text: null,
    file: "",
    known: PROVIDERS,
    overrides: { port: 0 },
    env: () => undefined,
    readFile: () => {
      throw Object.assign(new Error(NOTHING), { code: "ENOENT" });
    },
  });
  if (!loaded.ok) throw new Error(formatErrors(loaded.errors));
  const running = await startGateway({
    settings: loaded.settings,
    opened: await openEmptyStore(),
    log: () => {},
    reusePort: false,
    noticeMs: 0,
    configSchema: configJsonSchema,
  });
  try {
    const answer = await fetch(`http://127.0.0.1:${running.port}/openapi.json`);
    return { ...asObject(await answer.json()), servers: [{ url: address }] };
  } finally {
    await running.stop();
  }
}
