// Short messages at the bottom of the page that disappear on their own.
import { signal } from "@preact/signals";
import { runAfter } from "../browser.ts";
import { Icon } from "./icon.tsx";

const SHOWN_MS = 3200;

const toasts = signal<readonly { readonly id: number; readonly text: string }[]>([]);
let made = 0;

export function toast(text: string): void {
  const id = ++made;
  toasts.value = [...toasts.value, { id, text }];
  runAfter(SHOWN_MS, () => {
    toasts.value = toasts.value.filter((one) => one.id !== id);
  });
}

export function Toasts() {
  return (
    <div class="toasts" role="status">
      {toasts.value.map(({ id, text }) => (
        <div key={id} class="row toast">
          <Icon name="check" />
          {text}
        </div>
      ))}
    </div>
  );
}
