// Prompts with steps: the simulated models answer one after the other, as in a long session of a coding agent.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Simulator, startSimulator } from "./server.ts";

let sim: Simulator;
beforeAll(async () => {
  sim = await startSimulator();
});
afterAll(() => sim.stop());

test("steps are answered one after the other, whatever else the client adds", async () => {
  const tools = [{ type: "function", function: { name: "look", parameters: { type: "object" } } }];
  const messages: object[] = [
    {
      role: "user",
      content:
        'step 1: call look({"at":1}) and call look({"at":2})\nstep 2: call look({"at":3})\nstep 3: say: done',
    },
  ];
  const inputs: string[] = [];
  for (let step = 1; step <= 3; step++) {
    const { choices } = await post({ model: "sim-mini", messages, tools });
    const [{ message }] = choices;
    messages.push(message);
    for (const { id, function: called } of message.tool_calls ?? []) {
      inputs.push(called.arguments);
      messages.push({ role: "tool", tool_call_id: id, content: "seen" });
    }
    messages.push({ role: "user", content: "A reminder." });
    if (step === 3) expect(message.content).toBe("done");
  }
  expect(inputs).toEqual(['{"at":1}', '{"at":2}', '{"at":3}']);
  const { choices } = await post({ model: "sim-mini", messages, tools });
  expect(choices[0].message.content).toBe("You said: A reminder.");
});

async function post(body: object) {
  const response = await fetch(`${sim.url}/openai/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer a-key" },
    body: JSON.stringify(body),
  });
  return response.json();
}
