// A model that fails at some texts alone, and the account whose own requests have paused it.
import { readText, serveHttp, type TestServer } from "../world/serve.ts";
import { asking } from "../world/world.ts";

export const PAUSED_MODEL = "Template#m";

/** Starts the provider's server, which can't render a text with the word "unreadable". */
export function serveTemplate(): Promise<TestServer> {
  return serveHttp(async (request, response) => {
    const isBad = (await readText(request)).includes("unreadable");
    const choice = { index: 0, message: { role: "assistant", content: "Yes." }, finish_reason: "stop" };
    response.writeHead(isBad ? 500 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(isBad ? { error: { message: "template" } } : { choices: [choice] }));
  });
}

/** Returns the provider of the configuration. */
export function writeTemplate({ url }: Pick<TestServer, "url">): string {
  const models = "[{ name: m, context: 8192, output: 99, price: { input: 1, output: 1 } }]";
  return `  Template: { dialect: openai, keys: [sk-own], base_url: "${url}", models: ${models} }`;
}

interface Asker {
  readonly secret: string;
  chat(body: unknown, options: { readonly secret: string }): Promise<Response>;
}

/** Sends a text to the model, and returns the status. */
export async function askTemplate(world: Asker, secret: string, text: string): Promise<number> {
  const response = await world.chat(asking(PAUSED_MODEL, text), { secret });
  await response.text();
  return response.status;
}

/** Sends failing texts of one key until its requests pause, and good ones of another. */
export async function pauseTemplate(world: Asker, secret: string): Promise<void> {
  for (let at = 0; at < 8; at++) {
    await askTemplate(world, secret, `unreadable ${at}`);
    await askTemplate(world, world.secret, `fine ${at}`);
  }
}
