// The metrics that show a state to alert on: the store, the configuration, providers, balances, the gateway's own work.
import { NANO_PER_USD } from "../core/money/money.ts";
import { gauge, MS_PER_SECOND, work } from "./metric-row.ts";

export const STATE_METRICS = {
  poundkey_store_up: {
    ...gauge("0 or 1", "Last transaction or check succeeded."),
    over: "min",
  },
  poundkey_store_seconds: work("Time of transactions that admit and settle requests, waits included."),
  poundkey_store_bytes: {
    ...gauge("bytes", "Size of the database, and of SQLite's write-ahead log.", "part"),
    over: "max",
  },
  poundkey_store_free_bytes: {
    ...gauge("bytes", "SQLite's free disk space."),
    over: "min",
  },
  poundkey_files_bytes: {
    ...gauge("bytes", "Files, with batches' data."),
    over: "max",
  },
  poundkey_files_max_bytes: {
    ...gauge("bytes", "Maximum of files (`files.max_bytes`)."),
    over: "max",
  },
  poundkey_last_backup_timestamp_seconds: {
    ...gauge("Unix time", "SQLite's last checked backup. Absent before the first."),
    over: "max",
  },
  poundkey_config_ok: {
    ...gauge(
      "0 or 1",
      "Whether the last change was accepted (1), or the configuration before is in use (0).",
    ),
    over: "min",
  },
  poundkey_config_loaded_timestamp_seconds: {
    ...gauge("seconds since 1970", "The configuration's load time."),
    over: "min",
    per: MS_PER_SECOND,
  },
  poundkey_credentials: {
    ...gauge(
      "credentials",
      "Credentials: `active`, `untried`, `resting` (limited), `retired` (refused).",
      "provider",
      "state",
    ),
    over: "max",
  },
  poundkey_provider_failing_seconds: {
    ...gauge("seconds", "Time since the first failure after the last success, else 0.", "provider"),
    over: "max",
    per: MS_PER_SECOND,
  },
  poundkey_certificate_expiry_seconds: {
    ...gauge("seconds", "Time until `tls.cert` ends.", "provider"),
    over: "min",
  },
  poundkey_batches: {
    ...gauge("batches", "Batches not ended.", "status"),
    over: "max",
  },
  poundkey_batches_waiting: {
    ...gauge("batches", "Waiting batches, by reason.", "code"),
    over: "max",
  },
  poundkey_batch_lines_running: gauge("lines", "Lines in flight."),
  poundkey_balance_usd: {
    ...gauge("USD", "Balances (`metrics.balances`).", "account"),
    over: "max",
    per: NANO_PER_USD,
  },
  poundkey_budget_used_usd: {
    ...gauge(
      "USD",
      "Used of each budget (`metrics.budgets`): a period, and the models that share it.",
      "account",
      "budget",
    ),
    over: "max",
  },
  poundkey_budget_limit_usd: {
    ...gauge(
      "USD",
      "Each budget's limit (`metrics.budgets`), with what is left of an extra amount.",
      "account",
      "budget",
    ),
    over: "max",
  },
  poundkey_budgets_near: {
    ...gauge(
      "owners",
      "Keys, members and accounts with a budget used by 80 % or more, at most 1,000. Counted if `metrics.budgets` names an account.",
    ),
    over: "max",
  },
  poundkey_members: {
    ...gauge(
      "people",
      "People: `active`, `in_doubt`, `left`, `deactivated`, `disabled`, `anonymised`, once a minute.",
      "state",
    ),
    over: "max",
  },
  poundkey_scim_last_request_timestamp_seconds: {
    ...gauge("seconds since 1970", "The directory's last request."),
    over: "max",
    per: MS_PER_SECOND,
  },
  poundkey_catalogue_age_seconds: {
    ...gauge(
      "seconds",
      "Age of the catalogue's prices, or of the catalogue file's oldest row that hides a newer one.",
    ),
    over: "max",
  },
  poundkey_catalogue_hidden: {
    ...gauge("models", "Rows hiding newer prices."),
    over: "max",
  },
  poundkey_catalogue_changes_waiting: {
    ...gauge(
      "changes",
      "New models, and changed prices, ends and limits, in `catalogue.watch` for enabled providers.",
    ),
    over: "max",
  },
  poundkey_catalogue_serial: {
    ...gauge("serial", "Watched list's last serial."),
    over: "max",
  },
  poundkey_gateway_seconds: work("A request's time in the gateway itself: before, between and after calls."),
} as const;
