// A provider that does as little as possible: a short answer, one with 100,000 choices in 10 MB, or none.
const CHOICES = 100_000;
const HEAD_CHARACTERS = 200;
const text = "x".repeat(20);

function whole(choices: number): string {
  const one = (index: number) => ({
    index,
    message: { role: "assistant", content: text },
    finish_reason: "stop",
  });
  return JSON.stringify({
    id: "c",
    object: "chat.completion",
    choices: Array.from({ length: choices }, (_, at) => one(at)),
  });
}

function streamed(choices: number): string {
  const one = (index: number) => ({ index, delta: { content: text }, finish_reason: "stop" });
  const chunk = {
    id: "c",
    object: "chat.completion.chunk",
    choices: Array.from({ length: choices }, (_, at) => one(at)),
  };
  return `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`;
}

const provider = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const body = await request.text();
    if (body.slice(0, HEAD_CHARACTERS).includes('"silent"')) return new Promise<Response>(() => {});
    const choices = body.slice(0, HEAD_CHARACTERS).includes('"many-') ? CHOICES : 1;
    return /"stream":true/.test(body.slice(0, HEAD_CHARACTERS) + body.slice(-HEAD_CHARACTERS))
      ? new Response(streamed(choices), { headers: { "content-type": "text/event-stream" } })
      : new Response(whole(choices), { headers: { "content-type": "application/json" } });
  },
});
console.log(`listens on http://127.0.0.1:${provider.port}`);

export {};
