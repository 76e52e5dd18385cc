// How large a file may be that is sent through the gateway.
import type { SettingsView } from "../admin/settings-schema.ts";
import { useResource } from "./resource.ts";

/** The other fields of the request, which count too. */
const FIELDS_BYTES = 4096;
/** The bound where nothing else is configured, shown until the configured one is known. */
const STANDARD_BYTES = 32e6;

export function useUploadMax(): number {
  const settings = useResource<SettingsView>("/settings").data;
  return Math.max(0, (settings?.server.body_limit ?? STANDARD_BYTES) - FIELDS_BYTES);
}
