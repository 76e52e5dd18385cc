// The server's clock, which times the decisions of all nodes.

/** In Unix milliseconds, when the expression is reached. */
export const NOW_MS = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)";
