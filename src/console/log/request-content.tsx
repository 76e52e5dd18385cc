// A request's prompt and answer, if the operator records them: shown as a conversation, with anything but text as it
// was sent.

import { useState } from "preact/hooks";
import type { ContentView } from "../../admin/log/request-schema.ts";
import { formatCount, formatPercent } from "../frame/format.ts";
import { Button, Code, Segments } from "../parts/button.tsx";
import { Card } from "../parts/page.tsx";

const LOOKS = [
  { value: "pretty", label: "Pretty" },
  { value: "raw", label: "Raw" },
] as const;

export function RequestContent({ content }: { readonly content: ContentView }) {
  const answers = asList(content.reply?.choices).flatMap((choice) => asFields(choice).message ?? []);
  const note = content.truncated ? "Shortened to the log's size limit" : "Logged because log.content is true";
  const fields = Object.keys(content.request ?? {}).length > 0 ? content.request : null;
  const [look, setLook] = useState<(typeof LOOKS)[number]["value"]>("pretty");
  const messages = [...content.messages, ...answers];
  const sizes = messages.map((message) => JSON.stringify(message).length);
  const whole = sizes.reduce((sum, size) => sum + size, 0);
  return (
    <Card
      title="Prompt and answer"
      note={note}
      actions={<Segments label="Shown as" options={LOOKS} value={look} onChange={setLook} />}
    >
      {look === "raw" ? (
        <Code text={JSON.stringify(messages, null, 2)} />
      ) : (
        <ol class="stack conversation">
          {messages.map((message, at) => (
            <MessageView key={at} message={message} share={(sizes[at] ?? 0) / Math.max(1, whole)} />
          ))}
        </ol>
      )}
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
/** Shown in words. */
const TOLD: readonly string[] = ["reasoning_content", "tool_calls", "tool_call_id"];

interface MessageProps {
  readonly message: unknown;
  /** The share of the whole conversation, by its length. */
  readonly share: number;
}

function MessageView({ message, share }: MessageProps) {
  const { role, content, ...rest } = asFields(message);
  const parts = Array.isArray(content) ? content.map(asFields) : [{ type: "text", text: content ?? "" }];
  const isTold = (name: string) => UNREADABLE.includes(name) || TOLD.includes(name);
  const more = Object.entries(rest).filter(([name, value]) => value !== null && !isTold(name));
  return (
    <li>
      <div class="speaker">
        <span class="badge">{String(role)}</span>
        <span class="small faint" title="Of the whole conversation's length">
          {formatPercent(share)}
        </span>
      </div>
      <div class="answer">
        {typeof rest.tool_call_id === "string" && (
          <span class="small faint">The result of {rest.tool_call_id}</span>
        )}
        {typeof rest.reasoning_content === "string" && <Folded text={rest.reasoning_content} isThought />}
        {parts.map((part, at) => (
          <PartView key={at} part={part} />
        ))}
        {asList(rest.tool_calls).map((call, at) => (
          <ToolCall key={at} call={asFields(call)} />
        ))}
        {more.length > 0 && <code>{shorten(Object.fromEntries(more))}</code>}
      </div>
    </li>
  );
}

function PartView({ part }: { readonly part: ContentFields }) {
  if (part.type === "text") return part.text === "" ? null : <Folded text={String(part.text)} />;
  const { url } = asFields(part.image_url);
  const isPicture = typeof url === "string" && PICTURE.test(url);
  return isPicture ? <img src={url} alt="sent" /> : <code>{shorten(part)}</code>;
}

/** A whole picture that the message holds. One at an address isn't fetched. */
const PICTURE = /^data:image\/(?:png|jpeg|gif|webp);base64,[\w+/]+={0,2}$/;

function ToolCall({ call }: { readonly call: ContentFields }) {
  const { name, arguments: given } = asFields(call.function ?? call.custom);
  const { input } = asFields(call.custom);
  return (
    <>
      <span class="small faint">{`Calls ${String(name)} as ${String(call.id)}`}</span>
      <code>{shorten(given ?? input ?? null)}</code>
    </>
  );
}

const LINES_SHOWN = 12;
const CHARACTERS_SHOWN = 1500;

/** A long prompt is cut until somebody asks for the rest. */
function Folded({ text, isThought = false }: { readonly text: string; readonly isThought?: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const head = text.split("\n").slice(0, LINES_SHOWN).join("\n").slice(0, CHARACTERS_SHOWN);
  const look = isThought ? "thought" : undefined;
  if (head.length === text.length) return <p class={look}>{text}</p>;
  return (
    <>
      <p class={look}>{isOpen ? text : `${head}…`}</p>
      <Button
        label={isOpen ? "Fold" : `Show all ${formatCount(text.length)} characters`}
        isTiny
        kind="quiet"
        onClick={() => setOpen(!isOpen)}
      />
    </>
  );
}

type ContentFields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is ContentFields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function asFields(value: unknown): ContentFields {
  return isFields(value) ? value : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const SHOWN_CHARACTERS = 400;

/** Images would fill the page. */
function shorten(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
