// The data of files: Google's API and its Python SDK use the URL-safe alphabet of base64, which no other provider reads.

/**
 * Returns the data in the standard alphabet with its padding, as the same string if it is in that form. Data that is not
 * base64 stays, and the model's codec or provider refuses it.
 */
export function toStandardBase64(data: string): string {
  const isUrlSafe = data.includes("-") || data.includes("_");
  if (!isUrlSafe && data.length % 4 === 0) return data;
  try {
    return Uint8Array.fromBase64(data, { alphabet: isUrlSafe ? "base64url" : "base64" }).toBase64();
  } catch {
    return data;
  }
}
