// Providers that say in each answer who they are and which model they were asked for.

interface Providers {
  /** Returns the text with the ports on which they listen in place of the given ones. */
  place(text: string): string;
  stop(): void;
}

export function startAnswering(ports: Readonly<Record<string, number>>): Providers {
  const running = Object.entries(ports).map(([name, port]) => ({ port, server: serve(name) }));
  return {
    place: (text) =>
      running.reduce((all, { port, server }) => all.replaceAll(String(port), String(server.port)), text),
    stop: () => {
      for (const { server } of running) server.stop(true);
    },
  };
}

function serve(name: string) {
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { model, input } = await request.json();
      const usage = { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 };
      if (input !== undefined)
        return Response.json({
          object: "list",
          model,
          data: [{ object: "embedding", index: 0, embedding: [0.1, 0.2, 0.3] }],
          usage,
        });
      const message = { role: "assistant", content: `from ${name} ${model}` };
      const choices = [{ index: 0, message, finish_reason: "stop" }];
      return Response.json({ id: "c-1", object: "chat.completion", created: 1, model, choices, usage });
    },
  });
}
