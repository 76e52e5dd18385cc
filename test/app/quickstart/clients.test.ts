// A quick start without a configuration says of each request which program sent it.
import { expect, test } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { newPlace, startServe } from "../../harness/serve-process.ts";
import { until } from "../../whole/world/until.ts";

test("a request's row names its client, unless the configuration chooses the tags", async () => {
  const rows = [
    ["", { client: "curl/8.14.1" }],
    ["tags_from: { team: x-team }\nproviders: {}", null],
  ] as const;
  for (const [configuration, tags] of rows) {
    const place = newPlace(configuration);
    const serving = startServe(place, "--quickstart", "--simulate", "--port", "0");
    const url = await serving.listens();
    const [secret = "", once = ""] = await until("it has greeted", () => {
      const found = [/sk-[\w-]+/.exec(serving.err)?.[0], /#once=(\w+)/.exec(serving.err)?.[1]];
      return found.every((one) => one !== undefined) ? found : null;
    });
    const ask = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${secret}`,
        "content-type": "application/json",
        "user-agent": "curl/8.14.1",
      },
      body: JSON.stringify({ model: "Sim#sim-mini", messages: [{ role: "user", content: "hello" }] }),
    });
    expect(ask.status).toBe(200);
    const signedIn = await fetch(`${url}/admin/v1/session`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ once }),
    });
    const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
    const found = await fetch(`${url}/admin/v1/requests`, { headers: { cookie } });
    const listed = asArray(asObject(await found.json()).data).map(asObject);
    expect(listed.map((row) => row.tags)).toEqual([tags]);
    serving.signal("SIGTERM");
    await serving.exited;
    place.remove();
  }
});
