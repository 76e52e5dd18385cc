// The groups in which people write numbers.

/** The groups in which a number is written, and what stands between them. */
export const GROUPS: Readonly<Record<string, readonly [groups: readonly number[], separators: string]>> = {
  iban: [[4, 4, 4, 4, 4, 4, 4, 4, 4], " "],
  us_ssn: [[3, 2, 4], "-"],
  us_itin: [[3, 2, 4], "-"],
  uk_nhs: [[3, 3, 4], " "],
  ca_sin: [[3, 3, 3], "-"],
  au_tfn: [[3, 3, 3], " "],
  in_aadhaar: [[4, 4, 4], " "],
  br_cpf: [[3, 3, 3, 2], "..-"],
  fr_nir: [[1, 2, 2, 2, 3, 3, 2], " "],
  de_steuerid: [[2, 3, 3, 3], " "],
  kr_rrn: [[6, 7], "-"],
};

/** Returns a number in groups: the last one may be shorter. */
export function writeGroups(
  number: string,
  [groups, separators]: readonly [readonly number[], string],
): string {
  let at = 0;
  let written = "";
  for (const [place, group] of groups.entries()) {
    if (at >= number.length) break;
    if (at > 0) written += separators.charAt(place - 1) || separators.charAt(0);
    written += number.slice(at, at + group);
    at += group;
  }
  return written;
}
