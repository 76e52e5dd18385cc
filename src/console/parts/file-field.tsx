// A file field that states the size limit before the upload.
import { useState } from "preact/hooks";
import type { SettingsView } from "../../admin/models/settings-schema.ts";
import { formatBytes } from "../frame/format.ts";
import { useResource } from "../frame/resource.ts";
import { may } from "../frame/session.ts";
import { Field } from "./field.tsx";

/** Reserved for the request's other fields, which also count towards the limit. */
const FIELDS_BYTES = 4096;
/** The default limit, shown until the configured one is known, and to those who may not see the settings. */
const STANDARD_BYTES = 32e6;

/** Returns the largest file size that the gateway accepts. */
export function useUploadMax(): number {
  const settings = useResource<SettingsView>(may("settings.read") ? "/settings" : null).data;
  return Math.max(0, (settings?.server.body_limit ?? STANDARD_BYTES) - FIELDS_BYTES);
}

interface FileProps {
  readonly label: string;
  readonly accept: string;
  /** Named in the hint if it is a file: an input drawn again has forgotten it. */
  readonly file?: unknown;
  /** Called with null if the choice is cleared or the file is too large. */
  readonly onFile: (file: File | null) => void;
}

export function FileField({ label, accept, file, onFile }: FileProps) {
  const bytesMax = useUploadMax();
  const [error, setError] = useState<string | null>(null);
  const most = formatBytes(bytesMax);
  const take = (file: File | null) => {
    const isLarge = file !== null && file.size > bytesMax;
    setError(isLarge ? `This file is too large (${formatBytes(file.size)}). The limit is ${most}.` : null);
    onFile(isLarge ? null : file);
  };
  const chosen = file instanceof File ? `Chosen: ${file.name}. ` : "";
  return (
    <Field label={label} hint={`${chosen}Up to ${most}; the provider's limit may be lower`} error={error}>
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
