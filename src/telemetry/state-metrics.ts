// The metrics that show a state to alert on: the store, the configuration, providers, balances, the gateway's own work.
import { NANO_PER_USD } from "../core/money/money.ts";
import { gauge, MS_PER_SECOND, work } from "./metric-row.ts";

export const STATE_METRICS = {
  poundkey_store_up: {
    ...gauge("0 or 1", "Whether the store's last transaction or check succeeded (1) or failed (0)."),
    over: "min",
  },
  poundkey_store_seconds: work(
    "Time of the store's transactions that admit and settle requests, with their wait for others.",
  ),
  poundkey_store_bytes: {
    ...gauge("bytes", "Size of the store: its database, and SQLite's write-ahead log.", "part"),
    over: "max",
  },
  poundkey_store_free_bytes: {
    ...gauge("bytes", "Free space on the disk of a SQLite store."),
    over: "min",
  },
  poundkey_files_bytes: {
    ...gauge("bytes", "Size of the files of all accounts, with what batches keep."),
    over: "max",
  },
  poundkey_files_max_bytes: {
    ...gauge("bytes", "The most that files may take together (`files.max_bytes`)."),
    over: "max",
  },
  poundkey_last_backup_timestamp_seconds: {
    ...gauge("Unix time", "When the last backup of a SQLite store was made and checked. Absent if none was."),
    over: "max",
  },
  poundkey_config_ok: {
    ...gauge(
      "0 or 1",
      "Whether the changed configuration was accepted (1) or refused (0), so that the one before is in use.",
    ),
    over: "min",
  },
  poundkey_config_loaded_timestamp_seconds: {
    ...gauge("seconds since 1970", "Time at which the configuration in use was loaded."),
    over: "min",
    per: MS_PER_SECOND,
  },
  poundkey_credentials: {
    ...gauge(
      "credentials",
      "Credentials of the provider by state: active, untried (not called yet), resting (limited) or retired (refused).",
      "provider",
      "state",
    ),
    over: "max",
  },
  poundkey_provider_failing_seconds: {
    ...gauge(
      "seconds",
      "Time since the first failed call after the provider's last success. 0 if it succeeds.",
      "provider",
    ),
    over: "max",
    per: MS_PER_SECOND,
  },
  poundkey_certificate_expiry_seconds: {
    ...gauge(
      "seconds",
      "Time until the gateway's own certificate for the provider (`tls.cert`) ends. Negative once it has.",
      "provider",
    ),
    over: "min",
  },
  poundkey_batches: {
    ...gauge("batches", "Batches that haven't ended, by status.", "status"),
    over: "max",
  },
  poundkey_batches_waiting: {
    ...gauge("batches", "Batches of which no line starts, by the code of the reason.", "code"),
    over: "max",
  },
  poundkey_batch_lines_running: gauge("lines", "Lines of batches in flight."),
  poundkey_balance_usd: {
    ...gauge("USD", "Balance of each account in metrics.balances.", "account"),
    over: "max",
    per: NANO_PER_USD,
  },
  poundkey_budget_used_usd: {
    ...gauge(
      "USD",
      "What is used of each budget of the accounts in metrics.budgets. A budget is its period, and the models that share it.",
      "account",
      "budget",
    ),
    over: "max",
  },
  poundkey_budget_limit_usd: {
    ...gauge(
      "USD",
      "The limit of each budget of the accounts in metrics.budgets, with what is left of an extra amount.",
      "account",
      "budget",
    ),
    over: "max",
  },
  poundkey_budgets_near: {
    ...gauge(
      "owners",
      "Keys, members and accounts of which a budget is used by 80 % or more, at most 1,000 of them. Counted if metrics.budgets names an account.",
    ),
    over: "max",
  },
  poundkey_members: {
    ...gauge(
      "people",
      "People by state: active, in_doubt, left, deactivated, disabled or anonymised. Counted once a minute.",
      "state",
    ),
    over: "max",
  },
  poundkey_scim_last_request_timestamp_seconds: {
    ...gauge("seconds since 1970", "Time of the directory's last request. Missing before the first."),
    over: "max",
    per: MS_PER_SECOND,
  },
  poundkey_catalogue_age_seconds: {
    ...gauge(
      "seconds",
      "Time since the day of the catalogue's prices, or since that of the oldest row of the catalogue file that hides a newer one.",
    ),
    over: "max",
  },
  poundkey_catalogue_hidden: {
    ...gauge("models", "Rows of the catalogue file whose price is used in place of a newer built-in one."),
    over: "max",
  },
  poundkey_catalogue_changes_waiting: {
    ...gauge(
      "changes",
      "New models, and changes of prices, ends and limits, that the list in catalogue.watch has for enabled providers.",
    ),
    over: "max",
  },
  poundkey_catalogue_serial: {
    ...gauge(
      "serial",
      "The serial of the watched list that was compared last. Missing for a list without one.",
    ),
    over: "max",
  },
  poundkey_gateway_seconds: work(
    "Time that a request spent in the gateway itself: before, between and after its calls to providers.",
  ),
} as const;
