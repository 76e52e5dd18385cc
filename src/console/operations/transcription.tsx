// Transcription in the playground: a file with sound becomes text.
import { useState } from "preact/hooks";
import { Check, TextField } from "../parts/field.tsx";
import { FileField } from "../parts/file-field.tsx";
import type { Counted } from "./ask.ts";
import { Panel, type PanelProps } from "./panel.tsx";

interface Answer extends Counted {
  readonly text: string;
}

export function TranscriptionPanel({ model }: PanelProps) {
  const [file, setFile] = useState<File | null>(null);
  const [language, setLanguage] = useState("");
  const [isTranslation, setTranslation] = useState(false);
  return (
    <Panel
      path={isTranslation ? "/v1/audio/translations" : "/v1/audio/transcriptions"}
      fields={{ model, file, language: isTranslation ? "" : language }}
      action={isTranslation ? "Translate" : "Transcribe"}
      isReady={file !== null}
      show={({ text }: Answer) => <p class="text">{text}</p>}
    >
      <FileField label="Sound" accept="audio/*,video/*" onFile={setFile} />
      <TextField label="Language (optional)" placeholder="en" value={language} onInput={setLanguage} />
      <Check label="Translate into English" isOn={isTranslation} onChange={setTranslation} />
    </Panel>
  );
}
