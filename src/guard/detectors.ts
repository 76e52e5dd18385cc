// All detectors, in the order of the manual's list: of findings of the same length, the first counts.
import { type Detector, GROUP_NAMES, type GroupName } from "./detector.ts";
import { ASSIGNED_SECRET } from "./detectors/assigned-secret.ts";
import { CARD } from "./detectors/card.ts";
import { EMAIL } from "./detectors/email.ts";
import { IBAN } from "./detectors/iban.ts";
import { BR_CPF, CA_SIN, US_ITIN, US_SSN } from "./detectors/ids/americas.ts";
import { AU_MEDICARE, AU_TFN, IN_AADHAAR, KR_RRN } from "./detectors/ids/asia.ts";
import { DE_STEUERID, NL_BSN, PL_PESEL, SE_PNR, UK_NHS } from "./detectors/ids/europe.ts";
import { FR_NIR } from "./detectors/ids/fr-nir.ts";
import { CN_ID, ES_NIF, FI_HETU, IN_PAN, IT_CF, SG_NRIC, UK_NINO } from "./detectors/ids/lettered.ts";
import { IP } from "./detectors/ip.ts";
import { JWT } from "./detectors/jwt.ts";
import { MAC } from "./detectors/mac.ts";
import { PHONE } from "./detectors/phone.ts";
import { POUNDKEY_KEY } from "./detectors/poundkey-key.ts";
import { PREFIXED } from "./detectors/prefixed.ts";
import { PRIVATE_KEY } from "./detectors/private-key.ts";
import { URL_PASSWORD } from "./detectors/url-password.ts";

export const DETECTORS: readonly Detector[] = [
  ...PREFIXED,
  POUNDKEY_KEY,
  JWT,
  PRIVATE_KEY,
  URL_PASSWORD,
  EMAIL,
  PHONE,
  CARD,
  IBAN,
  IP,
  MAC,
  US_SSN,
  US_ITIN,
  UK_NHS,
  UK_NINO,
  CA_SIN,
  AU_TFN,
  AU_MEDICARE,
  IN_AADHAAR,
  IN_PAN,
  BR_CPF,
  NL_BSN,
  FR_NIR,
  ES_NIF,
  IT_CF,
  PL_PESEL,
  DE_STEUERID,
  CN_ID,
  SG_NRIC,
  KR_RRN,
  FI_HETU,
  SE_PNR,
  ASSIGNED_SECRET,
];

/** The names of each group's detectors, in their order. */
export const GROUPS: ReadonlyMap<GroupName, readonly string[]> = new Map(
  GROUP_NAMES.map((group) => [group, DETECTORS.filter((row) => row.group === group).map(({ name }) => name)]),
);
