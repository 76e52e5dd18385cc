// LiteLLM's own models and client of the protocol, as judges of ours: `bun test/steps/hooks/litellm.ts VENV`, which has litellm.
import { makeRequest, nameWay, WAYS } from "../asked.ts";
import { startHookWorld } from "./world.ts";

const TOOLS = [
  { type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } },
];

const [venv] = process.argv.slice(2);
if (venv === undefined) throw new Error("Which virtual environment has litellm?");
const own = await startHookWorld(["name: all, at: [request, answer], send: messages"]);
for (const way of WAYS) await own.post(...makeRequest(way, `say: canary from ${nameWay(way)}`));
const messages = [{ role: "user", content: "use a tool for the canary" }];
await own.post("/v1/chat/completions", {
  model: "Local#sim",
  messages,
  tools: TOOLS,
  tool_choice: "required",
});
const sent = own.hook.calls.splice(0).map(({ text }) => text);
const script = `
import asyncio, json, sys
from litellm.types.proxy.guardrails.guardrail_hooks.generic_guardrail_api import GenericGuardrailAPIRequest
from litellm.proxy.guardrails.guardrail_hooks.generic_guardrail_api.generic_guardrail_api import GenericGuardrailAPI
from litellm.exceptions import GuardrailRaisedException

read = 0
for line in sys.stdin:
    given = json.loads(line)
    model = GenericGuardrailAPIRequest.model_validate(given)
    dumped = model.model_dump(mode="json")
    for field in given:
        if field in ("structured_messages", "tool_calls"):
            assert len(dumped[field]) == len(given[field]), field
        elif field == "request_data":
            assert {k: v for k, v in dumped[field].items()} == given[field], field
        else:
            assert dumped[field] == given[field], field
    read += 1
print(read, "requests are read whole by LiteLLM's model")

async def main():
    client = GenericGuardrailAPI(api_base=sys.argv[1], guardrail_name="x", event_hook="pre_call", default_on=True)
    masked = await client.apply_guardrail({"texts": ["a canary"]}, {}, "request")
    shown = await client.apply_guardrail({"texts": masked["texts"]}, {}, "response")
    print("its client gets", masked["texts"], "and", shown["texts"])
    try:
        await client.apply_guardrail({"texts": ["forbidden"]}, {}, "request")
    except GuardrailRaisedException as error:
        print("its client is refused:", str(error)[:30])

asyncio.run(main())
`;
const judge = Bun.spawn([`${venv}/bin/python`, "-c", script, own.hook.url], {
  stdin: new Blob([`${sent.join("\n")}\n`]),
  stdout: "inherit",
  stderr: "inherit",
});
const code = await judge.exited;
await own.stop();
process.exit(code);
