// The signs by which a demo shows with each answer that it is one, and that it has started over.
import { signal } from "@preact/signals";
import { toast } from "../parts/toast.tsx";

const TURN = "x-poundkey-demo-turn";

/** Null unless the gateway is a demo. */
const turn = signal<string | null>(null);

export function isDemo(): boolean {
  return turn.value !== null;
}

/** Call this with each answer. */
export function noteDemo({ headers }: Response): void {
  const now = headers.get(TURN);
  if (now === null || now === turn.value) return;
  if (turn.value !== null) toast("The demo has started over. What visitors asked is gone.");
  turn.value = now;
}
