// The prompt field, with text and images: Enter sends, Shift+Enter starts a new line.
import type { TargetedEvent } from "preact";
import { useRef, useState } from "preact/hooks";
import { formatBytes } from "../frame/format.ts";
import { Button, RunButton } from "../parts/button.tsx";
import { useUploadMax } from "../parts/file-field.tsx";
import { Icon } from "../parts/icon.tsx";
import { Notice } from "../parts/states.tsx";

/** Base64 encodes three bytes as four characters. */
const BYTES_PER_CHARACTER = 3 / 4;

export interface Prompt {
  readonly text: string;
  /** As data URLs. */
  readonly images: readonly string[];
}

interface ComposerProps {
  /** The text at first. */
  readonly first: string;
  readonly isRunning: boolean;
  readonly isBlocked: boolean;
  readonly onSend: (prompt: Prompt) => void;
  readonly onStop: () => void;
}

export function Composer({ first, isRunning, isBlocked, onSend, onStop }: ComposerProps) {
  const [prompt, setPrompt] = useState<Prompt>({ text: first, images: [] });
  const charactersMax = useUploadMax();
  const bytesMax = charactersMax * BYTES_PER_CHARACTER;
  const isLarge = prompt.images.reduce((sum, { length }) => sum + length, 0) > charactersMax;
  const isEmpty = prompt.text.trim() === "" && prompt.images.length === 0;
  const canSend = !isBlocked && !isEmpty && !isLarge;
  const submit = (event: Event) => {
    event.preventDefault();
    if (isRunning || !canSend) return;
    onSend({ ...prompt, text: prompt.text.trim() });
    setPrompt({ text: "", images: [] });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
  };
  const addImages = async (files: FileList | null) => {
    const images = await Promise.all(
      [...(files ?? [])].filter(({ type }) => type.startsWith("image/")).map(readDataUrl),
    );
    setPrompt((before) => ({ ...before, images: [...before.images, ...images] }));
  };
  const remove = (at: number) =>
    setPrompt({ ...prompt, images: prompt.images.filter((_, index) => index !== at) });
  return (
    <form class="composer card" onSubmit={submit}>
      {isLarge && (
        <Notice tone="bad">These images are too large. The limit is {formatBytes(bytesMax)}.</Notice>
      )}
      <Images images={prompt.images} onRemove={remove} />
      <textarea
        aria-label="Message"
        placeholder="Ask anything…"
        rows={2}
        value={prompt.text}
        onInput={(event) => setPrompt({ ...prompt, text: event.currentTarget.value })}
        onKeyDown={onKeyDown}
        onPaste={(event) => void addImages(event.clipboardData?.files ?? null)}
      />
      <Foot {...{ isRunning, onStop, addImages, bytesMax, canSend }} />
    </form>
  );
}

interface FootProps {
  readonly isRunning: boolean;
  readonly canSend: boolean;
  readonly bytesMax: number;
  readonly addImages: (files: FileList | null) => Promise<void>;
  readonly onStop: () => void;
}

function Foot({ isRunning, canSend, bytesMax, addImages, onStop }: FootProps) {
  const picker = useRef<HTMLInputElement>(null);
  const take = async (event: TargetedEvent<HTMLInputElement>) => {
    const input = event.currentTarget;
    await addImages(input.files);
    // Lets the same image be chosen again.
    input.value = "";
  };
  return (
    <div class="row tight between">
      <input ref={picker} type="file" accept="image/*" multiple hidden aria-label="Images" onChange={take} />
      <div class="row">
        <Button label="Image" kind="quiet" icon="image" onClick={() => picker.current?.click()} />
        <span class="small faint">up to {formatBytes(bytesMax)}</span>
      </div>
      <RunButton label="Send" isRunning={isRunning} onStop={onStop} icon="up" isDisabled={!canSend} />
    </div>
  );
}

interface ImagesProps extends Pick<Prompt, "images"> {
  readonly onRemove: (at: number) => void;
}

function Images({ images, onRemove }: ImagesProps) {
  if (images.length === 0) return null;
  return (
    <ul class="row thumbs" aria-label="Images">
      {images.map((url, at) => (
        <li key={url}>
          <img src={url} alt={`Attachment ${at + 1}`} />
          <button type="button" aria-label={`Remove image ${at + 1}`} onClick={() => onRemove(at)}>
            <Icon name="close" size={12} />
          </button>
        </li>
      ))}
    </ul>
  );
}

function readDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
