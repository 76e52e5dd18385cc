// A request's prompt and answer, if the operator records them: shown as a conversation, with anything but text as it
// was sent.

import type { ContentView } from "../../admin/log/request-schema.ts";
import { Code } from "../parts/button.tsx";
import { Card } from "../parts/page.tsx";

export function RequestContent({ content }: { readonly content: ContentView }) {
  const answers = asList(content.reply?.choices).flatMap((choice) => asFields(choice).message ?? []);
  const note = content.truncated ? "Shortened to the log's size limit" : "Logged because log.content is true";
  const fields = Object.keys(content.request ?? {}).length > 0 ? content.request : null;
  return (
    <Card title="Prompt and answer" note={note}>
      <ol class="stack conversation">
        {[...content.messages, ...answers].map((message, at) => (
          <MessageView key={at} message={message} />
        ))}
      </ol>
      {fields && (
        <details>
          <summary>Other fields of the request</summary>
          <Code text={JSON.stringify(fields, null, 2)} />
        </details>
      )}
    </Card>
  );
}

/** Not shown: signatures and sealed reasoning, which only the provider can read, and the order of a turn's parts. */
const UNREADABLE: readonly string[] = ["reasoning_details", "parts"];

function MessageView({ message }: { readonly message: unknown }) {
  const { role, content, ...rest } = asFields(message);
  const parts = Array.isArray(content) ? content.map(asFields) : [{ type: "text", text: content ?? "" }];
  const more = Object.entries(rest).filter(([name, value]) => value !== null && !UNREADABLE.includes(name));
  return (
    <li>
      <span class="badge">{String(role)}</span>
      <div class="answer">
        {parts.map((part, at) =>
          part.type === "text" ? <p key={at}>{String(part.text)}</p> : <code key={at}>{shorten(part)}</code>,
        )}
        {more.length > 0 && <code>{shorten(Object.fromEntries(more))}</code>}
      </div>
    </li>
  );
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function asFields(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const SHOWN_CHARACTERS = 400;

/** Images would fill the page. */
function shorten(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
