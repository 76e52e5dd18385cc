// One entry of LiteLLM's `model_list` as it is read. Fields that nobody reads are reported.
import type { Fields } from "../fields.ts";

export interface DeploymentSource {
  /** With those of the credential that it names. */
  readonly params: Fields;
  readonly info: Fields;
  /** Limits that stand beside the parameters. */
  readonly beside: Fields;
  /** For the report. */
  readonly line: number;
  readonly label: string;
}
