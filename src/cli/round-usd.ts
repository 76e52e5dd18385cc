// Amounts as tables show them: as exact as anybody reads them.

const DECIMALS_MAX = 9;

/** Returns an amount with two decimals, or those of its first three digits if it is below 1. Any other text stays. */
export function roundUsd(text: string): string {
  const value = Number(text);
  if (text.trim() === "" || Number.isNaN(value)) return text;
  const size = Math.abs(value);
  const decimals = size >= 1 || size === 0 ? 2 : Math.min(DECIMALS_MAX, 2 - Math.floor(Math.log10(size)));
  return value.toLocaleString("en-US", {
    minimumFractionDigits: 2,
    maximumFractionDigits: decimals,
    useGrouping: false,
  });
}
