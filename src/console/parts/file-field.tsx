// A field for a file, which says before an upload how large one may be.
import { useState } from "preact/hooks";
import type { SettingsView } from "../../admin/settings-schema.ts";
import { describeBytes } from "../format.ts";
import { useResource } from "../resource.ts";
import { Field } from "./field.tsx";

/** The other fields of the request, which count too. */
const FIELDS_BYTES = 4096;
/** The bound where nothing else is configured, shown until the configured one is known. */
const STANDARD_BYTES = 32e6;

/** Returns the size of the largest file that can be sent through the gateway. */
export function useUploadMax(): number {
  const settings = useResource<SettingsView>("/settings").data;
  return Math.max(0, (settings?.server.body_limit ?? STANDARD_BYTES) - FIELDS_BYTES);
}

interface FileProps {
  readonly label: string;
  readonly accept: string;
  /** Called with null when the choice is taken back, or when the file is too large. */
  readonly onFile: (file: File | null) => void;
}

export function FileField({ label, accept, onFile }: FileProps) {
  const bytesMax = useUploadMax();
  const [error, setError] = useState<string | null>(null);
  const most = describeBytes(bytesMax);
  const take = (file: File | null) => {
    const isLarge = file !== null && file.size > bytesMax;
    setError(
      isLarge ? `This file has ${describeBytes(file.size)}: the gateway takes ${most} at most.` : null,
    );
    onFile(isLarge ? null : file);
  };
  return (
    <Field label={label} hint={`Up to ${most}; the provider may take less`} error={error}>
      {(tied) => (
        <input
          {...tied}
          type="file"
          accept={accept}
          aria-invalid={error ? "true" : undefined}
          onChange={(event) => take(event.currentTarget.files?.[0] ?? null)}
        />
      )}
    </Field>
  );
}
