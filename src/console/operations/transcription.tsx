// Transcription in the playground: a file with sound becomes text.
import type { Counted } from "./ask.ts";
import { makePanel } from "./panel.tsx";

interface Answer extends Counted {
  readonly text: string;
}

const TRANSLATION = "Translate into English";

export const TranscriptionPanel = makePanel<Answer>({
  action: "Transcribe",
  rows: [
    { name: "file", label: "Sound", accept: "audio/*,video/*" },
    { name: "task", label: "Task", first: "Transcribe", options: ["Transcribe", TRANSLATION] },
    { name: "language", label: "Language", placeholder: "en", isOptional: true },
  ],
  ask: ({ task, language = "", ...fields }) =>
    task === TRANSLATION
      ? { path: "/v1/audio/translations", fields }
      : { path: "/v1/audio/transcriptions", fields: { ...fields, language } },
  Show: ({ answer: { text } }) => <p class="text">{text}</p>,
});
